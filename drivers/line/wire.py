"""The shuffler's lines. It tells of shuffles, counts and faults, and never which cards or in which order
(R19).
"""

from __future__ import annotations

from drivers.line_protocol import count, free_text, name_of

SHUFFLER = {
    "START": (),
    "DONE": (count("cards"), name_of("set", optional=True)),
    "FAIL": (free_text("reason"),),
    "LOADED": (count("decks", least=1), name_of("set", optional=True)),
    "COUNT": (count("cards"), name_of("set", optional=True)),
    "COLLECTED": (count("cards"),),
    "VERSION": (free_text("text"),),
    "SERIAL": (free_text("text"),),
    "ERROR": (name_of("code"), free_text("text")),
}
