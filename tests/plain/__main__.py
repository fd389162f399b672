"""Plain cards, counted: ``python -m tests.plain [--passages N] [--foreign N] [--minutes M]``, or ``make
cards``.

Cards of the designs of two Debian packages (`tests.plain.designs`) pass a camera in one of the conditions of
`tests.plain.spoiled`, from fresh seeds. Each design is learnt from one picture of each card. Counted are
passages (what the shoe shows of one card) and single pictures: read, and read as another card, with the exact
upper bound at 95 % (R42). A part of the designs was kept apart while the reader was written (`APART`); both
figures are printed. Every tenth picture, as long as they are few, is also read by a plain template match with
the same library. Then come cards of designs that were not learnt: how many passages of each were taken for a
card.

The run may be stopped at any time and goes on where it was: each chunk is a line of a file below
`build/plain-cards`, named after a digest of the reader and of the conditions, so that figures of other code
never mix with these. ``--keep`` adds the chunks to `tests/plain/counted.json`, from which the next machine
goes on. Exit status 1 where a card was taken for another, or passages are left. Run from the root of the
repository.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import secrets
import sys
import time
from collections import Counter
from pathlib import Path

import cv2
import numpy as np

from drivers.camera.measured import upper_bound
from drivers.camera.plain.learn import CannotLearn, learn, whole_card
from drivers.camera.plain.library import Library, LibraryUnusable, load, save
from drivers.camera.plain.reader import DeckReader
from tests.bench.timing import in_one_thread, table
from tests.plain.designs import FOLDER, CardsMissing, faces, names
from tests.plain.passing import DECK, judged, passage, read
from tests.plain.spoiled import CONDITIONS, GOOD, one_pass
from tests.plain.template import best_match

PASSAGES, FOREIGN, CHUNK = 60_000, 1_000, 20
"""Passages in all, passages of each design that was not learnt, passages of a chunk."""
FOREIGN_DESIGNS, FOREIGN_EVERY = 20, 4
"""One chunk in so many is of designs that were not learnt."""
TEMPLATE_EVERY, TEMPLATE_MOST = 10, 2_000
"""A template match takes many times as long as we do, and its rate is known by then."""
COUNTED = Path("tests/plain/counted.json")
SAME_DRAWINGS = (
    {"anglo", "anglo_bitmap", "gnomangelo", "gnomangelo_bitmap"},
    {"anglo_modern", "anglo_modern_4_color"},
    {"berlin", "lattmann", "rheinland"},
    {"atlasnye", "atlasnye_skat", "Атласные"},
    {"neoclassical", "neoclassical_4_color"},
    {"ornamental", "nicu-ornamental", "nicu-white"},
    {"paris", "gm-paris"},
    {"dondorf"},
    {"tigullio", "tigullio-international"},
    {"oxygen", "oxygen-air", "oxygen-white"},
)
"""Designs with the same index and pips: nobody who looks at a single card can tell them apart, so neither is
foreign to the other."""


APART = frozenset(
    {
        "gnome/ancient_french",
        "gnome/paris",
        "kde/ancient-egyptians",
        "kde/gm-paris",
        "kde/konqi-modern",
        "kde/oxygen",
        "kde/oxygen-air",
        "kde/oxygen-white",
        "kde/penguins",
        "kde/standard",
        "kde/xskat-german",
    }
)
"""Designs that were not looked at while the reader was written. Drawn by the seed "plain cards, 27 November
2026" from the families of which none had been looked at by then."""


def apart(design: str) -> bool:
    """Whether a design was not looked at while the reader was written."""
    return design in APART


def code_digest() -> str:
    """What the figures depend on: reader, passage, conditions, OpenCV and numpy."""
    whole = hashlib.sha256(f"{cv2.__version__} {np.__version__}".encode())
    for path in (*sorted(Path("drivers/camera/plain").glob("*.py")), Path("drivers/camera/passage.py")):
        if path.stem not in ("drawing", "simulator", "lessons"):
            whole.update(path.read_bytes())
    for name in ("passing", "spoiled", "template"):
        whole.update(Path(f"tests/plain/{name}.py").read_bytes())
    return whole.hexdigest()[:12]


