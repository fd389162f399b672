"""Bee-Tek card shoe: ASCII lines, no numbers, no check, no answer."""
