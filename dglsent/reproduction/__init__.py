"""Published tables made again: jobs, results, text."""
