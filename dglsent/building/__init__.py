"""Corpora of any size -> stores of their graphs."""
