"""Sentences to Layers, one file per backend."""
