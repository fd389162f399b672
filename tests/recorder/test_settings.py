"""The configuration of the recorder: the example is right, and what is wrong is named."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest

from controller.recorder.database import RecordError, connect
from controller.recorder.settings import DatabaseKeys, load_recorder_settings
from controller.vocabulary.errors import ConfigurationError
from tests.harness.examples import CONFIG

WHOLE = 'sites = ["north"]\n[database]\nurl = "postgresql://recorder@127.0.0.1/floor"\n'
WEBHOOK = '[[webhooks]]\nname = "cms"\nurl = "http://127.0.0.1:1/"\nsecret_file = "cms.secret"\n'


def test_the_example_is_right_and_a_line_that_is_off_shows_the_default(tmp_path: Path) -> None:
    text = (CONFIG / "recorder.toml").read_text()
    off = [line for line in text.splitlines() if line.startswith("# ") and " = " in line]
    on = text
    webhook = text.partition("# [[webhooks]]")[2].partition("\n\n")[0]
    for line in off:
        if not line.endswith("none") and line not in webhook:
            on = on.replace(line, line[2:])
    assert on != text
    for name, said in (("plain.toml", text), ("on.toml", on)):
        (tmp_path / name).write_text(said)
    plain, switched = (load_recorder_settings(tmp_path / name) for name in ("plain.toml", "on.toml"))
    assert plain == switched


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (WHOLE.replace('["north"]', "[]"), "sites: missing"),
        (WHOLE.replace('["north"]', '["north", "north"]'), r"sites\[1\]: north stands there twice"),
        (WHOLE.replace("postgresql:", "mysql:"), "database.url: .* is wrong"),
        (WHOLE.replace('"postgresql://recorder@127.0.0.1/floor"', '""'), "database.url: "),
        (WHOLE + '[broker]\nhost = "a"\nhosts = ["b:1"]\n', "broker.hosts: broker.host and broker.port"),
        (WHOLE + '[broker]\nhosts = ["b"]\n', r"broker.hosts\[0\]: .* needed is a broker as"),
        (WHOLE + "[retention]\nmonths = -1\n", "retention.months: -1 is wrong"),
        (WHOLE + WEBHOOK * 2, r"webhooks\[1\].name: cms stands there twice"),
        (
            WHOLE + WEBHOOK + 'types = ["round.resul"]\n',
            r'webhooks\[0\].types: there is no message "round.resul"',
        ),
        (WHOLE + WEBHOOK.replace(":1/", ":99999/"), r"webhooks\[0\].url: .* is no address of the web"),
        (WHOLE + "[recoder]\n", "recoder: there is no such key; did you mean recorder"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, text: str, why: str) -> None:
    file = tmp_path / "recorder.toml"
    file.write_text(text)
    with pytest.raises(ConfigurationError, match=why):
        load_recorder_settings(file)


@pytest.mark.parametrize(
    ("written", "why"),
    [
        (None, "no password supplied; name its file in database.password_file"),
        ("wrong", "password authentication failed .* database.password_file should hold that user's"),
    ],
)
def test_who_may_not_connect_hears_what_to_mend(
    tmp_path: Path, url: str, written: str | None, why: str
) -> None:
    with psycopg.connect(url, autocommit=True) as database:
        database.execute("DROP ROLE IF EXISTS guarded")
        database.execute("CREATE ROLE guarded LOGIN PASSWORD 'right'")
        [(rights,)] = database.execute("SHOW hba_file").fetchall()
        ask = "host all guarded 127.0.0.1/32 scram-sha-256\n"
        if ask not in (before := Path(rights).read_text()):
            Path(rights).write_text(ask + before)
        database.execute("SELECT pg_reload_conf()")
    file = None if written is None else tmp_path / "password"
    if file is not None:
        file.write_text(f"{written}\n")
    keys = DatabaseKeys(url.replace("://books@", "://guarded@"), None if file is None else str(file))
    with pytest.raises(RecordError, match=why):
        connect(keys, "a test").close()
