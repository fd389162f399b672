"""The server as a stranger sees it: read-only, strict headers, no outside address, no file but ours."""

from __future__ import annotations

import http.client
import re
import socket
import urllib.error
import urllib.request
from contextlib import closing
from pathlib import Path

import pytest

from controller.board.kept import FOR_EVER, KeptFiles
from controller.board.server import Board
from controller.board.settings import BoardKeys, BoardSettings
from controller.board.web import STATIC, read_words
from controller.own_names import is_own, own_names
from controller.vocabulary.errors import ConfigurationError
from controller.vocabulary.irregularities import KINDS, VOID_REASONS
from making.pages.runbook import ALERTS
from tests.board.serving import BoardProcess
from tests.docs.test_pages import codes_in_code
from tests.harness.patience import PATIENCE_S
from tests.harness.process import comes

PAGES = ("/", "/kiosk", "/table/north/7", "/table/north/7/test", "/dealer/north/7", "/dealer/north/7/test")


@pytest.mark.parametrize("path", [*PAGES, "/words", "/static/app/dom.js", "/no-such-page"])
def test_every_answer_has_the_security_headers(board: BoardProcess, path: str) -> None:
    _, headers, _ = board.get(path)
    headers = {name.lower(): value for name, value in headers.items()}
    policy = dict(part.strip().split(" ", 1) for part in headers["content-security-policy"].split(";"))
    assert policy["default-src"] == "'none'"
    for kind in ("script", "style", "connect", "font", "img"):
        assert policy[f"{kind}-src"] == "'self'"
    assert policy["frame-ancestors"] == policy["base-uri"] == policy["form-action"] == "'none'"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert "server" not in headers


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
def test_the_board_can_only_be_read(board: BoardProcess, method: str) -> None:
    request = urllib.request.Request(board.url + "/", method=method, data=b"")
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(request, timeout=PATIENCE_S)
    assert refused.value.code == 405
    refused.value.close()


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1:{port}", 200),
        ("localhost:{port}", 200),
        ("LocalHost.", 200),
        ("[::1]:{port}", 200),
        ("192.0.2.7", 200),
        ("rebinding.example", 421),
        ("rebinding.example:{port}", 421),
        ("127.0.0.1.rebinding.example", 421),
        ("localhost.rebinding.example", 421),
        ("[::1", 421),
        ("[rebinding.example]", 421),
        ("\x00", 400),
    ],
)
def test_it_answers_under_its_own_names_and_no_other(board: BoardProcess, host: str, status: int) -> None:
    """A page from anywhere can point its own name here (DNS rebinding)."""
    with socket.create_connection(("127.0.0.1", board.port), timeout=PATIENCE_S) as line:
        asked = host.replace("{port}", str(board.port))
        line.sendall(f"GET /words HTTP/1.1\r\nHost: {asked}\r\nConnection: close\r\n\r\n".encode("latin-1"))
        answer = line.makefile("rb").readline().decode()
    assert answer.startswith(f"HTTP/1.1 {status} "), (host, answer)


def test_a_house_gives_it_names() -> None:
    names = own_names("0.0.0.0", ("Board.Example",))
    assert is_own("board.example:8070", names)
    assert not is_own("example", names)


@pytest.mark.parametrize(
    "path",
    ["/static/../web.py", "/static/%2e%2e/web.py", "/table/north", "/table/no rth/7", "/stream/table/+/7"],
)
def test_what_is_not_ours_is_not_served(board: BoardProcess, path: str) -> None:
    status, _, body = board.get(path.replace(" ", "%20"))
    assert status == 404
    assert b"Starlette" not in body


@pytest.mark.parametrize("page", PAGES)
def test_what_a_page_is_made_of_is_kept_for_ever_under_its_digest_and_asked_for_under_any_other(
    board: BoardProcess, page: str
) -> None:
    _, headers, content = board.get(page)
    assert headers["cache-control"] == "no-cache"
    named = re.findall(r'"/static/([^"]+)"', content.decode())
    assert {digest for digest, _ in (name.split("/", 1) for name in named)} == {KeptFiles(STATIC).digest}
    for name in named:
        file = name.split("/", 1)[1]
        for address, kept in ((name, FOR_EVER), (file, "no-cache"), (f"0123456789abcdef/{file}", "no-cache")):
            status, headers, body = board.get(f"/static/{address}")
            assert (status, headers["cache-control"]) == (200, kept), address
            assert body == (STATIC / file).read_bytes(), address


