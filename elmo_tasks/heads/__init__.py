"""Layers -> loss and predictions, one file per task."""
