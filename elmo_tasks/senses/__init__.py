"""Uses of words and their meanings: the gallery, views, calibration, groupings, verdicts, neighbours; numbers for people."""
