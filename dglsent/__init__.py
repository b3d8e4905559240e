"""Sentence models over parse trees as message passing on DGL graphs; see `dglsent.passing` and `dglsent.models`."""
