"""The kinds of tasks, one file per kind: how its data are read, how it is scored, what it is called."""
