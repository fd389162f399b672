"""The marks of plain cards: ``python -m tests.bench.plain_cards [--frames N] [--json FILE]``.

A deck of our own is learnt and read in the conditions of `tests.plain.spoiled`, in pictures of 640 x 480, in
turn with a plain template match of the same library. The time is of the processor, one thread; the mark of 8
ms is for a machine of the class of a Raspberry Pi 5. Cards that nobody here drew are counted by `make cards`.
Run from the root of the repository.
"""

from __future__ import annotations

import secrets
import time
from statistics import median

import cv2
import numpy as np

from drivers.camera.plain.drawing import face_of
from drivers.camera.plain.learn import learn
from drivers.camera.plain.reader import DeckReader
from drivers.camera.plain.scene import Camera
from drivers.camera.plain.simulator import drawn_pictures
from tests.bench.timing import Mark, in_one_thread, in_words, part_arguments, told
from tests.plain.spoiled import CONDITIONS, picture
from tests.plain.template import best_match

FRAMES, MOST_S = 6, 0.008


def measure(seed: int, frames: int) -> tuple[list[Mark], dict[str, object]]:
    """Read so many pictures of each condition: marks, and figures."""
    dice = np.random.default_rng(seed)
    library = learn("drawn", drawn_pictures(Camera()))
    reader = DeckReader([library])
    cards = library.cards[: 4 * len(library.ranks)]
    ours, wrong, took, theirs = 0, 0, [], []
    matched: list[tuple[float, bool]] = []
    for condition in CONDITIONS.values():
        for _ in range(frames):
            card = str(dice.choice(cards))
            seen = picture(face_of(card), condition, dice)
            begun = time.thread_time()
            names = [one.name for one in reader.read(seen) if one.verdict == "card"]
            took.append(time.thread_time() - begun)
            begun = time.thread_time()
            named, score = best_match(library, seen)
            theirs.append(time.thread_time() - begun)
            matched.append((score, named == card))
            ours += names == [card]
            wrong += any(name != card for name in names)
    number = frames * len(CONDITIONS)
    least = max((score for score, right in matched if not right), default=0.0)
    plain = sum(right and score > least for score, right in matched)
    rate, peer, ms = ours / number, plain / number, median(took)
    marks = [
        Mark("plain cards read", f"{rate:.3f}", f"template {peer:.3f}", rate / max(peer, 1e-3), 3, True),
        Mark("time of a picture", in_words(ms), f"limit {in_words(MOST_S)}", ms / MOST_S, 1, False),
        Mark(
            "time of a picture",
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
