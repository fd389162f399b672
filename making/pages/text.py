"""Markdown from values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

NOTE = "<!-- Drawn from the code by `make docs`; changes here are lost. -->\n"


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table of Markdown."""
    lines = [f"| {' | '.join(head)} |", f"|{'|'.join(' --- ' for _ in head)}|"]
    lines += [f"| {' | '.join(cell(value) for value in row)} |" for row in rows]
    return "\n".join(lines) + "\n"


def cell(value: object) -> str:
    """A value as it stands in a cell; ``<br>`` begins a new line there."""
    parts = " ".join(str(value).split()).replace("|", "\\|").split("`")
    parts[::2] = [part.replace("<", "&lt;").replace("&lt;br>", "<br>") for part in parts[::2]]
    return "`".join(parts)


def page(title: str, *parts: str) -> str:
    """A whole page."""
    return "\n".join([NOTE, f"# {title}\n", *parts])


def plain_quotes(text: str) -> str:
    """Words of a docstring as Markdown."""
    return text.replace("``", "`")
