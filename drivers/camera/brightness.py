"""How bright ground and paper are in a picture."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from drivers.camera.wire import Light

GLARING = 250
"""Grey level: paper that is as bright has no print left."""
_BORDER = 10
"""Share of the picture's height, one in so many, that is its border."""
_EVERY = 4
"""Of the rows and columns one in so many is looked at."""


def light_of(picture: NDArray[np.uint8]) -> Light:
    """The light of a picture (grey, 8 bits): its ground is what most of its border shows."""
    grey = picture[::_EVERY, ::_EVERY]
    edge = max(1, min(grey.shape) // _BORDER)
    border = (grey[:edge], grey[-edge:], grey[:, :edge], grey[:, -edge:])
    ground = float(np.median(np.concatenate([part.ravel() for part in border])))
    brightest = int(grey.max())
    paper = grey[grey >= (ground + brightest) / 2]
    glare = float((paper >= GLARING).mean())
    return Light(
        round(ground),
        round(float(np.median(paper))),
        brightest,
        round(glare, 3),
        round(float(grey.mean()), 1),
    )
