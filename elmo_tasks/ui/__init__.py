"""User interface: pages on top of :class:`elmo_tasks.api.Service`, without model code."""
