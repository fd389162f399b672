"""The address of a page as people need it: typed on another machine, or read off the screen by telephone."""

from __future__ import annotations

import io
import socket
from urllib.parse import urlsplit


def seen_from_outside(address: str) -> str:
    """The address as another machine types it, where a page is served on all addresses of this one."""
    if urlsplit(address).hostname not in ("0.0.0.0", "::"):
        return address
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as way_out:
        try:
            way_out.connect(("192.0.2.1", 9))  # nothing is sent: it only chooses the address
            found: str = way_out.getsockname()[0]
        except OSError:
            found = socket.gethostname()
    return f"http://{found}:{urlsplit(address).port or 80}/"


def qr_code(text: str) -> str:
    """What a telephone reads off a terminal."""
    import segno

    drawn = io.StringIO()
    segno.make(text, error="l", micro=False).terminal(drawn, compact=True, border=1)
    return drawn.getvalue().rstrip("\n")
