"""Word sense disambiguation, and the dictionary, maps and indexes of uses."""
