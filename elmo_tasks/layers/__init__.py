"""What every encoder returns, and the learned mixture of it."""
