"""Shufflers, by our own line protocol: no vendor's protocol is public."""
