"""Lightning DataModules and the readers below them."""