class Measured:
    """The designs, their libraries and what was counted so far."""

    def __init__(self) -> None:
        self.folder = FOLDER / code_digest()
        self.folder.mkdir(parents=True, exist_ok=True)
        self._file = self.folder / "chunks.jsonl"
        kept = json.loads(COUNTED.read_text()) if COUNTED.exists() else {}
        self.counts: Counter[str] = Counter(kept["counts"] if kept.get("digest") == self.folder.name else {})
        for line in self._file.read_text().splitlines() if self._file.exists() else ():
            try:
                self.counts.update(json.loads(line)["counts"])
            except (ValueError, KeyError):
                print(f"{self._file}: a line that is no chunk is left out", file=sys.stderr)

    def library(self, design: str) -> Library | None:
        """Learnt once and kept; None for a design that has no index, or does not trust itself."""
        file = self.folder / f"{design.replace('/', '-')}.deck"
        doubts = file.with_suffix(".doubts")
        try:
            if not file.exists() and not doubts.exists():
                dice = np.random.default_rng(secrets.randbits(48))
                pictures = {card: one_pass(face, dice, 1) for card, face in faces(design).items()}
                # As a technician is told: a back without a bright edge is left out.
                seen = {c: shown for c, shown in pictures.items() if c in DECK or whole_card(shown[0])}
                save(learn(design, seen), file)
            library = load(file)
            return library if library.trusted else None
        except (CannotLearn, CardsMissing) as problem:
            doubts.write_text(str(problem))
        except LibraryUnusable:
            pass
        return None

    def keep_for_ever(self) -> None:
        """What was counted here and before goes on from the repository. Nothing may count meanwhile."""
        kept = {"digest": self.folder.name, "counts": dict(sorted(self.counts.items()))}
        COUNTED.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n")
        self._file.unlink(missing_ok=True)

    def keep(self, seed: int, counts: Counter[str]) -> None:
        with self._file.open("a", encoding="utf-8") as lines:
            lines.write(json.dumps({"seed": seed, "counts": counts}) + "\n")
        self.counts += counts


def chunk(measured: Measured, design: str, library: Library, dice: np.random.Generator) -> Counter[str]:
    """Passages of one design before a camera that has learnt another one, or the same."""
    same, counts, reader = library.name == design, Counter[str](), DeckReader([library])
    where = ("apart" if apart(design) else "known") if same else "foreign"
    cards = [card for card in faces(design) if card in DECK]
    for _ in range(CHUNK):
        card, condition = str(dice.choice(cards)), str(dice.choice(list(CONDITIONS)))
        pictures = passage(faces(design)[card], condition, dice)
        found, told = read(reader, pictures)
        for what, number in judged(card if same else "", condition, found, told).items():
            counts[f"{where} {what}"] += number
        if not same:
            counts[f"foreign design {design}"] += 1
        few = measured.counts["template frames"] < TEMPLATE_MOST
        if same and few and dice.random() < len(pictures) / TEMPLATE_EVERY:
            at = int(dice.integers(len(pictures)))
            named, score = best_match(library, pictures[at])
            counts["template frames"] += 1
            counts["template ours"] += [one.name for one in found[at]] == [card]
            counts[f"template {'right' if named == card else 'wrong'} {math.floor(score * 100)}"] += 1
    return counts


def template_rate(counts: Counter[str]) -> float:
    """The share that a template match reads where its threshold lets no wrong card through."""
    wrong = [int(key.rpartition(" ")[2]) for key in counts if key.startswith("template wrong")]
    least = max(wrong, default=-1)
    right = sum(
        n for key, n in counts.items() if key.startswith("template right") and int(key.split()[2]) > least
    )
    return right / max(counts["template frames"], 1)


