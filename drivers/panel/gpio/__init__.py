"""Buttons, key switch, beam and lamps on the pins of the board. Only this room imports gpiozero."""
