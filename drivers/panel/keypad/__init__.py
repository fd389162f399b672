"""The dealer's keypad: a serial box that sends a key a line."""
