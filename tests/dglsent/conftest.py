"""Puts tests/dglsent on the path, so that its tests share `random_graphs` and `agreement`."""
