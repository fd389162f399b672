"""The recorder of a floor: the streams of all its tables in PostgreSQL. It uses the stream and its schemas,
and knows nothing of a table's state."""
