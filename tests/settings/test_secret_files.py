"""Files that hold a password or a token and nothing else, as editors write them, at each key for one."""

from __future__ import annotations

import base64
from collections.abc import Callable
from pathlib import Path

import pytest

from controller.outbox.broker import BrokerSettings, read_password
from controller.recorder.database import connect
from controller.recorder.settings import DatabaseKeys
from controller.recorder.webhooks import read_secret
from controller.vocabulary.errors import ConfigurationError
from controller.wagering.service import Wagering
from controller.wagering.settings import DatabaseKeys as BooksKeys
from controller.wagering.settings import HttpKeys, WageringKeys, WageringSettings, read_token

SECRET = "whsec_" + 32 * "QUJD"


def of_broker(file: Path) -> object:
    return read_password(BrokerSettings("north-7", password_file=file))


def of_token(file: Path) -> object:
    return read_token("http.operator_token_file", str(file))


def of_webhook(file: Path) -> object:
    return f"whsec_{base64.b64encode(read_secret(str(file))).decode()}"


def of_record(file: Path) -> object:
    return connect(DatabaseKeys("postgresql://127.0.0.1:1/floor", str(file)), "test")


def of_books(file: Path) -> object:
    token = file.with_name("operator.token")
    token.write_text("a-token-of-the-operator")
    settings = WageringSettings(
        wagering=WageringKeys(name="wagering"),
        database=BooksKeys(f"sqlite:///{file.with_name('books.db')}", str(file)),
        http=HttpKeys(str(token)),
        tables=(),
    )
    return Wagering(settings, tell=lambda _: None)


READERS: list[tuple[str, Callable[[Path], object]]] = [
    ("mqtt.password_file", of_broker),
    ("http.operator_token_file", of_token),
    ("webhooks.secret_file", of_webhook),
    ("database.password_file", of_record),
    ("database.password_file", of_books),
]


@pytest.mark.parametrize("reader", [of_broker, of_token, of_webhook])
@pytest.mark.parametrize("body", [b"%s", b"%s\n", b"%s\r\n", b"\xef\xbb\xbf%s\r\n"])
def test_a_secret_is_what_stands_in_the_file_without_line_end_and_mark(
    tmp_path: Path, reader: Callable[[Path], object], body: bytes
) -> None:
    file = tmp_path / "secret"
    file.write_bytes(body % SECRET.encode())
    assert reader(file) == SECRET


@pytest.mark.parametrize(("key", "reader"), READERS)
@pytest.mark.parametrize(
    ("body", "wrong"),
    [
        (None, "No such file or directory"),
        (SECRET.encode("utf-16"), "this is no UTF-8 text"),
        (SECRET.encode("utf-16-le"), "this is no UTF-8 text"),
        (b"pass\xe9", "this is no UTF-8 text"),
    ],
)
def test_a_file_that_holds_none_is_named_with_its_key(
    tmp_path: Path, key: str, reader: Callable[[Path], object], body: bytes | None, wrong: str
) -> None:
    file = tmp_path / "secret"
    if body is not None:
        file.write_bytes(body)
    with pytest.raises(ConfigurationError) as refused:
        reader(file)
    assert refused.value.message == f"{key}: cannot use {file}: {wrong}"


@pytest.mark.parametrize("text", ["whsec_é", "whsec_short", SECRET.removeprefix("whsec_"), "whsec_!"])
def test_a_webhook_is_refused_a_secret_that_is_none(tmp_path: Path, text: str) -> None:
    file = tmp_path / "secret"
    file.write_text(text)
    with pytest.raises(ConfigurationError) as refused:
        read_secret(str(file))
    assert refused.value.message.startswith("webhooks.secret_file: ")
    assert str(file) in refused.value.message
