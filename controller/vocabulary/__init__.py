"""Ground floor: cards, events, effects, results, irregularities, errors and their codec."""
