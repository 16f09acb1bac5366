"""Tasks, one file each: reading of data, scores, names, results."""
