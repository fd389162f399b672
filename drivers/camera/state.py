"""What a camera driver can tell at any moment: the port's state, and how well the reader reads."""

from __future__ import annotations

from drivers.ports import PortState


class CameraState(PortState, frozen=True):
    """Figures since start. No code is among them.

    `bytes_in` counts the pixels that were looked at (a byte each), `frames_in` the pictures, `noise_in`
    the pictures with something in view and no mark read, and stills that were none. `pictures_read` had a
    mark, `pictures_rescued` only by the rescue. `cards_read` and `cards_unread` are what was told,
    `odd_sightings` codes that a single picture showed beside a card that was read. `confidence` is the
    mean over the cards read. `asked_frames_per_s` is what the camera was asked for, `frames_per_s` and
    `decode_ms` are of the last second or so; `test_decode_ms` is of a mark that was drawn at the opening.
    """

    decoder: str = ""
    asked_frames_per_s: int = 0
    pictures_read: int = 0
    pictures_rescued: int = 0
    cards_read: int = 0
    cards_unread: int = 0
    odd_sightings: int = 0
    confidence: float | None = None
    frames_per_s: float | None = None
    decode_ms: float | None = None
    test_decode_ms: float | None = None
