"""``schema``: the interface, as JSON Schemas and as an AsyncAPI document."""

from __future__ import annotations

import argparse
from difflib import get_close_matches

import msgspec

from controller.cli.telling import complain, print_lines


def run(arguments: argparse.Namespace) -> int:
    """Everything in one object, one schema, or the names of all; 2 where there is none of that name."""
    from controller.schema.asyncapi import asyncapi
    from controller.schema.documents import document, document_names

    if arguments.list:
        print_lines(["asyncapi", *document_names()])
        return 0
    if arguments.name is None:
        return _print(
            {"asyncapi": asyncapi(), "schemas": {name: document(name) for name in document_names()}}
        )
    if arguments.name == "asyncapi":
        return _print(asyncapi())
    if arguments.name not in document_names():
        near = get_close_matches(arguments.name, document_names(), 1, 0.4)
        hint = f"did you mean {near[0]}?" if near else "dealer-table schema --list names them"
        return complain(f"there is no schema {arguments.name!r}; {hint}")
    return _print(document(arguments.name))


def _print(answer: object) -> int:
    print_lines([msgspec.json.format(msgspec.json.encode(answer)).decode()])
    return 0
