"""The documents: drawn pages are as the code says, links lead somewhere, and what is shown can be typed."""

from __future__ import annotations

import argparse
import ast
import json
import re
import shlex
import tomllib
from itertools import chain
from pathlib import Path
from textwrap import dedent

import msgspec
import pytest

from controller.cli.commands import COMMANDS
from controller.games.line import FIELDS
from controller.outbox.commands import COMMANDS as MQTT_COMMANDS
from controller.schema.documents import RETAINED, field_docstrings, struct_docstring
from controller.settings.loader import load_configuration
from controller.settings.model import Settings, complete_settings
from controller.settings.reading import Reader
from controller.settlement import BET_FIELDS
from controller.vocabulary.conditions import CONDITIONS
from controller.vocabulary.events import EVENTS
from controller.vocabulary.irregularities import KINDS
from controller.vocabulary.messages import MESSAGES
from controller.vocabulary.replies import Reply
from making.manual import completion, manual
from making.pages.all import PAGES
from making.pages.requirements import MATRIX, place
from making.pages.runbook import ALERTS, CONDITION_WAYS, HOLDS, REFUSALS
from tests.cli.program import HOUSE

DOCUMENTS = sorted(
    path
    for path in {*HOUSE.glob("*.md"), *(HOUSE / "docs").rglob("*.md")}
    if "node_modules" not in path.parts
)
NAMES = {command.name: command for command in COMMANDS}
_LINK = re.compile(r"!?\[[^\]]+\]\(([^)\s]+)\)")
_PLACE = re.compile(r"`((?:controller|drivers|tests|systemd|config|making|packaging|docs)/[\w./-]*)`")
_FENCE = re.compile(r"^( *)```(\w*)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)


def named(path: Path) -> str:
    return str(path.relative_to(HOUSE))


def blocks(path: Path) -> list[tuple[str, str]]:
    """Language and text of every fenced block of a page."""
    return [(language, dedent(text)) for _, language, text in _FENCE.findall(path.read_text())]


def shown(kind: str) -> list[tuple[str, str]]:
    """Page and text of every block of a language."""
    return [(named(path), text) for path in DOCUMENTS for language, text in blocks(path) if language == kind]


@pytest.mark.parametrize("page", PAGES)
def test_a_drawn_page_is_as_the_code_says(page: str) -> None:
    """make docs draws it anew."""
    assert (HOUSE / page).read_text() == PAGES[page]()


@pytest.mark.parametrize("path", DOCUMENTS, ids=named)
def test_every_link_leads_somewhere(path: Path) -> None:
    for target in _LINK.findall(path.read_text()):
        if "://" in target:
            continue
        place, _, anchor = target.partition("#")
        found = (path.parent / place) if place else path
        assert found.exists(), f"{named(path)}: {target}"
        if anchor and found.suffix == ".md":
            assert anchor in anchors(found.read_text()), f"{named(path)}: {target}"


def anchors(text: str) -> set[str]:
    titles = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("path", DOCUMENTS, ids=named)
def test_every_place_of_the_house_that_is_named_is_there(path: Path) -> None:
    for there in _PLACE.findall(path.read_text()):
        assert (HOUSE / there).exists(), f"{named(path)} names {there}"


@pytest.mark.parametrize(("page", "text"), shown("sh"), ids=[page for page, _ in shown("sh")])
def test_every_call_that_is_shown_is_understood(page: str, text: str) -> None:
    for line in lines_of_shell(text):
        for name, words in calls(line):
            parser = argparse.ArgumentParser(prog=f"{page}: dealer-table {name}", exit_on_error=False)
            NAMES[name].arguments(parser.add_argument)
            parser.parse_args(words)


def lines_of_shell(text: str) -> list[str]:
    """Lines as the shell takes them: one goes on behind a backslash and within quotes."""
    found = [""]
    for line in text.replace("\\\n", " ").splitlines():
        found[-1] += f"{line}\n"
        if found[-1].count("'") % 2 == 0:
            found.append("")
    return found


def calls(line: str) -> list[tuple[str, list[str]]]:
    """Each call of the program in a line of shell; its redirections are the shell's."""
    words = [word for word in shlex.split(line, comments=True) if not word.startswith(">")]
    begins = [number for number, word in enumerate(words) if word == "dealer-table"]
    found = []
    for begin in begins:
        call = words[begin + 1 :]
        if call and call[0] == "--version":
            continue
        assert call, line
        if call[0].startswith("-") or words[begin - 1] == "-u":
            continue
        assert call[0] in NAMES, line
        found.append((call[0], call[1:]))
    return found


def test_every_configuration_that_is_shown_is_right(tmp_path: Path) -> None:
    """A whole one loads; a part names only keys that there are."""
    for page, text in shown("toml"):
        values = tomllib.loads(text)
        if "table" in values and "devices" in values:
            file = tmp_path / "table.toml"
            file.write_text(text)
            assert load_configuration(file).warnings == (), page
        elif set(values) <= set(Settings.__struct_fields__):
            reader = Reader(complete_settings())
            reader.read(values, complete_settings())
            wrong = [problem for problem in reader.problems if "missing" not in problem.message]
            assert wrong == [], page


def test_every_json_that_is_shown_can_be_read() -> None:
    for _, text in shown("json"):
        json.loads(text)


def test_every_reason_of_a_hold_has_a_way_out_of_its_own_choices() -> None:
    assert set(HOLDS) == set(KINDS)
    for code, words in HOLDS.items():
        shown = set(re.findall(r"CLEAR (\w+)", words))
        assert shown, code
        assert shown <= set(KINDS[code].choices), code


def test_every_alert_that_the_code_can_raise_has_a_way_out() -> None:
    known = {*ALERTS, *KINDS, *REFUSALS}
    assert codes_in_code() - known == set()


def test_every_condition_has_a_way_out() -> None:
    assert list(CONDITION_WAYS) == list(CONDITIONS)


def codes_in_code() -> set[str]:
    """Codes of alerts, obstacles and refusals of the table, as literals in the program."""
    alerts = {"raise_alert": 1, "end_shoe": 1, "refuse": 0}
    found: set[str] = set()
    for room, at in (("round", {**alerts, "Refuse": 0}), ("shell", alerts)):
        for path in (HOUSE / "controller" / room).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                if not isinstance(node, ast.Call):
                    continue
                name = getattr(node.func, "attr", getattr(node.func, "id", ""))
                if name not in at or len(node.args) <= at[name]:
                    continue
                code = node.args[at[name]]
                if isinstance(code, ast.Constant) and isinstance(code.value, str):
                    found.add(code.value)
    return found


@pytest.mark.parametrize("number", MATRIX)
def test_every_test_of_a_requirement_is_there(number: str) -> None:
    _, tests = MATRIX[number]
    assert tests
    for test in tests:
        file, name = place(test)
        text = (HOUSE / file).read_text()
        if file.endswith(".txt"):
            assert f"\n== {name}\n" in text, test
        elif name:
            assert f"\ndef {name}(" in text, test


def test_every_requirement_has_its_line() -> None:
    """Those of the list; its other numbers were not adopted."""
    adopted = "01 02 04 07 08 09 11 12 14 15 16 17 18 19 20 21 25 26 29 30 31 32 35 36 37 39 42"
    assert list(MATRIX) == [f"R{number}" for number in adopted.split()]


def test_manual_and_completion_name_every_command() -> None:
    for name in NAMES:
        assert f"dealer\\-table {name}".replace(name, name.replace("-", "\\-")) in manual()
        assert f"        {name}) words=" in completion()


def test_everything_of_the_interface_has_words_of_its_own() -> None:
    """Every message, retained payload, command and event says what it is; their members say it too."""
    outside: list[type[msgspec.Struct]]
    outside = [*MESSAGES.values(), *chain(*RETAINED.values()), *MQTT_COMMANDS.values(), Reply]
    for struct in (*outside, *EVENTS.values()):
        assert struct_docstring(struct) or not struct.__struct_fields__, struct
    for struct in outside:
        assert set(struct.__struct_fields__) <= set(field_docstrings(struct)), struct


def test_every_key_of_the_configuration_has_its_meaning() -> None:
    rows = re.findall(
        r"^\| `(\w+)` \|.*\| (.*) \|$", PAGES["docs/reference/configuration.md"](), re.MULTILINE
    )
    assert len(rows) > 100
    assert [key for key, meaning in rows if not meaning.strip() or "None" in meaning] == []


@pytest.mark.parametrize(
    ("page", "folder"),
    [
        ("settlement-system", "settlement"),
        ("casino-management-system", "casino-management"),
        ("display", "display"),
        ("device-vendor", "device"),
    ],
)
def test_a_page_for_integrators_knows_how_long_its_example_is(page: str, folder: str) -> None:
    said = re.search(r"(\d+)\s+lines\s+of", (HOUSE / f"docs/integrators/{page}.md").read_text())
    files = [path for path in (HOUSE / "docs/examples" / folder).iterdir() if path.suffix in (".mjs", ".py")]
    assert said is not None
    assert abs(int(said[1]) - sum(len(path.read_text().splitlines()) for path in files)) <= 5


def test_a_settlement_system_finds_every_key_of_a_line_of_settle() -> None:
    page = (HOUSE / "docs/integrators/settlement-system.md").read_text()
    rows = "".join(line for line in page.splitlines() if line.startswith("| `"))
    named = set(re.findall(r"[`\"](\w+)[`\"]", rows))
    assert named >= FIELDS | BET_FIELDS


def test_every_page_is_found_from_the_readme() -> None:
    found, waiting = set[Path](), [HOUSE / "README.md"]
    while waiting:
        page = waiting.pop()
        found.add(page)
        links = [link.partition("#")[0] for link in _LINK.findall(page.read_text()) if "://" not in link]
        pages = {(page.parent / link).resolve() for link in links if link.endswith(".md")}
        waiting += pages - found
    assert [named(path) for path in DOCUMENTS if path not in found] == []
