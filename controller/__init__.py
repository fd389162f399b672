"""The table controller: a pure function of its journal, with windows and doors."""

__version__ = "0.1.0"
