"""Cards that nobody here drew: the designs of two Debian packages, rendered, never copied into the
repository.

`gnome-cards-data` has one drawing a design, thirteen columns and five rows; `kdegames-card-data-kf5` one with
an element a card. They are taken from where the packages are installed, or else fetched and unpacked below
`build`, and drawn by `rsvg-convert` (librsvg2-bin). A design that has been drawn once is kept there.
"""

from __future__ import annotations

import gzip
import os
import subprocess
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

Face = NDArray[np.uint8]
"""A flat card: blue, green, red and what is card, 8 bits each; its height is `HEIGHT_PX`."""
HEIGHT_PX = 528
"""Six pixels a millimetre of a card 88 mm high."""
FOLDER = Path("build/plain-cards")
PACKAGES = ("gnome-cards-data", "kdegames-card-data-kf5")
RANKS, ROWS = "A23456789TJQK", "CDHS"
_KDE_RANKS = ("1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "jack", "queen", "king")
_KDE_SUITS = {"C": "club", "D": "diamond", "H": "heart", "S": "spade"}
_GNOME, _KDE = "aisleriot/cards", "carddecks"
_SHEET_PX = 13 * 380
_CARD_PX = 420
"""Width of an element that is drawn alone: a card, sometimes with a shadow."""


class CardsMissing(Exception):
    """The drawings or what renders them is not there; the text says how to get it."""


class NothingDrawn(Exception):
    """An element of a drawing in which nothing is to be seen."""


def names() -> list[str]:
    """All designs that the packages have, as "gnome/anglo" and "kde/standard"."""
    root = _root()
    gnome = sorted(path.stem for path in (root / _GNOME).glob("*.svgz"))
    kde = sorted(path.name.removeprefix("svg-") for path in (root / _KDE).glob("svg-*"))
    return [f"gnome/{name}" for name in gnome] + [f"kde/{name}" for name in kde]


@lru_cache(maxsize=4)
def faces(design: str) -> dict[str, Face]:
    """The cards of a design by their names (`AS`; also `joker1`, `joker2` and `back` where it has them)."""
    kept = FOLDER / "faces" / f"{design.replace('/', '-')}.npz"
    if not kept.exists():
        kept.parent.mkdir(parents=True, exist_ok=True)
        drawn = _gnome(design) if design.startswith("gnome/") else _kde(design)
        unfinished = kept.with_suffix(f".{os.getpid()}.npz")
        np.savez_compressed(unfinished, **drawn)  # type: ignore[arg-type]
        unfinished.rename(kept)
    with np.load(kept) as loaded:
        return {name: loaded[name] for name in loaded.files}


def _root() -> Path:
    installed = Path("/usr/share")
    if (installed / _GNOME).is_dir() and (installed / _KDE).is_dir():
        return installed
    unpacked = FOLDER / "packages"
    if not (unpacked / "usr/share" / _KDE).is_dir():
        unpacked.mkdir(parents=True, exist_ok=True)
        try:
            subprocess.run(
                ["apt-get", "-q", "download", *PACKAGES], cwd=unpacked, check=True, capture_output=True
            )
            for package in unpacked.glob("*.deb"):
                subprocess.run(["dpkg-deb", "-x", str(package), str(unpacked)], check=True)
                package.unlink()
        except (OSError, subprocess.CalledProcessError) as problem:
            raise CardsMissing(f"apt-get install {' '.join(PACKAGES)} librsvg2-bin") from problem
    return unpacked / "usr/share"


def _gnome(design: str) -> dict[str, Face]:
    sheet = _drawn((_root() / _GNOME / f"{design.removeprefix('gnome/')}.svgz"), _SHEET_PX)
    high, wide = sheet.shape[0] / 5, sheet.shape[1] / 13
    cells = {
        f"{rank}{suit}": (row, column) for row, suit in enumerate(ROWS) for column, rank in enumerate(RANKS)
    }
    cells |= {"joker1": (4, 0), "joker2": (4, 1), "back": (4, 2)}
    found = {}
    for name, (row, column) in cells.items():
        cell = sheet[
            round(row * high) : round((row + 1) * high), round(column * wide) : round((column + 1) * wide)
        ]
        face = _cut(cell)
        if face is not None:
            found[name] = face
    return found


def _kde(design: str) -> dict[str, Face]:
    path = next((_root() / _KDE / f"svg-{design.removeprefix('kde/')}").glob("*.svgz"))
    text = gzip.decompress(path.read_bytes())
    wanted = {
        f"{rank}{suit}": f"{word}_{long}"
        for suit, long in _KDE_SUITS.items()
        for rank, word in zip(RANKS, _KDE_RANKS, strict=True)
    }
    wanted |= {"joker1": "1_joker", "joker2": "2_joker", "back": "back"}
    found = {}
    for name, element in wanted.items():
        if f'id="{element}"'.encode() not in text:
            continue
        face = _alone(path, element)
        if face is not None:
            found[name] = face
    return found


def _alone(path: Path, element: str) -> Face | None:
    """The card of an element. What is drawn of it alone is wider than the card where something in it is not
    seen.
    """
    try:
        drawn = _drawn(path, _CARD_PX, element)
    except NothingDrawn:
        return None
    if (box := _solid(drawn)) is None:
        return None
    if box[2] < _CARD_PX * 0.9:
        drawn = _drawn(path, min(round(_CARD_PX * _CARD_PX / box[2]), _SHEET_PX), element)
        if (box := _solid(drawn)) is None:
            return None
    x, y, w, h = box
    return _cut(drawn[y : y + h, x : x + w])


def _drawn(path: Path, width_px: int, element: str = "") -> Face:
    only = ["--export-id", element] if element else []
    try:
        done = subprocess.run(
            ["rsvg-convert", "--unlimited", "-w", str(width_px), "-a", *only],
            input=gzip.decompress(path.read_bytes()),
            capture_output=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError) as problem:
        if element and b"no dimensions" in (getattr(problem, "stderr", None) or b""):
            raise NothingDrawn from problem
        raise CardsMissing(f"{path}: rsvg-convert (librsvg2-bin) does not draw it: {problem}") from problem
    picture = cv2.imdecode(np.frombuffer(done.stdout, np.uint8), cv2.IMREAD_UNCHANGED)
    return np.asarray(picture, np.uint8)


def _solid(drawn: Face) -> tuple[int, int, int, int] | None:
    """Left, top, width and height of the largest solid thing that was drawn."""
    solid = (drawn[:, :, 3] > 128).astype(np.uint8)
    count, _, stats, _ = cv2.connectedComponentsWithStats(solid)
    if count < 2:
        return None
    x, y, w, h, _ = (int(one) for one in stats[1 + int(np.argmax(stats[1:, cv2.CC_STAT_AREA]))])
    return x, y, w, h


def _cut(cell: Face) -> Face | None:
    """The card in its cell, upright and as high as all are; None where the cell is empty."""
    if (box := _solid(cell)) is None:
        return None
    x, y, w, h = box
    if h < cell.shape[0] / 2 or not 0.5 < w / h < 0.85:
        return None
    card = cell[y : y + h, x : x + w]
    size = (round(w * HEIGHT_PX / h), HEIGHT_PX)
    alpha = card[:, :, 3:].astype(np.float32) / 255
    # Where a drawing is not quite solid there is paper behind it.
    white = (card[:, :, :3] * alpha + 255 * (1 - alpha)).astype(np.uint8)
    solid_card = np.dstack([white, card[:, :, 3]])
    return np.asarray(cv2.resize(solid_card, size, interpolation=cv2.INTER_AREA), np.uint8)
