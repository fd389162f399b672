"""What one table is configured to be: the model and its TOML loader."""
