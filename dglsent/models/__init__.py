"""Encoders of one sentence: one file for each family of models."""
