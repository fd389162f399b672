"""Another system is told of what is recorded: in order, signed, until it has taken it, whoever dies."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from controller.recorder.database import Connection, RecordError
from controller.recorder.figures import Figures
from controller.recorder.metrics import metrics_of
from controller.recorder.settings import load_recorder_settings
from controller.recorder.webhooks import Webhook, as_sent, read_secret, signature
from controller.settings.writing import toml_text
from controller.vocabulary.errors import ConfigurationError
from tests.harness.broker import Broker
from tests.harness.keys import SIGNER, by
from tests.harness.patience import PATIENCE_S
from tests.recorder.recording import Recorder, kept, run_until, table

SECRET = bytes(range(32))
TEXT = f"whsec_{base64.b64encode(SECRET).decode()}"


class House:
    """A system that is told; ``refuses`` makes it answer 503."""

    def __init__(self) -> None:
        self.taken: dict[str, bytes] = {}
        """Id -> body, in the order in which they came first."""
        self.refuses = False
        self.refused = 0
        house = self

        class Door(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                name, at = self.headers["webhook-id"], self.headers["webhook-timestamp"]
                signed = f"{name}.{at}.".encode() + body
                mark = base64.b64encode(hmac.digest(SECRET, signed, hashlib.sha256)).decode()
                right = self.headers["webhook-signature"] == f"v1,{mark}"
                status = 401 if not right else 503 if house.refuses else 204
                if status == 204:
                    house.taken.setdefault(name, body)
                else:
                    house.refused += 1
                self.send_response(status)
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                """Nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Door)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def sequences(self) -> list[int]:
        return [json.loads(body)["sequence"] for body in self.taken.values()]


@pytest.fixture
def house() -> Iterator[House]:
    made = House()
    yield made
    made.server.shutdown()
    made.server.server_close()


def keys(folder: Path, house: House | str, **more: Any) -> dict[str, Any]:
    (folder / "cms.secret").write_text(f"{TEXT}\n")
    where = house if isinstance(house, str) else f"127.0.0.1:{house.server.server_address[1]}"
    url = f"http://{where}/floor"
    return {"webhooks": [{"name": "cms", "url": url, "secret_file": "cms.secret", **more}]}


def test_each_message_is_told_in_order_also_where_house_and_recorder_were_away(
    tmp_path: Path, broker: Broker, url: str, house: House
) -> None:
    with table(broker, "7") as one, Recorder(tmp_path, broker.port, url, **keys(tmp_path, house)) as recorder:
        one.write(10)
        run_until(lambda: len(house.taken) == 10, [one], recorder)
        house.refuses = True
        one.write(10)
        run_until(lambda: house.refused > 0, [one], recorder)
        run_until(lambda: "answers 503" in recorder.log, [one], recorder)
        recorder.restart()
        house.refuses = False
        run_until(lambda: len(house.taken) == 20, [one], recorder)
        assert house.sequences == list(range(1, 21))
        assert list(house.taken.values()) == [by(SIGNER, body) for body in kept(one)]
        assert next(iter(house.taken)) == "north/7/5-1"


def test_only_the_messages_that_are_wanted_are_told_and_a_new_one_begins_now(
    tmp_path: Path, broker: Broker, url: str, house: House
) -> None:
    with table(broker, "7") as one:
        with Recorder(tmp_path, broker.port, url) as recorder:
            one.write(5)
            run_until(lambda: one.publisher.counters.acknowledged["recorder"] == 5, [one], recorder)
        wanted = keys(tmp_path, house, types=["round.card", "round.void"])
        with Recorder(tmp_path, broker.port, url, **wanted) as recorder:
            begun = "SELECT sequence FROM dealer_table.deliveries"
            run_until(lambda: recorder.rows(begun) == [(5,)], [one], recorder)
            one.write(2)
            run_until(lambda: house.sequences == [6, 7], [one], recorder)


@pytest.mark.parametrize(
    ("error", "told", "counted"),
    [
        (KeyError("nobody foresaw that"), "failed (KeyError: 'nobody foresaw that'); it is tried again", 1),
        (RecordError("the database: gone"), "the database: gone; it is told what it lacks as soon as", 0),
    ],
)
def test_an_error_is_told_and_counted_and_the_telling_goes_on(
    tmp_path: Path, url: str, error: Exception, told: str, counted: int
) -> None:
    file, said, figures = tmp_path / "recorder.toml", list[str](), Figures()
    file.write_text(toml_text({"sites": ["north"], "database": {"url": url}, **keys(tmp_path, "no.example")}))
    settings = load_recorder_settings(file)

    class Told(Webhook):
        def _begin(self, connection: Connection) -> None:
            if not said:
                raise error
            begun.set()

        def _deliver(self, connection: Connection) -> None:
            pass

    begun = threading.Event()
    webhook = Told(settings, settings.webhooks[0], said.append, figures)
    webhook.start()
    assert begun.wait(PATIENCE_S)
    webhook.stop()
    [line] = said
    assert line.startswith(f"webhook cms: {told}")
    failures = f'recorder_webhook_failures_total{{recorder="one",webhook="cms"}} {counted}'
    assert failures in metrics_of(figures, "one")


def test_a_message_that_was_signed_is_told_with_who_signed_it() -> None:
    raw = b'{"epoch":1,"id":"1-1","type":"a"}'
    told = by(SIGNER, raw)
    said = json.loads(told)
    assert as_sent(raw, said["keyid"], said["signature"]) == told
    assert as_sent(raw, None, None) == as_sent(raw, "no key", "no signature") == raw


def test_a_signature_as_standard_webhooks_has_it(tmp_path: Path) -> None:
    file = tmp_path / "secret"
    file.write_text("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n")
    headers = signature(
        read_secret(str(file)), "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, b'{"test": 2432232314}'
    )
    assert headers["webhook-signature"] == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


@pytest.mark.parametrize("text", ["", "secret", "whsec_", "whsec_c2hvcnQ=", TEXT.removeprefix("whsec_")])
def test_a_file_without_a_secret_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "secret").write_text(text)
    with pytest.raises(ConfigurationError, match=r"webhooks.secret_file: .*secret"):
        read_secret(str(tmp_path / "secret"))
