"""docs/reference/phases-and-irregularities.md: the phases of a round, and everything that stops it."""

from __future__ import annotations

from collections.abc import Sequence

from controller.games.registry import all_games
from controller.round.phases import PHASES, STEPS, TRANSITIONS
from controller.vocabulary.irregularities import KINDS, VOID_REASONS, Kind
from controller.vocabulary.values import IN_ROUND
from making.pages.text import page, table


def draw() -> str:
    """The page."""
    arrows: dict[tuple[str, str], list[str]] = {}
    for (phase, step), then in TRANSITIONS.items():
        if step not in ("void", "return_card"):
            arrows.setdefault((phase, then), []).append(STEPS[step])
    lines = [f"    {one} --> {then}: {'; '.join(steps)}" for (one, then), steps in arrows.items()]
    at_once = " and ".join(sorted(name for name, game in all_games().items() if game.voids_at_once))
    kinds = sorted(KINDS.values(), key=lambda kind: kind.rank)
    return page(
        "Phases of a round, and what stops it",
        "The phases are one table in `controller/round/phases.py`; a step that it does not list changes nothing.\n",
        "```mermaid\nstateDiagram-v2\n    [*] --> idle\n" + "\n".join(lines) + "\n```\n",
        table(
            ("phase", "what happens", "in a round", "can be voided", "a card can go back"),
            (
                (
                    phase,
                    what,
                    yes(phase in IN_ROUND),
                    yes((phase, "void") in TRANSITIONS),
                    yes((phase, "return_card") in TRANSITIONS),
                )
                for phase, what in PHASES.items()
            ),
        ),
        "When a card goes back, dealing resumes. Once the next round has opened, earlier ones stand (5.2).\n",
        "## What stops a round\n",
        f"If the setting `game.void` is `automatic` (the default of {at_once}), the findings marked so void the"
        " running round at once; otherwise, and for all other findings, the table holds until a supervisor chooses with"
        " `CLEAR <choice>`. Of several findings the first in this list is the reason; all are reported.\n",
        table(
            ("code", "what was found", "paragraph", "voids at once", "choices"),
            (
                (
                    f"`{kind.code}`",
                    kind.meaning,
                    kind.paragraph or "",
                    "automatic" if kind.voids else "",
                    ", ".join(f"`{choice}`" for choice in kind.choices),
                )
                for kind in kinds
            ),
        ),
        "## What each choice does\n",
        table(
            ("choice", "offered by a hold for", "what it does"),
            (
                (f"`{choice}`", "any of them" if len(codes) == len(kinds) else ", ".join(codes), does)
                for (choice, does), codes in choices(kinds).items()
            ),
        ),
        "What to do at the table, code by code: [three in the morning](../how-to/three-in-the-morning.md). What counts"
        " as not shuffled: [the thresholds and their false alarms](unshuffled-cards.md).\n",
        "## Reasons of a void\n",
        table(
            ("reason", "paragraph", "the shoe"),
            ((f"`{reason}`", rule or "", fate) for reason, (rule, fate) in VOID_REASONS.items()),
        ),
    )


def yes(so: bool) -> str:
    """A cell of a table."""
    return "yes" if so else ""


def choices(kinds: Sequence[Kind]) -> dict[tuple[str, str], list[str]]:
    """Choice and what it does -> the codes of the holds that offer it so."""
    found: dict[tuple[str, str], list[str]] = {}
    for kind in kinds:
        for choice, does in kind.choices.items():
            found.setdefault((choice, does), []).append(f"`{kind.code}`")
    return dict(sorted(found.items(), key=lambda item: item[0][0]))
