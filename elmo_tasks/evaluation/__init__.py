"""Tests of an encoder's knowledge, one file each, and their common table."""
