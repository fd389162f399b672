"""The AsyncAPI document, read by the parser of the AsyncAPI project."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from controller.schema.asyncapi import asyncapi
from controller.schema.documents import DOCUMENTS, document
from controller.vocabulary.messages import MESSAGES
from tests.node import NODE

STRICT = Path(__file__).resolve().parent / "official" / "strict.mjs"
JUDGE = Path(__file__).resolve().parent / "official" / "validate.mjs"
ERROR, WARNING = 0, 1


def judged(document: Any, judge: Path = JUDGE) -> Any:
    text = json.dumps(document)
    return json.loads(
        subprocess.run([NODE, judge], input=text, check=True, capture_output=True, text=True).stdout
    )


def test_ajv_takes_every_schema_of_a_message_in_its_strict_mode() -> None:
    # The configuration tells its devices apart by `discriminator`, a word of OpenAPI.
    schemas = {name: document(name) for name in DOCUMENTS if name != "configuration"}
    assert judged(schemas, STRICT) == {}
    broken = {"outcome": {"anyOf": [{"type": "string"}], "additionalProperties": False}}
    assert judged(broken, STRICT).keys() == {"outcome"}


def test_the_official_parser_finds_nothing_wrong() -> None:
    found = judged(asyncapi())
    assert [one for one in found["diagnostics"] if one["severity"] <= WARNING] == []
    whole = json.loads(json.dumps(asyncapi()))
    assert found["version"] == "3.0.0"
    assert found["channels"] == len(whole["channels"])
    assert found["operations"] == len(whole["operations"])
    assert found["messages"] >= len(MESSAGES)


def test_the_official_parser_does_find_what_is_wrong() -> None:
    whole = json.loads(json.dumps(asyncapi()))
    next(iter(whole["operations"].values()))["action"] = "shout"
    assert [one for one in judged(whole)["diagnostics"] if one["severity"] == ERROR]
