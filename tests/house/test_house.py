"""The house rules that a program can check: length of files, names, exact versions."""

import ast
import re
import tomllib
from pathlib import Path

import pytest

from controller.vocabulary.events import EVENTS, Stamp

HOUSE = Path(__file__).resolve().parents[2]
SOURCES = sorted(path for room in ("controller", "drivers", "tests") for path in (HOUSE / room).rglob("*.py"))
PROGRAM = [path for path in SOURCES if path.relative_to(HOUSE).parts[0] != "tests"]
PAGES = sorted(path for kind in ("js", "css", "html") for path in (HOUSE / "controller").rglob(f"*.{kind}"))
LONGEST_FILE = 400
EMPTY_WORDS = {"manager", "helper", "helpers", "util", "utils", "data", "info"}
PYPROJECT = tomllib.loads((HOUSE / "pyproject.toml").read_text())


def named(path: Path) -> str:
    return str(path.relative_to(HOUSE))


def words_of(name: str) -> set[str]:
    """`card_data` and `CardData` both speak of card and data."""
    return set(re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower().split("_"))


def project_name(requirement: str) -> str:
    return re.split(r"[^A-Za-z0-9._-]", requirement, maxsplit=1)[0].lower().replace("_", "-")


def test_no_file_is_longer_than_one_can_read() -> None:
    assert len(PAGES) > 30, "scripts and styles of the board are looked at too"
    lengths = {named(path): len(path.read_text().splitlines()) for path in (*SOURCES, *PAGES)}
    assert {name: lines for name, lines in lengths.items() if lines > LONGEST_FILE} == {}


def test_names_say_what_a_thing_is() -> None:
    empty = []
    for path in PROGRAM:
        definitions = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
        names = [node.name for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, definitions)]
        empty += [f"{named(path)}: {name}" for name in (path.stem, *names) if words_of(name) & EMPTY_WORDS]
    assert empty == []


def test_every_module_says_what_it_is_for() -> None:
    assert [named(path) for path in PROGRAM if not ast.get_docstring(ast.parse(path.read_text()))] == []


def test_no_field_of_an_event_is_another_fact_of_its_stamp() -> None:
    """They are one flat object in the journal: the one would be read as the other after a restart.

    ``boot`` and ``device`` are the same in both.
    """
    other = set(Stamp.__struct_fields__) - {"boot", "device"}
    shared = {name: other & set(kind.__struct_fields__) for name, kind in EVENTS.items()}
    assert {name: fields for name, fields in shared.items() if fields} == {}


def test_no_private_name_of_a_library_is_touched() -> None:
    """But hooks that are overridden: of gpiozero's mock pins, which stand in for hardware, and of paho."""
    touched = []
    for path in PROGRAM:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Attribute) and re.match("_[a-z]", node.attr):
                touched += [f"{named(path)}: {ast.unparse(node)}"]
    allowed = re.compile(
        r"(self|cls)\._\w+|os\._exit|super\(\)\._(set_pull|create_socket)|self\._factory\._reservations"
    )
    assert [found for found in touched if not allowed.fullmatch(found.split(": ")[1])] == []


@pytest.mark.parametrize("group", ["", *PYPROJECT["project"]["optional-dependencies"]])
def test_every_dependency_has_one_exact_version(group: str) -> None:
    project = PYPROJECT["project"]
    asked = project["optional-dependencies"][group] if group else project["dependencies"]
    lines = (HOUSE / "constraints.txt").read_text().splitlines()
    pinned = {line.split("==")[0] for line in lines if "==" in line}
    assert {project_name(requirement) for requirement in asked} <= pinned


def test_nobody_leaves_the_marks_of_a_merge() -> None:
    """In a text of the program, or on a page, no other check sees them."""
    rooms = ("controller", "drivers", "making", "tests", "docs", "config", "systemd", "packaging")
    files = [*HOUSE.glob("*.md"), *(path for room in rooms for path in (HOUSE / room).rglob("*"))]
    texts = [
        path for path in files if path.suffix in (".py", ".md", ".toml", ".js", ".mjs", ".css", ".service")
    ]
    mark = re.compile(r"^(<<<<<<<|>>>>>>>) ", re.MULTILINE)
    assert [
        named(path) for path in texts if "node_modules" not in path.parts and mark.search(path.read_text())
    ] == []


def test_no_link_leads_out_of_the_house() -> None:
    """What is a link to somebody's own machine cannot be set up anywhere else."""
    inside = [path for path in HOUSE.iterdir() if path.name != ".git"]
    links = [path for path in inside if path.is_symlink()]
    for folder in inside:
        if folder.is_dir() and not folder.is_symlink() and folder.name not in (".venv", "build", "dist"):
            links += [
                path for path in folder.rglob("*") if path.is_symlink() and "node_modules" not in path.parts
            ]
    assert [named(link) for link in links if not link.resolve().is_relative_to(HOUSE)] == []
