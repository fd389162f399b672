"""Dealer and supervisor keys and lamps: serial keypad and GPIO, with their simulators."""
