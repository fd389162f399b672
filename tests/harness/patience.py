"""How long a test waits for what must come."""

from __future__ import annotations

PATIENCE_S = 240.0
"""Far longer than a machine takes that runs another test run and a dozen programs as well: who waits so long
waits in vain. Shorter than the time after which pytest gives a test up, which says less about it."""
