"""The obvious thing: OpenCV's `matchTemplate` with the signs of the same library over the whole picture.

It is given what it needs: the scale of the camera, and that a card lies across the exit, its head to one side
or the other. It says the best rank, the best suit and the lesser of their two likenesses.
"""

from __future__ import annotations

import cv2
import numpy as np

from drivers.camera.plain.flat import HEIGHT_PX
from drivers.camera.plain.library import SUITS, Library
from drivers.camera.plain.outline import Picture, brightness


def best_match(library: Library, picture: Picture) -> tuple[str, float]:
    """The card of a picture and how like its signs are."""
    upright = cv2.rotate(255 - brightness(picture), cv2.ROTATE_90_COUNTERCLOCKWISE)
    scale = library.height_px / HEIGHT_PX
    found = []
    for turned in (upright, cv2.rotate(upright, cv2.ROTATE_180)):
        names, scores = [], []
        for signs, words in ((library.index.ranks, library.ranks), (library.index.suits, SUITS)):
            sized = [
                cv2.resize(sign, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA) for sign in signs
            ]
            likeness = [float(cv2.matchTemplate(turned, sign, cv2.TM_CCOEFF_NORMED).max()) for sign in sized]
            names.append(words[int(np.argmax(likeness)) % len(words)])  # a sign may have several forms
            scores.append(max(likeness))
        found.append((min(scores), "".join(names)))
    score, card = max(found)
    return card, score
