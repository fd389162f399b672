"""Pictures of how a round goes: each is what the table itself says to these events, drawn as it is said.

``docs/reference/pictures/void-*.svg`` and ``card.svg``; a change of what a table says changes them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from html import escape
from typing import Any, NamedTuple

from controller.settings.loader import load_configuration
from controller.shell.replay import Replay, configured_by, numbered
from controller.vocabulary.events import Stamp
from making.targets import HOUSE

AT = "2026-01-31T20:15:00Z"
LANES = {"people and devices": 120, "the table": 390, "broker and consumers": 890}
WIDTH, TOP, ROW = 1000, 84, 30
INK, SOFT, RED, GREEN = "#14201a", "#5c6660", "#b3120f", "#0c6a35"


class Step(NamedTuple):
    """What happens at the felt, in words; the event that it is; what follows from it."""

    words: str
    event: dict[str, object]
    said: list[str]


class Course(NamedTuple):
    """A picture: the table's example in ``config``, what happens before it, and what is drawn."""

    title: str
    config: str
    before: list[dict[str, object]]
    drawn: list[tuple[str, dict[str, object]]]


def event(name: str, **fields: object) -> dict[str, object]:
    return {"event": name, "at": AT, **fields}


def cards(*codes: str) -> list[dict[str, object]]:
    return [event("card_read", code=code) for code in codes]


OPEN = [event("bets_opened"), event("bets_closed")]
SHOE = [event("shuffle_completed", cards=416), event("shoe_loaded", cards=416, shuffled=True)]
COURSES = {
    "void-by-a-supervisor": Course(
        "A supervisor annuls a round that has a result",
        "baccarat",
        [*SHOE, *OPEN, *cards("KC", "8D", "7D", "KS")],
        [
            ("The dealer asks for a supervisor (HOLD)", event("hold_requested", by="dealer")),
            ("KEY 4711, VOID supervisor", event("round_voided", reason="supervisor", by="4711")),
            ("Place your bets: the next round", event("bets_opened")),
        ],
    ),
    "void-by-itself": Course(
        "A card of another set: 2 Card Action annuls the round by itself (5.1.1)",
        "2-card-action",
        [*SHOE, *OPEN],
        [
            ("The first card", cards("TS")[0]),
            ("A card that is none of this set", cards("another set")[0]),
            ("The shuffler: DONE 416", SHOE[0]),
            ("Another shoe: SHOE 416", SHOE[1]),
        ],
    ),
    "card": Course(
        "A card, from the shoe to who pays on it",
        "baccarat",
        [*SHOE, *OPEN, *cards("KC", "8D", "7D")],
        [
            ("The card that completes the round", cards("KS")[0]),
            ("The dealer has paid (SETTLED)", event("round_settled")),
        ],
    ),
}


def played(course: Course) -> Iterator[Step]:
    """What the table says to each event that is drawn."""
    replay, number = Replay(1), 1
    configuration = load_configuration(HOUSE / "config" / f"{course.config}.toml")
    list(replay.step(configured_by(configuration), Stamp(at=AT, sequence=number)))
    for words, one in [*(("", one) for one in course.before), *course.drawn]:
        number += 1
        told = list(replay.step(*numbered(json.dumps(one).encode(), number)))
        if words:
            messages = [json.loads(bytes(one.payload)) for one in told if not one.retain]
            yield Step(words, one, [_summary(message) for message in messages])


def _summary(message: dict[str, Any]) -> str:
    """Name of a message, and what of it a person looks for."""
    data = message["data"]
    name = message["type"].removeprefix("dealertable.").removesuffix(".v1")
    picked = [str(data[key]) for key in ("position", "card", "code", "reason") if _is_word(data.get(key))]
    if data.get("rule"):
        picked.append(data["rule"])
    if name == "round.void":
        picked.append(f"shoe: {data['shoe']}")
        picked += [f"bets: {data['bets']}"] + (["retracts the result"] if data["retracts"] else [])
    if name == "round.result":
        picked.append(f"{data['outcome']['winner']} wins")
    return " · ".join([name, *picked])


def _is_word(value: object) -> bool:
    return isinstance(value, str) and len(value) < 24


def picture(course: Course) -> str:
    """The course as a page of three lines: what happens, the table, who hears it."""
    steps = list(played(course))
    rows = sum(1 + len(step.said) + 1.6 for step in steps) + 1.5
    height = round(TOP + ROW * rows)
    left, table, right = LANES.values()
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="15">',
        f"<title>{escape(course.title)}</title>",
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
        f'<path d="M0 0L8 4L0 8z" fill="{INK}"/></marker></defs>',
        f'<rect width="{WIDTH}" height="{height}" fill="#fbfaf4"/>',
        f'<text x="{WIDTH // 2}" y="28" text-anchor="middle" font-size="18" font-weight="700">{escape(course.title)}</text>',
    ]
    for name, x in LANES.items():
        parts.append(
            f'<text x="{x}" y="58" text-anchor="middle" font-weight="700" fill="{SOFT}">{name}</text>'
        )
        parts.append(f'<path d="M{x} 66V{height - 14}" stroke="#c9c4b2" stroke-width="2"/>')
    y = float(TOP)
    for step in steps:
        y += ROW
        parts += _arrow(left, table, y, step.words)
        parts += _kept(table, y + 0.75 * ROW)
        y += 0.75 * ROW
        for said in step.said:
            y += ROW
            parts += _arrow(
                table, right, y, said, RED if said.startswith(("round.void", "table.held")) else INK
            )
        y += 0.85 * ROW
        parts += _arrow(table, left, y, "taken: the device may forget it", GREEN, dashed=True)
    y += ROW
    parts += _arrow(right, table, y, "acknowledged, up to here", GREEN, dashed=True)
    return "\n".join([*parts, "</svg>\n"])


def _arrow(start: int, end: int, y: float, words: str, ink: str = INK, *, dashed: bool = False) -> list[str]:
    dashes = ' stroke-dasharray="5 4"' if dashed else ""
    middle = (start + end) // 2
    return [
        f'<path d="M{start} {y:.0f}H{end - 3 if end > start else end + 3}" stroke="{ink}" stroke-width="1.6"{dashes} marker-end="url(#tip)"/>',
        f'<text x="{middle}" y="{y - 6:.0f}" text-anchor="middle" font-size="13" fill="{ink}">{escape(words)}</text>',
    ]


def _kept(x: int, y: float) -> list[str]:
    """Event and messages are on the disk before anything is said."""
    return [
        f'<rect x="{x - 62}" y="{y - 13:.0f}" width="124" height="18" rx="4" fill="#ece7d3"/>',
        f'<text x="{x}" y="{y:.0f}" text-anchor="middle" font-size="12">journal: on the disk</text>',
    ]


PICTURES: dict[str, Callable[[], str]] = {
    f"docs/reference/pictures/{name}.svg": lambda course=course: picture(course)  # type: ignore[misc]
    for name, course in COURSES.items()
}
