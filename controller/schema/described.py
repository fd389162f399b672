"""The docstrings of fields: Python drops them, the source keeps them."""

from __future__ import annotations

import ast
import inspect
import textwrap
from functools import cache

import msgspec


@cache
def field_docstrings(struct: type[msgspec.Struct]) -> dict[str, str]:
    """Field -> the text under it, those of the bases too; no entry where there is none.

    A struct that was composed at run time has no source: ``described_by`` names the one its fields are from.
    """
    texts: dict[str, str] = {}
    for cls in reversed(struct.__mro__):
        if issubclass(cls, msgspec.Struct) and cls is not msgspec.Struct:
            texts |= _own_docstrings(cls.__dict__.get("described_by", cls))
    return texts


def struct_docstring(struct: type[msgspec.Struct]) -> str:
    """The struct's own docstring in one line of text for each paragraph; that of a base tells nothing."""
    own = inspect.cleandoc(struct.__dict__.get("__doc__") or "")
    return "\n\n".join(" ".join(part.split()) for part in own.split("\n\n") if part.strip()).strip()


def _own_docstrings(cls: type) -> dict[str, str]:
    (definition,) = ast.parse(textwrap.dedent(inspect.getsource(cls))).body
    found: dict[str, str] = {}
    field: str | None = None
    for node in definition.body if isinstance(definition, ast.ClassDef) else ():
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            field = node.target.id
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and field is not None:
            found[field] = " ".join(str(node.value.value).split())
            field = None
        else:
            field = None
    return found
