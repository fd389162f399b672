"""A page draws what it was told a moment later: no test looks at a page once and judges."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.cli.program import HOUSE

READINGS = frozenset({
    "all_inner_texts", "all_text_contents", "bounding_box", "content", "evaluate", "evaluate_all",
    "eval_on_selector", "eval_on_selector_all", "get_attribute", "inner_html", "inner_text", "input_value",
    "is_checked", "is_disabled", "is_editable", "is_enabled", "is_hidden", "is_visible", "query_selector",
    "query_selector_all", "text_content", "title",
})  # fmt: skip
"""Methods that read a page as it stands. ``count`` is one where it is given nothing, and axe's ``run``."""
ONCE = {
    "board/test_secrets.py": "a card that is seen once is seen: it may not be there at any moment",
    "board/test_under_key.py": "the same",
    "seat/rooms.py": "either the lobby is there or a seat, and neither gives way to the other by itself",
}
"""Who may look once, and why."""


def reads(part: ast.AST, variables: set[str], functions: set[str]) -> bool:
    """Whether a page is read here, or was for one of these; what a lambda reads may be read again."""
    match part:
        case ast.Lambda():
            return False
        case ast.Name(id=name) if name in variables:
            return True
        case ast.Call(func=ast.Name(id=name)) if name in functions:
            return True
        case ast.Call(func=ast.Attribute(attr=name)) if name in READINGS:
            return True
        case ast.Call(func=ast.Attribute(attr="count"), args=[]):
            return True
        case ast.Call(func=ast.Attribute(value=ast.Call(func=ast.Name(id="Axe")), attr="run")):
            return True
    return any(reads(child, variables, functions) for child in ast.iter_child_nodes(part))


def within(function: ast.AST) -> Iterator[ast.AST]:
    """All of it but functions of its own, in order."""
    for child in ast.iter_child_nodes(function):
        if not isinstance(child, ast.FunctionDef | ast.Lambda):
            yield child
            yield from within(child)


def variables(function: ast.AST, functions: set[str]) -> set[str]:
    """Names of what was read in it."""
    read: set[str] = set()
    for part in within(function):
        match part:
            case ast.Assign(targets=given, value=value) if reads(value, read, functions):
                read |= {name.id for to in given for name in ast.walk(to) if isinstance(name, ast.Name)}
            case (
                ast.AnnAssign(target=ast.Name(id=name), value=ast.AST() as value)
                | ast.AugAssign(target=ast.Name(id=name), value=value)
                | ast.NamedExpr(target=ast.Name(id=name), value=value)
            ) if reads(value, read, functions):
                read.add(name)
    return read


def all_functions(tree: ast.AST) -> list[ast.FunctionDef]:
    return [part for part in ast.walk(tree) if isinstance(part, ast.FunctionDef)]


def readers(tree: ast.AST, known: set[str]) -> set[str]:
    """Functions that give what they read, in a module that knows these."""
    found = known
    while True:
        more = {
            one.name
            for one in all_functions(tree)
            for part in within(one)
            if isinstance(part, ast.Return) and part.value is not None
            if reads(part.value, variables(one, found), found)
        }
        if more <= found:
            return found
        found = found | more


def judgements(tree: ast.AST, known: set[str]) -> Iterator[int]:
    """Line of each ``assert`` and ``if`` that goes by a single look."""
    known = readers(tree, known)
    for one in all_functions(tree):
        read = variables(one, known)
        for part in within(one):
            if isinstance(part, ast.Assert | ast.If | ast.IfExp) and reads(part.test, read, known):
                yield part.lineno


def imported(tree: ast.AST) -> set[tuple[str | None, str]]:
    """Modules, and names that come from them."""
    parts = [part for part in ast.walk(tree) if isinstance(part, ast.ImportFrom)]
    return {(part.module, name.name) for part in parts for name in part.names}


def test_a_single_look_is_seen() -> None:
    text = """
def shown(page):
    read: dict = page.evaluate("x")
    return read
def cards(page):
    return {name: card for name, card in shown(page).items() if card}
def test(page):
    assert page.locator("p").count() == 1
    assert cards(page) == {}
    if not page.title():
        pass
    before = page.locator("p").inner_text()
    comes(lambda: cards(page), {})
    assert "aab".count("a") == 2
    assert before.strip() == "1"
"""
    assert [*judgements(ast.parse(text), set())] == [8, 9, 10, 15]


def test_no_test_looks_once_at_a_page() -> None:
    files = [file for file in sorted((HOUSE / "tests").rglob("*.py")) if "node_modules" not in file.parts]
    texts = {str(file.relative_to(HOUSE / "tests")): file.read_text() for file in files}
    trees = {name: ast.parse(text) for name, text in texts.items() if "playwright.sync_api" in text}
    helpers = {
        (f"tests.{name.removesuffix('.py').replace('/', '.')}", reader)
        for name, tree in trees.items()
        for reader in readers(tree, set())
    }
    assert ("tests.board.reading", "winners") in helpers
    found = {
        name: [*judgements(tree, {reader for _, reader in helpers & imported(tree)})]
        for name, tree in trees.items()
    }
    single = [f"{name}:{line}" for name, lines in found.items() if name not in ONCE for line in lines]
    assert single == [], "expect(...), or comes of tests/harness/process.py, looks again"
    assert [name for name in ONCE if not found[name]] == [], "an exception for nothing"