def go_on(passages: int, foreign: int, minutes: float, begins: str) -> Measured:
    """Count until there are so many, or the time is over."""
    measured, until = Measured(), time.monotonic() + minutes * 60
    every = [name for name in names() if name.startswith(begins)]
    turn = secrets.randbelow(len(every))
    while time.monotonic() < until:
        counts = measured.counts
        left = passages - counts["known passages"] - counts["apart passages"]
        strangers = {name: foreign - counts[f"foreign design {name}"] for name in every}
        done = sorted(strangers, key=lambda name: strangers[name])[:FOREIGN_DESIGNS]
        strange = [name for name in done if strangers[name] > 0]
        if left <= 0 and not strange:
            break
        turn += 1
        design = every[turn % len(every)]
        if not drawn(design):
            every.remove(design)
            continue
        seed = secrets.randbits(48)
        dice = np.random.default_rng(seed)
        library = measured.library(design)
        if library is None:
            continue
        if strange and (left <= 0 or turn % FOREIGN_EVERY == 0):
            other = next((name for name in dice.permutation(strange) if not alike(design, name)), None)
            if other is not None and drawn(str(other)):
                measured.keep(seed, chunk(measured, str(other), library, dice))
        elif left > 0:
            measured.keep(seed, chunk(measured, design, library, dice))
    return measured


def drawn(design: str) -> bool:
    """Whether librsvg draws it on this machine: it does not draw every one."""
    try:
        return len(faces(design)) > 0
    except CardsMissing as problem:
        print(f"{design} is left out: {problem}", file=sys.stderr)
        return False


def alike(one: str, other: str) -> bool:
    """Whether two designs have the same drawings."""
    short, long = one.partition("/")[2], other.partition("/")[2]
    return short == long or any(short in family and long in family for family in SAME_DRAWINGS)


def rows(counts: Counter[str]) -> list[tuple[str, ...]]:
    """Passages and pictures of both kinds of designs, for people."""
    found: list[tuple[str, ...]] = []
    for where in ("known", "apart", "foreign"):
        for what, all_, good in (("passages", "passages", "right"), ("pictures", "frames", "frames right")):
            number = counts[f"{where} {all_}"]
            wrong = counts[f"{where} {'wrong' if what == 'passages' else 'frames wrong'}"]
            if number:
                share = "" if where == "foreign" else f"{counts[f'{where} {good}'] / number:.4f}"
                found.append(
                    (where, what, str(number), share, str(wrong), f"{upper_bound(wrong, number):.1e}")
                )
    return found


def _share(counts: Counter[str], frames: str) -> str:
    return f"{counts[f'{frames} right'] / counts[frames]:.3f}" if counts[frames] else ""


def main() -> int:
    """Go on, print, and say whether no card was taken for another in as many passages as were asked for."""
    parser = argparse.ArgumentParser(prog="python -m tests.plain", description=__doc__)
    parser.add_argument(
        "--passages", type=int, default=PASSAGES, metavar="N", help="in all, earlier ones too"
    )
    parser.add_argument("--foreign", type=int, default=FOREIGN, metavar="N", help="of each of twenty designs")
    parser.add_argument(
        "--designs", default="", metavar="BEGIN", help="only those whose names begin so: gnome"
    )
    parser.add_argument("--minutes", type=float, default=math.inf, metavar="M", help="stop after that")
    parser.add_argument("--keep", action="store_true", help="put what was counted into the repository")
    chosen = parser.parse_args()
    cv2.setNumThreads(1)
    try:
        measured = go_on(chosen.passages, chosen.foreign, chosen.minutes, chosen.designs)
    except CardsMissing as problem:
        print(f"the cards are missing: {problem}", file=sys.stderr)
        return 2
    if chosen.keep:
        measured.keep_for_ever()
    counts = measured.counts
    print(table(("designs", "what", "number", "read", "wrong", "95 %: below"), rows(counts)))
    kinds = ("known", "apart")
    by_condition = [
        (name, *(_share(counts, f"{kind} frames {name}") for kind in kinds)) for name in CONDITIONS
    ]
    print(table(("pictures read by condition", *kinds), by_condition))
    ours, theirs = counts["template ours"] / max(counts["template frames"], 1), template_rate(counts)
    print(f"of {counts['template frames']} pictures ours read {ours:.3f}, a template match {theirs:.3f}")
    print(f"good pictures are those in the condition {GOOD!r}; the chunks: {measured.folder}")
    wrong = sum(counts[f"{where} wrong"] for where in (*kinds, "foreign"))
    left = chosen.passages - counts["known passages"] - counts["apart passages"]
    if left > 0:
        print(f"stopped early: {left} of {chosen.passages} passages are left; the same command goes on")
    return 1 if wrong or left > 0 else 0


if __name__ == "__main__":
    in_one_thread("tests.plain")
    raise SystemExit(main())
