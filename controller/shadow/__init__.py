"""A table beside another system: it follows, judges, and reports where the two differ."""
