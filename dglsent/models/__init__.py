"""Encoders of one sentence: one file for each family of models, and one for each part that a family has alone."""
