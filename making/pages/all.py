"""The list of the pages."""

from __future__ import annotations

from collections.abc import Callable

from making.pages import (
    brokers,
    camera,
    commands,
    configuration,
    courses,
    interface,
    metrics,
    phases,
    pins,
    protocol,
    requirements,
    roads,
    runbook,
    spot_fields,
    unshuffled,
    wiring,
)
from making.pay_tables import FILES
from making.targets import HOUSE

PAGES: dict[str, Callable[[], str]] = {
    "docs/reference/brokers.md": brokers.draw,
    "docs/reference/configuration.md": configuration.draw,
    "docs/reference/camera-reader.md": camera.draw,
    "docs/reference/commands.md": commands.draw,
    "docs/reference/events-and-messages.md": interface.draw,
    "docs/reference/keypad-and-shuffler-protocol.md": protocol.draw,
    "docs/reference/metrics.md": metrics.draw,
    "docs/reference/phases-and-irregularities.md": phases.draw,
    "docs/reference/requirements.md": requirements.draw,
    "docs/reference/spot-fields.md": spot_fields.draw,
    "docs/reference/unshuffled-cards.md": unshuffled.draw,
    "docs/how-to/three-in-the-morning.md": runbook.draw,
    **courses.PICTURES,
    **pins.PICTURES,
    **roads.PICTURES,
    **wiring.PICTURES,
    **FILES,
}


def out_of_date() -> list[str]:
    """The pages that are not what the code says."""
    return [
        path
        for path, draw in PAGES.items()
        if not (HOUSE / path).exists() or (HOUSE / path).read_text() != draw()
    ]


def write() -> list[str]:
    """Draw what is out of date; which pages that were."""
    late = out_of_date()
    for path in late:
        (HOUSE / path).parent.mkdir(parents=True, exist_ok=True)
        (HOUSE / path).write_text(PAGES[path]())
    return late
