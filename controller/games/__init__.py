"""What a game is, and each game: positions, outcome, spots and pay tables, as data where it can be."""
