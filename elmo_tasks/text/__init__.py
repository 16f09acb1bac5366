"""Strings only: tokens with character offsets, character ids, mentions of a word, vocabularies."""
