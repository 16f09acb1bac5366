"""Application layer between the UI or the CLI and the models."""
