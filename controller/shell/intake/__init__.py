"""Readings become events: the one room of the shell that knows a device's words, and the port's names for the
loop.
"""

from controller.shell.intake.taking import Intake, Intaken, not_taken_in, stamp_fields
from controller.shell.intake.translation import seats_from
from drivers.ports import Accepted, Answer, Driver, PortState, Received, Refused, Source

__all__ = [
    "Accepted",
    "Answer",
    "Driver",
    "Intake",
    "Intaken",
    "PortState",
    "Received",
    "Refused",
    "Source",
    "not_taken_in",
    "seats_from",
    "stamp_fields",
]
