"""How the shipped models were made: one script for each step."""
