"""The bidirectional language model of Peters et al. (2018), and its file formats."""
