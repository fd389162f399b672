"""The named defects, as data: ``defects/*.txt``.

::

    == tests/round/test_voids.py tests/table
    a void pays the bonus
        void_round: bonus=False ==> bonus=True

The tests that must notice; then, for each defect, its name, where it is, what is there, and what would be
there by mistake.

*Where* is the name of a function, class, constant or module; the file is searched for, so code may move to
another module (``voids.void_round`` where two modules have such a name; a path for anything that is not
Python). What is there is compared token by token, so lines, comments and formatting do not matter, and must
be there exactly once. Nothing after the arrow means that it is dropped.
"""

from __future__ import annotations

import ast
import io
import re
import textwrap
import tokenize
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from pathlib import Path

from controller.games.paytable import from_json, sealed_toml

HOUSE = Path(__file__).resolve().parents[2]
FOLDER = Path(__file__).parent / "defects"
PRODUCT = ("controller", "drivers")
SILENT = {tokenize.COMMENT, tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
TESTS, ARROW = "== ", "==>"


class DefectError(Exception):
    """A defect that cannot be applied; the message names it and says why."""


@dataclass(frozen=True)
class Place:
    """A file, or the lines of it that bear a name."""

    path: str
    text: str
    start: int
    end: int
    """Offsets in the text."""

    def spans(self, wanted: str) -> list[tuple[int, int]]:
        """Start and end of everything that reads like this, as offsets in the text."""
        if not self.path.endswith(".py"):
            return [found.span() for found in re.finditer(re.escape(wanted), self.text)]
        names = [name for name, *_ in tokens(wanted)]
        here = [token for token in tokens(self.text) if self.start <= token[1] and token[2] <= self.end]
        said = [name for name, *_ in here]
        return [
            (here[at][1], here[at + len(names) - 1][2])
            for at in range(len(here) - len(names) + 1)
            if said[at : at + len(names)] == names
        ]


class Product:
    """Every name of the product, and where it is."""

    def __init__(self, house: Path = HOUSE) -> None:
        self._house = house
        self._named: dict[str, list[tuple[str, Place]]] = defaultdict(list)
        for path in sorted(path for folder in PRODUCT for path in (house / folder).rglob("*.py")):
            name = str(path.relative_to(house))
            module = name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
            text = path.read_text()
            starts = [*accumulate(map(len, text.splitlines(keepends=True)), initial=0)]
            for qualified, first, last in [(module, 1, len(starts) - 1), *_named(ast.parse(text), module)]:
                place = Place(name, text, starts[first - 1], starts[last])
                self._named[qualified.rpartition(".")[2]].append((qualified, place))

    def places(self, at: str) -> list[Place]:
        """Everything that the name may mean."""
        if "/" in at:
            path = self._house / at
            return [Place(at, path.read_text(), 0, 0)] if path.is_file() else []
        named = self._named.get(at.rpartition(".")[2], [])
        return [place for qualified, place in named if f".{qualified}".endswith(f".{at}")]


def _named(node: ast.AST, inside: str) -> Iterator[tuple[str, int, int]]:
    """Names below a node, with first and last line."""
    for child in ast.iter_child_nodes(node):
        match child:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                first = (*child.decorator_list, child)[0].lineno
                yield f"{inside}.{name}", first, child.end_lineno or first
                yield from _named(child, f"{inside}.{name}")
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                if isinstance(node, ast.Module | ast.ClassDef):
                    yield f"{inside}.{name}", child.lineno, child.end_lineno or child.lineno


@lru_cache(512)
def tokens(text: str) -> list[tuple[str, int, int]]:
    """Tokens and their offsets; neither a comma before a closing bracket nor the last end of line."""
    starts = [*accumulate(map(len, text.splitlines(keepends=True)), initial=0)]
    found: list[tuple[str, int, int]] = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type in SILENT:
                continue
            if token.string in (")", "]", "}") and found and found[-1][0] == ",":
                found.pop()
            start, end = (starts[line - 1] + column for line, column in (token.start, token.end))
            found.append(("\n" if token.type == tokenize.NEWLINE else token.string, start, end))
    except (tokenize.TokenError, IndentationError):
        pass  # a part of a statement ends early
    while found and found[-1][0] == "\n":
        found.pop()
    return found


@dataclass(frozen=True)
class Defect:
    """One mistake that somebody could make."""

    name: str
    at: str
    old: str
    new: str
    tests: tuple[str, ...]
    """What pytest is given: files, folders or single tests."""

    def meant(self, words: Sequence[str]) -> bool:
        """Whether each of the words is in its name, its place or its tests."""
        text = " ".join((self.name, self.at, *self.tests))
        return all(word in text for word in words)

    def applied(self, product: Product) -> tuple[str, str]:
        """Path and changed text of the file; :class:`DefectError` where the defect does not apply."""
        found = {
            (place.path, span): place for place in product.places(self.at) for span in place.spans(self.old)
        }
        if len(found) != 1:
            raise DefectError(f"{self.name}: found {len(found)} times in {self.at}, not once")
        [((path, (start, end)), place)] = found.items()
        before = place.text[:start]
        indent = before[len(before.rstrip(" ")) :] if before.rstrip(" ").endswith("\n") else ""
        new = textwrap.indent(self.new or "pass", indent).lstrip()
        changed = f"{before}{new}{place.text[end:]}"
        if changed == place.text:
            raise DefectError(f"{self.name}: nothing would change")
        if "/pay_tables/" in path:
            return path, resealed(changed)
        if path.endswith(".py"):
            try:
                ast.parse(changed)
            except SyntaxError as error:
                raise DefectError(f"{self.name}: {path} would be no Python: {error}") from error
        return path, changed


def resealed(text: str) -> str:
    """A pay table as somebody who means its change would seal it: the seal alone must not give it away."""
    table = tomllib.loads(text)
    del table["seal"]
    return sealed_toml(from_json(table))


def defects(folder: Path = FOLDER) -> list[Defect]:
    """All defects, file by file in the order in which they are written."""
    return [defect for path in sorted(folder.glob("*.txt")) for defect in read(path.read_text())]


def read(text: str) -> Iterator[Defect]:
    """The defects of one file."""
    for group in re.split(f"^{TESTS}", text, flags=re.M)[1:]:
        tests, _, rest = group.partition("\n")
        for name, body in re.findall(r"^(\S.*)\n((?:(?: .*)?\n)+)", rest, flags=re.M):
            at, _, change = body.strip().partition(":")
            old, _, new = (textwrap.dedent(part).strip("\n") for part in change.partition(ARROW))
            yield Defect(name, at, old.strip(" "), new.strip(" "), tuple(tests.split()))


def is_there(test: str) -> bool:
    """Whether the house has this file or folder of tests, and in it what is named behind each ``::``."""
    place, *names = test.split("[")[0].split("::")
    path = HOUSE / place
    return path.exists() and all(
        re.search(rf"^ *(?:async )?(?:def|class) {name}\b", path.read_text(), re.MULTILINE) for name in names
    )
