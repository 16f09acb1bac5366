"""What an encoder knows, on published tests: one file a test, and the table of them all."""
