"""docs/reference/camera-reader.md: what was measured of the camera's reader."""

from __future__ import annotations

from drivers.camera.measured import WITH_CHECK_DIGIT, WITHOUT_CHECK_DIGIT, upper_bound
from making.pages.text import page, table

RATES = (
    ("ours: zxing-cpp and the rescue", "0.987", "8.5 ms"),
    ("zxing-cpp alone", "0.525", "3.4 ms"),
    ("pyzbar alone", "0.449", "20.4 ms"),
)
"""Of one run of `python -m tests.bench.camera`: reader, share read, median of the processor's time."""
RUN = "680 pictures from a fresh seed, on a loaded server of two cores"


def draw() -> str:
    """The page."""
    misreads = table(
        ("codes", "another text taken for the card's", "95 %: below"),
        (
            (codes, f"{m.taken} of {m.pictures:,}", f"{upper_bound(m.taken, m.pictures):.1e}")
            for codes, m in (
                ("with a strong check digit (here `mod37`), and the rescue", WITH_CHECK_DIGIT),
                ("without a check digit, and without the rescue", WITHOUT_CHECK_DIGIT),
            )
        ),
    )
    return page(
        "What the camera's reader reads",
        "Measured with rendered cards (Code 128, 3 pixels a module, pictures of 640 x 480 in 17 conditions: blur, noise,"
        " rotation, tilt, contrast, motion, scratches), not with a camera at a table. Only ratios carry over to another"
        " machine, and no figure to another mark; if it matters, measure your own cards.\n",
        f"`python -m tests.bench.camera`, {RUN}:\n",
        table(("reader", "read", "median"), RATES),
        "zxing-cpp is the default decoder: it reads as much as pyzbar or more in a sixth of the time. The rescue finds"
        " the mark, straightens it, averages its rows and fits whole symbols to what is left; it needs a code with a"
        " strong check digit (`mod37`, `mod97`), one that catches every single wrong character, because a fit always yields"
        " some text. With a weaker one, or none, it stays off.\n",
        "Misreads in single pictures, none of them clean (`make misreads`: two hours; the run resumes where it was stopped)."
        " Of the pictures with a strong check digit 96.8 % were read; in three the reader saw another text, and the check"
        " digit rejected each. A card counts only when several pictures agree:\n",
        misreads,
        "`check-config` warns if a camera reads codes without a check digit, and names this rate; it also warns of a"
        " weak one.",
    )
