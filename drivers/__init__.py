"""Devices and their words; imports nothing of the controller."""
