"""The screen: it talks to a :class:`elmo_tasks.api.Service` and knows no model."""
