"""Ground floor: cards, events, effects, results, irregularities, errors and their codec.

Structs that are read or written stand in modules without `from __future__ import annotations`: msgspec would
evaluate every annotation as text, at each start.
"""
