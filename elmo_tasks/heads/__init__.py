"""Layers -> loss and predictions, one file per head; what the heads of a kind share is in `tagging` and `classification`."""
