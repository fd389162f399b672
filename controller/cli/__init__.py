"""Argument lists to calls, one file for each group of commands; the only place that prints."""
