"""The engines, which know nothing of each other."""
