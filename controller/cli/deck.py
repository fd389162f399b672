"""``deck``: plain cards are learnt from pictures, another deck of the design is tried, and a camera that is
mounted shows what it sees."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from controller.cli.telling import FAILED, columns, print_json, print_lines
from controller.vocabulary.errors import InputError


def run(arguments: argparse.Namespace) -> int:
    """0 if the deck is trusted, or every card of it was read; 1 if there is a doubt; 2 if nothing came of
    it.
    """
    if arguments.what == "look":
        return look(arguments)
    if arguments.library is None:
        raise InputError("--library is missing: the file of the deck, NAME.deck")
    order = tuple((arguments.order or "").replace(",", " ").split())
    return (learn if arguments.what == "learn" else check)(arguments, order)


def learn(arguments: argparse.Namespace, order: tuple[str, ...]) -> int:
    """Make a library."""
    from controller.shell.wiring.decks import learn_deck

    file = Path(arguments.library)
    if file.exists() and not arguments.replace:
        raise InputError(f"{file} is there already; --replace writes another one in its place")
    if file.suffix != ".deck":
        raise InputError(f"{file}: the name of a library ends in .deck")
    found = learn_deck(arguments.name or file.stem, arguments.source, order, file, _prompt)
    if arguments.json:
        print_json(found)
        return 0 if found.trusted else FAILED
    one, other = found.most_alike
    rows = [
        ("deck", f"{found.name}: {found.cards} cards; beside them {', '.join(found.others) or 'nothing'}"),
        ("library", f"{found.file}, {found.bytes // 1024} KB"),
        ("digest", found.digest),
        ("rank", _place(found.rank_mm)),
        ("suit", _place(found.suit_mm)),
        ("apart", f"ranks {found.ranks_apart}, suits {found.suits_apart}, faces {found.faces_apart}"),
        ("most alike", f"{one} and {other}"),
        ("trusts itself", "yes" if found.trusted else "no"),
        *(("", doubt) for doubt in found.doubts),
    ]
    print_lines(columns(rows))
    return 0 if found.trusted else FAILED


def check(arguments: argparse.Namespace, order: tuple[str, ...]) -> int:
    """Try another deck."""
    from controller.shell.wiring.decks import check_deck

    found = check_deck(Path(arguments.library), arguments.source, order, _prompt)
    good = not found.unread and not found.wrong
    if arguments.json:
        print_json(found)
        return 0 if good else FAILED
    rows = [
        ("deck", f"{found.name} {found.digest[:16]}"),
        ("read", f"{found.read} of {found.pictures} pictures"),
        ("not read", " ".join(found.unread) or "none"),
        ("wrong", ", ".join(found.wrong) or "none"),
    ]
    print_lines(columns(rows))
    return 0 if good else FAILED


def look(arguments: argparse.Namespace) -> int:
    """Show what the camera sees."""
    given = [name for name in ("name", "order", "replace", "json") if getattr(arguments, name)]
    if given:
        raise InputError(f"look: leave --{given[0]} out")
    from controller.shell.wiring import deck_page

    library = None if arguments.library is None else Path(arguments.library)
    deck_page.look(arguments.source, library, arguments.host, arguments.port, _prompt)
    return 0


def _place(box: tuple[float, ...]) -> str:
    left, top, width, height = box
    return f"{width:g} x {height:g} mm, {left:g} mm from the side and {top:g} mm from the end of the card"


def _prompt(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
