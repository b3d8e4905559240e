"""Corpora: where examples come from, their splits and their labels."""
