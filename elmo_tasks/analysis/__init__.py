"""Numbers for people: pure functions over Layers."""
