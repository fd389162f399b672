"""The marks of plain cards: ``python -m tests.bench.plain_cards [--frames N] [--json FILE]``.

A deck of our own is learnt and read in the conditions of `tests.plain.spoiled`, in pictures of 640 x 480, in
turn with a plain template match of the same library. The time is of the processor, one thread, and for ours
all that the eye does with a picture once a camera has given it; the mark of 8 ms is for a machine of the
class of a Raspberry Pi 5. Each picture is looked at several times and its least time counts: what else runs
on the machine makes a picture slower and never faster. Cards that nobody here drew are counted by `make
cards`. Run from the root of the repository.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Sequence
from statistics import fmean, median

import cv2
import numpy as np

from drivers.camera.plain.drawing import face_of
from drivers.camera.plain.learn import learn
from drivers.camera.plain.marks import marks_of
from drivers.camera.plain.outline import Picture
from drivers.camera.plain.reader import DeckReader
from drivers.camera.plain.scene import Camera, seen
from drivers.camera.plain.simulator import drawn_pictures
from drivers.camera.sight import Sight
from drivers.camera.view import View
from drivers.camera.wire import Mark as Seen
from drivers.camera.wire import line_of
from tests.bench.timing import Mark, in_one_thread, in_words, part_arguments, told
from tests.plain.spoiled import CONDITIONS, picture
from tests.plain.template import best_match

FRAMES, MOST_S = 6, 0.008
TIMES = 8
"""So often each picture is looked at."""
WITH_CARD, OF = 10, 60
"""Pictures of a second that show a card, where one passes each second and sixty pictures are taken: no shoe
is dealt from faster for long, and between rounds there is none at all."""


class Watch:
    """An eye that knows the empty view, and how long it takes for a picture."""

    def __init__(self, reader: DeckReader, dice: np.random.Generator) -> None:
        self._sight = Sight(Learnt(reader), View(60, 1.0, 0.0))
        self.empty = [seen([], Camera(), dice) for _ in range(10)]
        self.least(self.empty)

    def least(self, pictures: Sequence[Picture]) -> list[float]:
        """The least seconds of the processor for each, of so many rounds over all of them."""
        rounds = [[self._s(picture) for picture in pictures] for _ in range(TIMES)]
        return [min(took) for took in zip(*rounds, strict=True)]

    def _s(self, picture: Picture) -> float:
        begun = time.thread_time()
        line_of(self._sight.of("", picture)[0])
        return time.thread_time() - begun


class Learnt:
    """The reader of plain cards, without a library's file."""

    def __init__(self, reader: DeckReader) -> None:
        self._reader = reader

    def read(self, picture: Picture, present: bool = True) -> tuple[Seen, ...]:
        """As PlainCards does."""
        return marks_of(self._reader.read(picture)) if present else ()


def measure(seed: int, frames: int) -> tuple[list[Mark], dict[str, object]]:
    """Read so many pictures of each condition: marks, and figures."""
    dice = np.random.default_rng(seed)
    library = learn("drawn", drawn_pictures(Camera()))
    reader = DeckReader([library])
    cards = library.cards[: 4 * len(library.ranks)]
    watch = Watch(reader, dice)
    ours, wrong, pictures, theirs = 0, 0, [], []
    matched: list[tuple[float, bool]] = []
    for condition in CONDITIONS.values():
        for _ in range(frames):
            card = str(dice.choice(cards))
            shown = picture(face_of(card), condition, dice)
            names = [one.name for one in reader.read(shown) if one.verdict == "card"]
            pictures.append(shown)
            begun = time.thread_time()
            named, score = best_match(library, shown)
            theirs.append(time.thread_time() - begun)
            matched.append((score, named == card))
            ours += names == [card]
            wrong += any(name != card for name in names)
    took = watch.least(pictures)
    number = frames * len(CONDITIONS)
    least = max((score for score, right in matched if not right), default=0.0)
    plain = sum(right and score > least for score, right in matched)
    rate, peer, ms = ours / number, plain / number, median(took)
    empty = median(watch.least(watch.empty))
    mean = (WITH_CARD * fmean(took) + (OF - WITH_CARD) * empty) / OF
    marks = [
        Mark("plain cards read", f"{rate:.3f}", f"template {peer:.3f}", rate / max(peer, 1e-3), 3, True),
        *(
            Mark(what, in_words(taken), f"limit {in_words(MOST_S)}", taken / MOST_S, 1, False)
            for what, taken in (
                ("time of a picture with a card", ms),
                ("time of an empty picture", empty),
                (f"mean time, {WITH_CARD} of {OF} with a card", mean),
            )
        ),
        Mark(
            "time of a picture with a card",
            in_words(ms),
            f"template {in_words(median(theirs))}",
            ms / median(theirs),
            0.5,
            False,
        ),
    ]
    return marks, {"seed": seed, "frames": number, "wrong": wrong}


def main() -> int:
    """Measure, print, and say whether every mark was reached."""
    parser = part_arguments("plain_cards", __doc__)
    parser.add_argument("--frames", type=int, default=FRAMES, metavar="N", help="pictures of each condition")
    parser.add_argument("--seed", type=int, default=secrets.randbits(32), help="a fresh one unless said")
    chosen = parser.parse_args()
    cv2.setNumThreads(1)
    print(f"seed {chosen.seed}")
    marks, figures = measure(chosen.seed, chosen.frames)
    return told(chosen.json, marks, [], **figures)


if __name__ == "__main__":
    in_one_thread("tests.bench.plain_cards")
    raise SystemExit(main())
