"""Sentences that the UI and the CLI share; standard library only."""