def test_a_file_that_a_browser_has_is_not_sent_again(board: BoardProcess) -> None:
    line = http.client.HTTPConnection("127.0.0.1", board.port, timeout=PATIENCE_S)
    with closing(line):
        line.request("GET", "/static/app/dom.js")
        first = line.getresponse()
        assert first.read()
        line.request("GET", "/static/app/dom.js", headers={"If-None-Match": str(first.headers["etag"])})
        again = line.getresponse()
        assert (again.status, again.read()) == (304, b"")


def test_the_digest_changes_with_a_file_and_what_is_new_on_the_disk_waits_for_a_start(tmp_path: Path) -> None:
    file = tmp_path / "style" / "one.css"
    file.parent.mkdir()
    file.write_text("a {}")
    before = KeptFiles(tmp_path)
    file.write_text("b {}")
    assert before.answer(f"{before.digest}/style/one.css").body == b"a {}"
    assert KeptFiles(tmp_path).digest != before.digest


def test_pages_name_no_outside_address_and_run_no_inline_code() -> None:
    for file in STATIC.rglob("*"):
        if file.suffix in (".html", ".css", ".js"):
            text = file.read_text().replace("http://www.w3.org/2000/svg", "")
            assert not re.search(r"https?://|//[a-z]+\.|@import|\beval\(|innerHTML", text), file.name
    for page in STATIC.glob("*.html"):
        assert not re.search(r"<script>|<style|\son\w+=|\sstyle=", page.read_text()), page.name


def test_every_language_has_every_word_with_the_same_places() -> None:
    words = read_words(None)
    assert set(words) >= {"en", "zh"}
    for language, texts in words.items():
        assert set(texts) == set(words["en"]), language
        for key, text in texts.items():
            assert set(re.findall(r"\{\w+\}", text)) == set(re.findall(r"\{\w+\}", words["en"][key])), key


def test_there_are_words_for_every_hold_choice_and_void_reason() -> None:
    words = read_words(None)["en"]
    assert {f"hold.{code}" for code in KINDS} <= set(words)
    assert {f"void.{reason}" for reason in VOID_REASONS} <= set(words)
    choices = {choice for kind in KINDS.values() for choice in kind.choices}
    assert {f"choice.{choice}" for choice in choices} <= set(words)
    assert {f"choice.{choice}.says" for choice in choices} <= set(words)


def test_there_are_words_for_every_alert() -> None:
    words = read_words(None)["en"]
    without = [
        code
        for code in sorted({*codes_in_code(), *KINDS, *(code.removesuffix("-*") for code in ALERTS)})
        if not {f"alert.{code}", f"wait.{code}", f"hold.{code}"} & set(words)
    ]
    assert without == [], "who reads another language would get the English message"


def test_every_word_that_the_pages_ask_for_is_there() -> None:
    words = read_words(None)["en"]
    asked = set()
    for file in (STATIC / "app").glob("*.js"):
        asked |= set(re.findall(r'\bt\("([\w.-]+)"', file.read_text()))
    assert asked <= set(words)


def test_a_house_adds_a_language_and_changes_a_word(tmp_path: Path) -> None:
    (tmp_path / "ms.json").write_text('{"board": "Papan"}')
    (tmp_path / "en.json").write_text('{"result.void": "Annulled"}')
    words = read_words(str(tmp_path))
    assert words["ms"] == {"board": "Papan"}
    assert (words["en"]["result.void"], words["en"]["board"]) == ("Annulled", "Result board")


def test_a_file_of_words_that_is_wrong_is_named(tmp_path: Path) -> None:
    (tmp_path / "ms.json").write_text("[]")
    with pytest.raises(ConfigurationError, match=r"board\.words: .*ms\.json"):
        read_words(str(tmp_path))


@pytest.mark.parametrize("host", ["::1", "a" * 70])
def test_an_address_that_cannot_be_had_is_an_error_of_the_configuration(
    monkeypatch: pytest.MonkeyPatch, host: str
) -> None:
    monkeypatch.setattr(socket, "has_dualstack_ipv6", lambda: False)
    with pytest.raises(ConfigurationError, match=rf"board\.port: cannot listen on {host} port"):
        Board(BoardSettings(board=BoardKeys(host=host)), port=0)


def test_health_says_whether_the_broker_is_heard(board: BoardProcess) -> None:
    heard = b'"source":"broker","heard":true'
    comes(lambda: heard in board.get("/healthz")[2], True)
    assert board.get("/healthz")[0] == 200
