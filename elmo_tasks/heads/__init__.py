"""Task heads, one file each; `tagging` and `classification` hold shared code."""
