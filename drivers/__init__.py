"""Devices and what they say; imports nothing of the controller."""
