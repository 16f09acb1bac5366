"""Recipes of the shipped models, one file each, read from top to bottom."""
