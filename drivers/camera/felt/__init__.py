"""A still camera over the table: it reads the cards that lie face up, wherever they lie, to contradict what
the shoe told.

`finding` finds what has the form of a card, `reader` has the reader of plain cards read each, `steady` keeps
what several pictures show alike, `driver` says it. Nothing here is imported where no such camera is set up.
"""
