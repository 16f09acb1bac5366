"""Strings only: tokens with offsets, character ids, uses of words, vocabularies."""
