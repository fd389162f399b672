"""Decks of plain cards for the command line: learnt from pictures, tried with others. Loads the libraries
for pictures.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
from msgspec.structs import replace

from controller.settings.loader import load_configuration
from controller.vocabulary.errors import InputError
from drivers.camera import CameraShoe
from drivers.errors import DeviceFault


class Learnt(msgspec.Struct, frozen=True):
    """A deck that was learnt: where its file is and what is to be said of it.

    `rank` and `suit` are the places of the two signs in a card's corner in millimetres: left, top, width,
    height. The distances of the most alike ranks, suits and faces are from 0 (the same) to 1.
    """

    name: str
    file: str
    digest: str
    bytes: int
    cards: int
    others: tuple[str, ...]
    rank_mm: tuple[float, ...]
    suit_mm: tuple[float, ...]
    ranks_apart: float
    suits_apart: float
    faces_apart: float
    most_alike: tuple[str, str]
    trusted: bool
    doubts: tuple[str, ...]


class Checked(msgspec.Struct, frozen=True):
    """What a library says of the pictures of a deck: how many, how many of them it read, which cards it did
    not read in any picture, and which it took for another."""

    name: str
    digest: str
    pictures: int
    read: int
    unread: tuple[str, ...]
    wrong: tuple[str, ...]


def camera_at(source: str) -> CameraShoe:
    """The camera of a table's file as it is set there; else one at this place. Raises InputError where a file
    has none."""
    # With a library a camera shows colours; which one does not matter here.
    if not source.endswith(".toml"):
        return CameraShoe(source=source, library="any")
    devices = load_configuration(source).devices.named()
    for device in devices.values():
        if isinstance(device, CameraShoe):
            return replace(device, library=device.library or "any")
    raise InputError(f"{source}: no device of this table is a camera")


def learn_deck(name: str, source: str, order: Sequence[str], to: Path, tell: Callable[[str], None]) -> Learnt:
    """Learn a deck from a folder of pictures, a video or a camera and write its library. Raises
    InputError.
    """
    from drivers.camera.plain.flat import PX_PER_MM
    from drivers.camera.plain.learn import learn
    from drivers.camera.plain.lessons import FACTORY_ORDER, pictures_of
    from drivers.camera.plain.library import load, save

    camera = camera_at(source)
    try:
        save(learn(name, pictures_of(camera, order or FACTORY_ORDER, tell)), to)
        library = load(to)
    except DeviceFault as problem:
        raise InputError(str(problem)) from problem
    judgement, index = library.judgement, library.index
    return Learnt(
        name,
        str(to),
        library.digest,
        to.stat().st_size,
        4 * len(library.ranks),
        library.cards[4 * len(library.ranks) :],
        tuple(value / PX_PER_MM for value in index.rank_box),
        tuple(value / PX_PER_MM for value in index.suit_box),
        judgement.ranks,
        judgement.suits,
        judgement.faces,
        judgement.alike,
        library.trusted,
        judgement.doubts,
    )


def check_deck(file: Path, source: str, order: Sequence[str], tell: Callable[[str], None]) -> Checked:
    """Read another deck of the same design with a library. Raises InputError."""
    from drivers.camera.plain.lessons import FACTORY_ORDER, checked, pictures_of
    from drivers.camera.plain.library import load

    camera = camera_at(source)
    try:
        library = load(file)
        said = checked(library, pictures_of(camera, order or FACTORY_ORDER, tell))
    except DeviceFault as problem:
        raise InputError(str(problem)) from problem
    return Checked(
        library.name,
        library.digest,
        sum(map(len, said.values())),
        sum(name == card for card, names in said.items() for name in names),
        tuple(card for card, names in said.items() if set(names) == {"unread"}),
        tuple(
            f"{card} as {name}"
            for card, names in said.items()
            for name in names
            if name not in (card, "unread")
        ),
    )
