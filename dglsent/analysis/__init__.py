"""Structures that models made, recorded as tables, analysed and drawn."""
