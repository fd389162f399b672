"""The named defects, as data: ``defects/*.toml``, one table a defect.

A defect says where (``file``), what stands there (``old``, exactly once), what would stand there by mistake
(``new``), and which tests must notice (``tests``).
"""

from __future__ import annotations

import ast
import tomllib
from dataclasses import dataclass
from pathlib import Path

from controller.games.paytable import from_json, sealed_toml

HOUSE = Path(__file__).resolve().parents[2]
FOLDER = Path(__file__).parent / "defects"


class DefectError(Exception):
    """A defect that cannot be applied; the message names it and says why."""


@dataclass(frozen=True)
class Defect:
    """One mistake that somebody could make."""

    name: str
    file: str
    """Path below the house."""
    old: str
    new: str
    tests: tuple[str, ...]
    """What pytest is given: files, folders or single tests."""

    def applied(self, house: Path) -> str:
        """The text of the file with the defect in it; :class:`DefectError` where it cannot be put there."""
        if not (house / self.file).is_file():
            raise DefectError(f"{self.name}: there is no file {self.file}")
        text = (house / self.file).read_text()
        if text.count(self.old) != 1:
            raise DefectError(
                f"{self.name}: the old text stands {text.count(self.old)} times in {self.file}, not once"
            )
        changed = text.replace(self.old, self.new)
        if changed == text:
            raise DefectError(f"{self.name}: old and new text are the same")
        if "/pay_tables/" in self.file:
            return resealed(changed)
        if self.file.endswith(".py"):
            try:
                ast.parse(changed)
            except SyntaxError as error:
                raise DefectError(f"{self.name}: {self.file} would be no Python: {error}") from error
        return changed


def resealed(text: str) -> str:
    """A pay table as somebody who means its change would seal it: the seal alone must not give it away."""
    table = tomllib.loads(text)
    del table["seal"]
    return sealed_toml(from_json(table))


def defects(folder: Path = FOLDER) -> list[Defect]:
    """All defects, file by file in the order in which they are written."""
    found = []
    for path in sorted(folder.glob("*.toml")):
        for table in tomllib.loads(path.read_text())["defect"]:
            found.append(Defect(**{**table, "tests": tuple(table["tests"])}))
    return found
