"""Exact probabilities: what hands and bets are worth while a round is played.

Nothing here rounds before the last step, and numpy, where it is installed, is imported by the first
question that is faster with it. What is counted of a game is in the module of its name.
"""
