"""What stands behind the screen and the commands."""
