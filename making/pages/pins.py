"""The picture of docs/how-to/connect-pins.md: the header of a Raspberry Pi with what its configuration connects."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator
from html import escape
from typing import Any

from making.targets import HOUSE

PAGE = HOUSE / "docs" / "how-to" / "connect-pins.md"
HEADER = [
    "3V3",
    "5V",
    "2",
    "5V",
    "3",
    "GND",
    "4",
    "14",
    "GND",
    "15",
    "17",
    "18",
    "27",
    "GND",
    "22",
    "23",
    "3V3",
    "24",
    "10",
    "GND",
    "9",
    "25",
    "11",
    "8",
    "GND",
    "7",
    "0",
    "1",
    "5",
    "GND",
    "6",
    "12",
    "13",
    "GND",
    "19",
    "16",
    "26",
    "20",
    "GND",
    "21",
]
"""The 40 pins by their numbers on the board, from 1: a number of the chip (GPIO), ground or a supply."""
COLOURS = {"button": "#1f6fe5", "key": "#8a4b00", "beam": "#0c7a3d", "output": "#b3120f"}
ROW, TOP, MIDDLE = 26, 56, 420
LEGEND = {
    "button": "button or line: to ground, the board pulls up",
    "key": "key switch: to ground",
    "beam": "beam sensor: open collector",
    "output": "output: a driver stage, and a resistor to the safe side",
}


def connected() -> dict[int, tuple[str, str]]:
    """GPIO -> what hangs on it and of which kind, by the example on the page."""
    block = PAGE.read_text().split("```toml\n")[1].split("```")[0]
    return dict(_of(tomllib.loads(block)["devices"]))


def _of(devices: dict[str, Any]) -> Iterator[tuple[int, tuple[str, str]]]:
    panel, lights = devices["panel"], devices["lights"]
    yield panel["key_switch"], ("supervisor's key", "key")
    for name, pin in {**panel["buttons"], **panel["lines"]}.items():
        yield pin, (name.upper() if name.islower() else name, "button")
    yield devices["beam"]["pin"], ("beam", "beam")
    for name, pin in lights.items():
        if name != "driver":
            yield pin, (name.replace("_", " "), "output")


def draw() -> str:
    """The header from above, seen with the USB sockets below; only what is connected is coloured."""
    height = TOP + 20 * ROW + 30 + 24 * len(LEGEND)
    uses = connected()
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 860 {height}" font-family="sans-serif" font-size="15">',
        "<title>The pins of the header, and what is connected to them in the example</title>",
        f'<rect width="860" height="{height}" fill="#fbfaf4"/>',
        '<text x="430" y="30" text-anchor="middle" font-size="18" font-weight="700">Header of a Raspberry Pi</text>',
        f'<rect x="{MIDDLE - 34}" y="{TOP - 8}" width="88" height="{20 * ROW + 10}" rx="6" fill="#14201a"/>',
    ]
    for at, name in enumerate(HEADER):
        parts += _pin(at, name, uses.get(int(name)) if name.isdigit() else None)
    for at, (kind, words) in enumerate(LEGEND.items()):
        y = TOP + 20 * ROW + 30 + 24 * at
        parts.append(f'<circle cx="150" cy="{y}" r="8" fill="{COLOURS[kind]}"/>')
        parts.append(f'<text x="168" y="{y + 5}">{escape(words)}</text>')
    return "\n".join([*parts, "</svg>\n"])


def _pin(at: int, name: str, use: tuple[str, str] | None) -> list[str]:
    left = at % 2 == 0
    x, y = MIDDLE - 14 + 48 * (at % 2), TOP + ROW * (at // 2) + 12
    colour = (
        COLOURS[use[1]] if use else {"GND": "#777777", "5V": "#e07b00", "3V3": "#e0b000"}.get(name, "#ffffff")
    )
    away, anchor = (MIDDLE - 46, "end") if left else (MIDDLE + 66, "start")
    label = f"GPIO{name}" if name.isdigit() else name
    words = f"{label} · {use[0]}" if use else label
    weight, ink = ("700", "#14201a") if use else ("400", "#5c6660")
    return [
        f'<circle cx="{x}" cy="{y}" r="9" fill="{colour}" stroke="#cccccc"/>',
        f'<text x="{x}" y="{y + 4}" text-anchor="middle" font-size="10" fill="{_on(colour)}">{at + 1}</text>',
        f'<text x="{away}" y="{y + 5}" text-anchor="{anchor}" fill="{ink}" font-weight="{weight}">{escape(words)}</text>',
    ]


def _on(colour: str) -> str:
    return "#14201a" if colour in ("#ffffff", "#e07b00", "#e0b000") else "#ffffff"


PICTURES: dict[str, Callable[[], str]] = {"docs/reference/pictures/pins.svg": draw}
