"""Accepted misreads: ``python -m tests.bench.misreads [--pictures N] [--minutes M] [--plain-every K]``.

Every picture is of a card with a check digit in its code, scratched or degraded in one of the ways of
`tests.bench.corpus`. It is read as a table with a check digit reads it (with the rescue), and every K-th
also as a table without one does. *Wrong* is another text than the card's, *accepted* a wrong one that the
check digit lets through. Printed are the counts and the exact upper bound of each rate at 95 % (R42).

The run may be stopped at any time and goes on where it was: each chunk is a line of a file below
`build/misreads`, named after a digest of the reader and of the corpus, so that figures of other code never
mix with these. Exit status 1 where a misread was accepted or pictures are missing. Run from the root of the
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
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from importlib.metadata import version
from multiprocessing import get_context
from pathlib import Path

import cv2
import numpy as np

from controller.shoe.code_map import decode
from drivers.camera import CameraShoe
from drivers.camera.measured import upper_bound
from tests.bench.camera import texts_by
from tests.bench.corpus import CARDS, code, degraded, drawn
from tests.bench.timing import in_one_thread, table

PICTURES, CHUNK, PLAIN_EVERY = 300_000, 250, 5
WITHOUT = "without"
"""Before the name of what is counted where the code map has no check digit."""
_CAMERA = ("code128", "decode", "fit", "maps", "rendering", "straighten", "symbols")
_LIBRARIES = ("numpy", "opencv-python-headless", "zxing-cpp")


def code_digest() -> str:
    """What reader and corpus depend on: their sources and the versions of their libraries."""
    whole = hashlib.sha256()
    for path in (*(f"drivers/camera/{name}.py" for name in _CAMERA), "tests/bench/corpus.py"):
        whole.update(Path(path).read_bytes())
    whole.update(" ".join(version(library) for library in _LIBRARIES).encode())
    return whole.hexdigest()[:12]


def chunk(job: tuple[int, int, int]) -> Counter[str]:
    """So many pictures from one seed, every so many-th also without a check digit."""
    seed, pictures, plain_every = job
    cv2.setNumThreads(1)
    dice = np.random.default_rng(seed)
    ours, plain = texts_by(CameraShoe(source="-", rescue=True)), texts_by(CameraShoe(source="-"))
    counts: Counter[str] = Counter(pictures=pictures)
    for number in range(pictures):
        text = code(dice)
        seen = drawn(text, degraded(dice), dice)
        counts += judged(text, ours(seen))
        if plain_every and number % plain_every == 0:
            counts[f"{WITHOUT} pictures"] += 1
            counts.update({f"{WITHOUT} {what}": n for what, n in judged(text, plain(seen)).items()})
    return counts


def judged(text: str, texts: list[str]) -> Counter[str]:
    """What the texts of one picture of a card are: right, unread, wrong, accepted."""
    others = [other for other in texts if other and other != text]
    counts = Counter({"right": int(text in texts), "unread": int(not any(texts)), "wrong": int(bool(others))})
    counts["accepted"] = int(any(decode(CARDS, other).verdict == "card" for other in others))
    return +counts


def kept(file: Path) -> Counter[str]:
    """The sum of the chunks so far; a last line that was cut off is none."""
    counts: Counter[str] = Counter()
    for line in file.read_text().splitlines() if file.exists() else ():
        try:
            counts.update(json.loads(line)["counts"])
        except (ValueError, KeyError):
            print(f"{file}: a line that is no chunk is left out", file=sys.stderr)
    return counts


def go_on(file: Path, pictures: int, plain_every: int, workers: int, until: float) -> Counter[str]:
    """Read chunks until there are so many pictures or the time (monotonic) is over; each is kept at once."""
    counts = kept(file)
    file.parent.mkdir(parents=True, exist_ok=True)
    running: dict[Future[Counter[str]], int] = {}
    # spawn: a fork of a process with threads (a test's, OpenCV's) may never wake.
    spawn = get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=spawn) as pool, file.open("a", encoding="utf-8") as lines:
        while True:
            waiting = counts["pictures"] + len(running) * CHUNK
            while len(running) < workers and waiting < pictures and time.monotonic() < until:
                seed = secrets.randbits(48)
                running[pool.submit(chunk, (seed, min(CHUNK, pictures - waiting), plain_every))] = seed
                waiting += CHUNK
            if not running:
                return counts
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                more, seed = future.result(), running.pop(future)
                lines.write(json.dumps({"seed": seed, "counts": more}) + "\n")
                lines.flush()
                counts += more
                if counts["pictures"] // CHUNK % 40 == 0:
                    print(f"{counts['pictures']} pictures: {dict(counts)}", file=sys.stderr, flush=True)


def rows(counts: Counter[str]) -> list[tuple[str, ...]]:
    """Counts, rates and bounds of both ways, for people."""
    found: list[tuple[str, ...]] = []
    for way, prefix, whats in (
        ("with a check digit", "", ("wrong", "accepted")),
        ("without one", f"{WITHOUT} ", ("wrong",)),
    ):
        pictures = counts[f"{prefix}pictures"]
        for what in whats if pictures else ():
            events = counts[f"{prefix}{what}"]
            bound = f"{upper_bound(events, pictures):.2e}"
            found.append((way, what, str(events), str(pictures), f"{events / pictures:.2e}", bound))
    return found


def main() -> int:
    """Go on, print, and say whether no misread was accepted in as many pictures as were asked for."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.misreads", description=__doc__)
    parser.add_argument(
        "--pictures", type=int, default=PICTURES, metavar="N", help="in all, earlier ones too"
    )
    parser.add_argument("--minutes", type=float, default=math.inf, metavar="M", help="stop after that")
    parser.add_argument("--plain-every", type=int, default=PLAIN_EVERY, metavar="K", help="0: never")
    parser.add_argument("--workers", type=int, default=1, metavar="N")
    parser.add_argument("--folder", type=Path, default=Path("build/misreads"))
    chosen = parser.parse_args()
    file = chosen.folder / f"{code_digest()}.jsonl"
    until = time.monotonic() + chosen.minutes * 60
    counts = go_on(file, chosen.pictures, chosen.plain_every, chosen.workers, until)
    print(table(("codes", "texts", "number", "pictures", "rate", "upper bound, 95 %"), rows(counts)))
    if counts["pictures"]:
        print(f"read with a check digit: {counts['right'] / counts['pictures']:.3f}; the chunks: {file}")
    left = chosen.pictures - counts["pictures"]
    if left > 0:
        print(f"stopped early: {left} of {chosen.pictures} pictures are left; the same command goes on")
    return 1 if counts["accepted"] or left > 0 else 0


if __name__ == "__main__":
    in_one_thread("tests.bench.misreads")
    raise SystemExit(main())
