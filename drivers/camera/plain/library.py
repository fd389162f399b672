"""What a deck looks like: the faces of its cards and the signs of its index, in one file with a version and a
digest.

The file is an archive of arrays (`numpy.savez`, compressed, nothing that could run) and one text with the
rest. Its digest is over the content, so that the same deck learnt from the same pictures has the same digest
everywhere.
"""

from __future__ import annotations

import hashlib
import io
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from drivers.camera.plain.index import Box, Index
from drivers.errors import DeviceFault, why

VERSION = 2
RANKS, SUITS = "A23456789TJQK", "SHDC"
OTHERS = ("joker", "back", "cut")
"""How the names of what is no card of the deck begin."""
_LARGEST_BYTES = 16_000_000
_MOST_CARDS = 80
_LARGEST_SIDE = 512


class LibraryUnusable(DeviceFault):
    """The file of a deck is missing, damaged or of another version."""


class Judgement(msgspec.Struct, frozen=True):
    """How far apart the most alike are, each from 0 (the same) to 1: two ranks, two suits, two faces
    (`alike`).
    """

    ranks: float
    suits: float
    faces: float
    alike: tuple[str, str]
    doubts: tuple[str, ...] = ()
    """Why the library does not trust itself; none: it does."""


class _Head(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    version: int
    name: str
    cards: tuple[str, ...]
    aspect: float
    height_px: float
    rank_box: Box
    suit_box: Box
    ranks: str
    judgement: Judgement


@dataclass(frozen=True, slots=True)
class Library:
    """A deck that was learnt: 52 or 40 cards by their names, and `joker...`, `cut...`, `back...` as far as
    learnt.

    `faces` is the mean of what was seen of each (number, rows, columns; blue, green, red), `height_px` how
    high a card was in the pictures it was learnt from.
    """

    name: str
    cards: tuple[str, ...]
    aspect: float
    height_px: float
    index: Index
    ranks: str
    """The ranks of this deck, in the order of the signs."""
    faces: NDArray[np.uint8]
    judgement: Judgement
    digest: str = field(default="")

    @property
    def trusted(self) -> bool:
        return not self.judgement.doubts


def save(library: Library, path: Path) -> str:
    """Write the file; returns its digest."""
    head = msgspec.json.encode(_head(library))
    arrays = _arrays(library)
    packed = io.BytesIO()
    np.savez_compressed(packed, head=np.frombuffer(head, np.uint8), **arrays)
    fresh = path.with_name(f".{path.name}.new")
    fresh.write_bytes(packed.getvalue())
    fresh.replace(path)
    return _digest(head, arrays)


def load(path: Path) -> Library:
    """The library of a file. Raises LibraryUnusable, with what is wrong."""
    try:
        size = path.stat().st_size
        if size > _LARGEST_BYTES:
            raise LibraryUnusable(f"{path}: no library of a deck ({size} bytes)")
        with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as loaded:
            content = {name: np.asarray(loaded[name]) for name in loaded.files}
        head_bytes = content.pop("head").tobytes()
        version = msgspec.json.decode(head_bytes).get("version")
        if version != VERSION:
            raise LibraryUnusable(
                f"{path}: a library of version {version}; this program reads {VERSION}: learn it again"
            )
        head = msgspec.json.decode(head_bytes, type=_Head)
        return _library(head, content, _digest(head_bytes, content))
    except OSError as problem:
        raise LibraryUnusable(f"{path}: cannot be read ({why(problem)}); `deck learn` makes one") from problem
    except (ValueError, KeyError, TypeError, AttributeError, zipfile.BadZipFile, EOFError) as problem:
        raise LibraryUnusable(f"{path}: no library of a deck, or a damaged one; learn it again") from problem


def _head(library: Library) -> _Head:
    return _Head(
        VERSION,
        library.name,
        library.cards,
        library.aspect,
        library.height_px,
        library.index.rank_box,
        library.index.suit_box,
        library.ranks,
        library.judgement,
    )


def _arrays(library: Library) -> dict[str, Any]:
    return {
        "faces": library.faces,
        "rank_signs": np.stack(library.index.ranks),
        "suit_signs": np.stack(library.index.suits),
    }


def _digest(head: bytes, arrays: dict[str, Any]) -> str:
    whole = hashlib.sha256(head)
    for name in sorted(arrays):
        whole.update(f"{name} {arrays[name].shape}".encode())
        whole.update(np.ascontiguousarray(arrays[name]).tobytes())
    return whole.hexdigest()


def _library(head: _Head, content: dict[str, NDArray[Any]], digest: str) -> Library:
    faces, ranks, suits = content["faces"], content["rank_signs"], content["suit_signs"]
    right = (
        all(array.dtype == np.uint8 for array in (faces, ranks, suits))
        and faces.ndim == 4
        and ranks.ndim == suits.ndim == 3
        and faces.shape[0] == len(head.cards) <= _MOST_CARDS
        and faces.shape[3] == 3
        and max(*faces.shape[1:3], *ranks.shape[1:], *suits.shape[1:]) <= _LARGEST_SIDE
        and 0 < len(ranks) <= _LARGEST_SIDE
        and 0 < len(suits) <= _LARGEST_SIDE
        and len(ranks) % len(head.ranks) == 0
        and len(suits) % len(SUITS) == 0
        and (ranks.shape[2], ranks.shape[1]) == head.rank_box[2:]
        and (suits.shape[2], suits.shape[1]) == head.suit_box[2:]
        and 0.4 < head.aspect < 1
        and min(*head.rank_box, *head.suit_box) >= 0
    )
    if not right:
        raise ValueError("sizes do not fit")
    index = Index(head.rank_box, head.suit_box, tuple(ranks), tuple(suits))
    return Library(
        head.name, head.cards, head.aspect, head.height_px, index, head.ranks, faces, head.judgement, digest
    )
