"""ELMo in context: contextual word vectors to look at, to train on and to train."""
