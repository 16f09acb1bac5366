"""Readers of text and labelled data, and the Lightning data modules on them.

A reader raises a DataError for what is not as expected: it names the file and the lines, what was expected and what came. A data
module raises a ConfigError for an argument that is out of range.
"""
