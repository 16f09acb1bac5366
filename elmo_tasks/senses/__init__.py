"""Uses of words and their meanings: the dictionary, features, disambiguation, maps, an index of uses."""
