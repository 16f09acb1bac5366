"""Lightning modules, callbacks and metrics."""
