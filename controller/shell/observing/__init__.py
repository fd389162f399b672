"""What may be seen of a running table from outside the stream: figures and its public state, read-only.

The loop's thread takes an :class:`Observation` now and then; windows in threads of their own hand out the
last one and know nothing else. An observation holds what the display holds and figures; no card that lies
face down, and no secret.
"""
