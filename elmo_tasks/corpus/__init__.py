"""Text to look words up in."""
