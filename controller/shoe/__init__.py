"""The decks in play: composition, ledger, checks and the rotation of sets."""
