"""Readers of parsed text: every format in, flat columns out, one error policy."""
