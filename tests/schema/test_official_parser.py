"""The AsyncAPI document, read by the parser of the AsyncAPI project."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from controller.schema.asyncapi import asyncapi
from controller.vocabulary.messages import MESSAGES
from tests.node import NODE

JUDGE = Path(__file__).resolve().parent / "official" / "validate.mjs"
ERROR, WARNING = 0, 1


def judged(document: Any) -> Any:
    text = json.dumps(document)
    return json.loads(
        subprocess.run([NODE, JUDGE], input=text, check=True, capture_output=True, text=True).stdout
    )


def test_the_official_parser_finds_nothing_wrong() -> None:
    found = judged(asyncapi())
    assert [one for one in found["diagnostics"] if one["severity"] <= WARNING] == []
    document = json.loads(json.dumps(asyncapi()))
    assert found["version"] == "3.0.0"
    assert found["channels"] == len(document["channels"])
    assert found["operations"] == len(document["operations"])
    assert found["messages"] >= len(MESSAGES)


def test_the_official_parser_does_find_what_is_wrong() -> None:
    document = json.loads(json.dumps(asyncapi()))
    next(iter(document["operations"].values()))["action"] = "shout"
    assert [one for one in judged(document)["diagnostics"] if one["severity"] == ERROR]
