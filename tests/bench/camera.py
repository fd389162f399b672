"""The marks of the camera: ``python -m tests.bench.camera [--frames N] [--json FILE]``.

One run draws a corpus from a fresh seed (17 conditions, 3 pixels a module, 640 x 480 pixels), reads every
picture with each reader in turn, and prints rates, medians and ratios; only the ratios carry over to another
machine. Times are of the processor, one thread. Exit status 1 where a mark is missed. Run from the root of
the repository. Misreads are counted by `tests.bench.misreads`.
"""

from __future__ import annotations

import secrets
import time
from collections import Counter
from collections.abc import Callable
from statistics import median

import cv2
import numpy as np
import zxingcpp
from pyzbar import pyzbar

from drivers.camera import CameraShoe
from drivers.camera.decode import MarkReader
from drivers.camera.rendering import Optics, Picture
from tests.bench.corpus import CONDITIONS, code, drawn, scene
from tests.bench.timing import Grown, Mark, in_one_thread, in_words, part_arguments, told

Reader = Callable[[Picture], list[str]]
OURS, PLAIN, PEER = "zxing-cpp + rescue", "zxing-cpp", "pyzbar"
FRAMES = 40


def texts_by(settings: CameraShoe) -> Reader:
    """The reader of a camera shoe, as texts."""
    reader = MarkReader(settings)
    return lambda seen: [mark.text for mark in reader.read(seen)]


def readers() -> dict[str, Reader]:
    """Each reader as one would use it: symbologies restricted, everything else as it comes."""

    return {
        PEER: lambda seen: [
            found.data.decode() for found in pyzbar.decode(seen, symbols=[pyzbar.ZBarSymbol.CODE128])
        ],
        PLAIN: lambda seen: [
            found.text
            for found in zxingcpp.read_barcodes(
                seen, formats=zxingcpp.BarcodeFormats(zxingcpp.BarcodeFormat.Code128)
            )
        ],
        "pyzbar + rescue": texts_by(CameraShoe(source="-", decoder="pyzbar", rescue=True)),
        OURS: texts_by(CameraShoe(source="-", rescue=True)),
    }


def measure(seed: int, frames: int) -> tuple[list[tuple[str, ...]], list[Mark], dict[str, object]]:
    """Read so many pictures of each condition with each reader: rows by condition, marks, figures."""
    dice, each = np.random.default_rng(seed), readers()
    right: dict[str, Counter[str]] = {name: Counter() for name in each}
    wrong: Counter[str] = Counter()
    took: dict[str, list[float]] = {name: [] for name in each}
    blank = np.full((480, 640), 128, np.uint8)
    for read in each.values():
        read(drawn(code(dice), scene(dice, Optics(blur_px=2.6)), dice))
        read(blank)
    for number in range(frames):
        for condition, make in CONDITIONS.items():
            text = code(dice)
            seen = drawn(text, make(dice), dice)
            names = list(each)
            for name in names[number % len(names) :] + names[: number % len(names)]:
                begun = time.thread_time()
                texts = each[name](seen)
                took[name].append(time.thread_time() - begun)
                right[name][condition] += text in texts
                wrong[name] += any(other != text for other in texts)
    rows = [
        (condition, *(f"{right[name][condition] / frames:.2f}" for name in each)) for condition in CONDITIONS
    ]
    total = frames * len(CONDITIONS)
    rate = {name: right[name].total() / total for name in each}
    ms = {name: median(took[name]) for name in each}
    rows += [
        ("all", *(f"{rate[name]:.3f}" for name in each)),
        ("median", *(in_words(ms[name]) for name in each)),
        ("mean", *(in_words(sum(took[name]) / total) for name in each)),
        ("wrong texts", *(str(wrong[name]) for name in each)),
    ]
    ours = f"{rate[OURS]:.3f}"
    marks = [
        Mark("read rate", ours, f"pyzbar {rate[PEER]:.3f}", rate[OURS] / rate[PEER], 2, True),
        Mark("read rate", ours, f"zxing-cpp {rate[PLAIN]:.3f}", rate[OURS] / rate[PLAIN], 1.4, True),
        Mark(
            "median time", in_words(ms[OURS]), f"pyzbar {in_words(ms[PEER])}", ms[OURS] / ms[PEER], 0.5, False
        ),
    ]
    figures = {"seed": seed, "frames": total, "rate": rate, "median_s": ms, "wrong": dict(wrong)}
    return rows, marks, figures


def main() -> int:
    """Measure, print, and say whether every mark was reached."""
    parser = part_arguments("camera", __doc__)
    parser.add_argument("--frames", type=int, default=FRAMES, metavar="N", help="pictures of each condition")
    parser.add_argument("--seed", type=int, default=secrets.randbits(32), help="a fresh one unless said")
    chosen = parser.parse_args()
    cv2.setNumThreads(1)
    print(f"seed {chosen.seed}")
    by_condition, marks, figures = measure(chosen.seed, chosen.frames)
    return told(
        chosen.json, marks, [Grown("texts by condition", ("condition", *readers()), by_condition)], **figures
    )


if __name__ == "__main__":
    in_one_thread("tests.bench.camera")
    raise SystemExit(main())
