"""How the shipped models were made: a file per recipe, read from top to bottom."""
