"""The marks of the odds: ``python -m tests.bench.odds [--json FILE]`` from the root of the repository.

One run measures ours and the peers in turn, by processor time, and prints medians and ratios; only the ratios
carry over to another machine. It wants the ``bench`` extra (phevaluator). Exit status 1: a mark is missed.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Callable, Sequence
from itertools import cycle
from pathlib import Path

from msgspec.structs import astuple
from phevaluator import evaluate_cards

from controller.games.baccarat import POINTS
from controller.odds import tables
from controller.odds.baccarat import engine, state_of
from controller.odds.casino_holdem import holdem_strength
from controller.odds.keys import TABLE_LENGTHS
from controller.odds.tableau import outcome
from controller.vocabulary.cards import DECK_52, RANKS, Card
from tests.bench.peers import every_showdown, nested_loops, phevaluator_number, phevaluator_text
from tests.bench.timing import (
    Grown,
    Mark,
    children_s,
    in_one_thread,
    in_words,
    interleaved_s,
    part_arguments,
    told,
)
from tests.odds.seven_cards import strength7, strength7_numbers

KIB = 1024
SECONDS = 3.0
ENGINES = {"numpy": engine(True), "plain": engine(False)}

Question = tuple[int, int, list[int]]
"""Known cards, state, unseen cards by point class."""


def baccarat() -> list[Mark]:
    """Fresh solves against nested loops, and the updates of a whole round against one fresh solve."""
    dice = random.Random(1)
    rounds = [_round(dice, dice.randint(1, 8)) for _ in range(200)]
    if any(nested_loops(known[0][2]) != ENGINES["plain"](*known[0]) for known in rounds[:3]):
        raise SystemExit("the peer counts something else")
    shoes = {name: cycle([known[0][2] for known in rounds]) for name in ("peer", *ENGINES)}
    whole = {name: cycle([known[1:] for known in rounds]) for name in ENGINES}
    candidates: dict[str, Callable[[], object]] = {"peer": lambda: nested_loops(next(shoes["peer"]))}
    for name, solve in ENGINES.items():
        candidates[f"{name} fresh"] = lambda solve=solve, name=name: solve(0, 0, next(shoes[name]))
        candidates[f"{name} round"] = lambda solve=solve, name=name: [
            solve(*ask) for ask in next(whole[name])
        ]
    took = interleaved_s(candidates, seconds=2 * SECONDS)
    marks = []
    for name, least in (("numpy", 250), ("plain", 15)):
        fresh, updates, peer = took[f"{name} fresh"], took[f"{name} round"], took["peer"]
        what = f"baccarat, before the deal, {name}"
        marks.append(Mark(what, in_words(fresh), f"nested loops {in_words(peer)}", peer / fresh, least, True))
        what = f"baccarat, all updates of a round, {name}"
        marks.append(Mark(what, in_words(updates), f"one fresh {in_words(fresh)}", updates / fresh, 3, False))
    return marks


def _round(dice: random.Random, decks: int) -> list[Question]:
    """The questions of one round from a shoe that is dealt down to some point."""
    shoe = [POINTS[card[0]] for card in DECK_52] * decks
    dice.shuffle(shoe)
    left = shoe[: dice.randint(26, len(shoe))]
    dealt: list[int] = []
    questions = []
    while outcome(dealt) is None and len(dealt) < 5:
        questions.append((len(dealt), state_of(dealt), [left.count(points) for points in range(10)]))
        dealt.append(left.pop())
    return questions


def strength() -> list[Mark]:
    """Hold'em strength against a loop of showdowns."""
    hands = {"three suits": "AS KD QH 7C 2D", "two suits": "9S 8S 7S 6S 2D", "one suit": "AS KD QS 7S 2S"}
    marks = []
    for name, text in hands.items():
        dealt = [Card(card) for card in text.split()]
        hole, flop = dealt[:2], dealt[2:]
        numbers = [phevaluator_number(card) for card in dealt]
        ours = astuple(holdem_strength({"hand1": hole}, flop)["hand1"])
        if every_showdown(numbers[:2], numbers[2:]) != ours[:3]:
            raise SystemExit("the peer counts something else")
        took = interleaved_s(
            {
                "peer": lambda numbers=numbers: every_showdown(numbers[:2], numbers[2:]),
                "ours": lambda hole=hole, flop=flop: holdem_strength({"hand1": hole}, flop),
            },
            seconds=SECONDS,
        )
        loop = f"loop over phevaluator {in_words(took['peer'])}"
        ratio = took["peer"] / took["ours"]
        marks.append(
            Mark(f"hold'em strength, flop of {name}", in_words(took["ours"]), loop, ratio, 150, True)
        )
    return marks


