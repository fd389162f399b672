"""``schema``: the interface, as JSON Schemas, an AsyncAPI and an OpenAPI document."""

from __future__ import annotations

import argparse

from controller.cli.telling import complain, print_json, print_lines
from controller.vocabulary.shown import meant

WAGERING = "wagering"
"""The calls of players, as an OpenAPI document."""
INVENTORY = "inventory"
"""The file of a floor; what stands in it for its tables is of the schema ``configuration``."""


def run(arguments: argparse.Namespace) -> int:
    """Everything in one object, one schema, or the names of all; 2 if there is none of that name."""
    from controller.schema.asyncapi import asyncapi
    from controller.schema.documents import DIALECT, DOCUMENTS, document, standing_alone

    names = ["asyncapi", WAGERING, INVENTORY, *DOCUMENTS]
    if arguments.list:
        print_lines(names)
        return 0
    if arguments.name is None:
        print_json({"asyncapi": asyncapi(), "schemas": {name: document(name) for name in DOCUMENTS}})
    elif arguments.name == "asyncapi":
        print_json(asyncapi())
    elif arguments.name == WAGERING:
        from controller.wagering.openapi import openapi

        print_json(openapi())
    elif arguments.name == INVENTORY:
        from controller.inventory.settings import Inventory

        print_json({"$schema": DIALECT, "title": INVENTORY, **standing_alone((Inventory,))})
    elif arguments.name in DOCUMENTS:
        print_json(document(arguments.name))
    else:
        hint = meant(arguments.name, names, "dealer-table schema --list names them")
        return complain(f"there is no schema {arguments.name!r}; {hint}")
    return 0
