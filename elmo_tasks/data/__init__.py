"""Readers of text and labelled data, and the Lightning data modules on them."""
