"""The round as a table of transitions: phases, state, reducer, void, reconstruction."""
