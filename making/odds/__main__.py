"""``python -m making.odds``: build every table of the odds anew. It says nothing when it is done."""

from __future__ import annotations

from making.odds.tables import FOLDER, write

write(FOLDER)
