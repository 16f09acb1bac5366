"""Corpora in blocks: read once, computed by any number of processes, resumable."""
