"""Players' bets, decisions and money: a consumer of the stream like any other, a ledger and an HTTP door.

It uses the stream, ``settlement`` and the vocabulary; no other room but the command line knows it.
"""
