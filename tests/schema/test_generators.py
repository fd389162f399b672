"""What other people's generators make of the schemas: programs that compile, and take what a table says."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from controller.schema.documents import DOCUMENTS, document
from tests.scenarios.conversation import name_of, talk
from tests.schema.test_official_parser import judged

GENERATE = Path(__file__).resolve().parent / "official" / "generate.mjs"
PLAYED = talk("baccarat", "SHOE 416; OPEN; CLOSE; KC; 7C; 7D; 2D; SETTLED").stream
RESULT: dict[str, Any] = next(message for message in PLAYED if name_of(message) == "round.result")


@cache
def generated() -> Any:
    """Of every schema but the configuration, which tells its devices apart by a word of OpenAPI."""
    samples: dict[str, list[str]] = {}
    for message in PLAYED:
        samples.setdefault(f"message/{name_of(message)}", []).append(json.dumps(message))
    data = RESULT["data"]
    more = ({**RESULT, "later": {"a": 1}}, {**RESULT, "data": {**data, "later": [1]}})
    wrong = ({**RESULT, "sequence": "1"}, {**RESULT, "data": {**data, "revision": None}})
    samples["message/round.result"] = [json.dumps(one) for one in (RESULT, *more, *wrong)]
    schemas = {name: document(name) for name in DOCUMENTS if name != "configuration"}
    return judged({"schemas": schemas, "samples": samples}, GENERATE)


def modelled(name: str) -> Any:
    """The model that was made of the schema of this name: the last of its module."""
    return list(vars(importlib.import_module(f"modelled.{in_python(name)}")).values())[-1]


def in_python(name: str) -> str:
    """As a module of Python may be called."""
    return "".join(letter if letter.isalnum() else "_" for letter in name)


def test_quicktype_makes_typescript_that_compiles_and_csharp_of_every_schema() -> None:
    assert generated()["failed"] == {}
    assert generated()["complaints"] == []
    assert generated()["csharp"].keys() == DOCUMENTS.keys() - {"configuration"}
    for name, text in generated()["csharp"].items():
        assert "namespace QuickType" in text, name


def test_the_typescript_takes_what_a_table_says_and_members_that_are_added_later() -> None:
    refused = dict(generated()["refused"])
    *taken, number, revision = refused.pop("message/round.result")
    assert taken == [None, None, None]
    assert "sequence" in number
    assert "revision" in revision
    assert {why for given in refused.values() for why in given} == {None}
    assert len(refused) >= 5


def test_datamodel_codegen_makes_python_that_takes_what_a_table_says_and_what_is_added_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    schemas, models = tmp_path / "schemas", tmp_path / "modelled"
    schemas.mkdir()
    for name in DOCUMENTS:
        (schemas / f"{in_python(name)}.json").write_text(json.dumps(document(name)))
    chosen = "--input-file-type jsonschema --output-model-type pydantic_v2.BaseModel --formatters builtin"
    folders = ("--input", str(schemas), "--output", str(models))
    done = subprocess.run(
        [sys.executable, "-m", "datamodel_code_generator", *folders, *chosen.split()],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in DOCUMENTS:
        assert modelled(name).model_json_schema()
    for message in (
        *PLAYED,
        {**RESULT, "later": {"a": 1}},
        {**RESULT, "data": {**RESULT["data"], "later": 1}},
    ):
        assert modelled(f"message/{name_of(message)}").model_validate(message)
    for wrong in ({"sequence": "first"}, {"data": {**RESULT["data"], "revision": None}}):
        with pytest.raises(ValueError, match="validation error"):
            modelled("message/round.result").model_validate({**RESULT, **wrong})


def test_what_cannot_be_drawn_is_noticed() -> None:
    broken = {"broken": {"$ref": "#/$defs/nowhere"}}
    assert judged({"schemas": broken, "samples": {}}, GENERATE)["failed"].keys() == {"broken"}
