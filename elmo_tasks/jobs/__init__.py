"""Training asked from the screen: its rows, its folder, its place in the queue."""
