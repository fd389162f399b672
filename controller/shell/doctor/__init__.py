"""Is this table well? One finding for each thing that a technician can fix, and what to do about it."""

from controller.shell.doctor.findings import Diagnosis, Grade
from controller.shell.doctor.visit import examine

__all__ = ["Diagnosis", "Grade", "examine"]