def seven() -> list[Mark]:
    """One call for seven cards against phevaluator's public call, with numbers and with text."""
    dice = random.Random(2)
    hands = [dice.sample(DECK_52, 7) for _ in range(1000)]
    ours = [[DECK_52.index(card) for card in hand] for hand in hands]
    theirs = [[phevaluator_number(card) for card in hand] for hand in hands]
    texts = [[phevaluator_text(card) for card in hand] for hand in hands]
    took = interleaved_s(
        {
            "numbers": _each(strength7_numbers, ours),
            "peer numbers": _each(evaluate_cards, theirs),
            "text": _each(strength7, hands),
            "peer text": _each(evaluate_cards, texts),
        },
        seconds=SECONDS,
    )
    marks = []
    for form in ("numbers", "text"):
        call, peer = took[form] / len(hands), took[f"peer {form}"] / len(hands)
        what = f"seven cards, one call in plain Python, {form}"
        marks.append(Mark(what, in_words(call), f"phevaluator {in_words(peer)}", peer / call, 1.5, True))
    return marks


def _each(call: Callable[..., object], hands: Sequence[Sequence[object]]) -> Callable[[], object]:
    """A call for every hand."""

    def run() -> None:
        for hand in hands:
            call(*hand)

    return run


def sizes_and_imports() -> list[Mark]:
    """The tables, what an import costs, and a thousand lines from the start of the interpreter."""
    folder = Path(tables.__file__).parent
    size = sum(path.stat().st_size for path in folder.glob("*.bin"))
    seven_size = 2 * sum(TABLE_LENGTHS.values())
    marks = [
        Mark("tables as stored, KiB", f"{size} bytes", "512 KiB", size / KIB, 512, False),
        Mark(
            "table of seven cards in memory, KiB",
            f"{seven_size} bytes",
            "256 KiB",
            seven_size / KIB,
            256,
            False,
        ),
    ]
    took = interleaved_s(
        {
            "nothing": _python("pass"),
            "numpy": _python("import numpy"),
            "odds": _python("import controller.odds.baccarat, controller.odds.casino_holdem"),
        },
        seconds=2 * SECONDS,
        clock=children_s,
    )
    numpy, odds = took["numpy"] - took["nothing"], took["odds"] - took["nothing"]
    marks.append(
        Mark(
            "import of controller.odds", in_words(odds), f"numpy {in_words(numpy)}", odds / numpy, 1.3, False
        )
    )
    lines = interleaved_s({"lines": _batch(_thousand_lines())}, seconds=SECONDS, clock=children_s)["lines"]
    marks.append(Mark("1,000 baccarat lines with start, s", in_words(lines), "5 s", lines, 5, False))
    return marks


def _thousand_lines() -> bytes:
    """Questions from shoes of every depth, after no to four cards."""
    dice = random.Random(3)
    lines = []
    for _ in range(1000):
        shoe = dice.sample(DECK_52 * 8, 60 + dice.randrange(300))
        dealt = [shoe.pop() for _ in range(dice.randrange(5))]
        remaining = {rank: sum(card[0] == rank for card in shoe) for rank in RANKS}
        lines.append(json.dumps({"game": "baccarat", "remaining": remaining, "dealt": dealt}))
    return "\n".join(lines).encode()


def _batch(lines: bytes) -> Callable[[], object]:
    """The program, asked these lines."""
    command = [sys.executable, "-m", "controller", "odds", "--batch"]

    def run() -> None:
        answers = subprocess.run(command, input=lines, check=True, timeout=120, stdout=subprocess.PIPE).stdout
        if answers.count(b"\n") != 1000 or b"error" in answers:
            raise SystemExit("not every line was answered")

    return run


def _python(code: str) -> Callable[[], object]:
    """A fresh interpreter that runs some code."""
    return lambda: subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


def growth() -> Grown:
    """How the cost of a solve grows with decks and known cards, by engine."""
    dice = random.Random(4)
    rows = []
    for decks in (1, 2, 4, 6, 8):
        rounds = [_round(dice, decks) for _ in range(100)]
        for name, solve in ENGINES.items():
            asked = {
                f"{known}": cycle([questions[known] for questions in rounds if len(questions) > known])
                for known in range(5)
            }
            candidates = {
                known: lambda ask=ask, solve=solve: solve(*next(ask)) for known, ask in asked.items()
            }
            took = interleaved_s(candidates, seconds=0.5)
            rows.append((str(decks), name, *(f"{took[known] * 1e6:.1f}" for known in asked)))
    title = "baccarat: one solve in us, by decks, engine and known cards"
    return Grown(title, ("decks", "engine", "0", "1", "2", "3", "4"), rows)


def main() -> int:
    """Measure, print, and say whether every mark was reached."""
    chosen = part_arguments("odds", __doc__).parse_args()
    return told(chosen.json, [*baccarat(), *strength(), *seven(), *sizes_and_imports()], [growth()])


if __name__ == "__main__":
    in_one_thread("tests.bench.odds")
    raise SystemExit(main())
