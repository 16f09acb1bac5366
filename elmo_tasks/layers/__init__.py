"""Layers of an encoder, their names, pooling and learned mixture."""
