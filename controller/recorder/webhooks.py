"""Other systems are told of what is recorded: each message of a table in order, signed, until it is taken.

Only what is committed is told, and how far each system is stands in the database: whatever dies, what was not
answered with 2xx is told again under the same id. A message that one system does not take holds up its own
table there and nothing else. Signed as Standard Webhooks has it (``webhook-signature``).
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import hmac
import http.client
import ssl
import threading
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import msgspec
import psycopg

from controller.outbox.envelope import message_id, message_type, signature_of
from controller.recorder.batch import CHANNEL, Place
from controller.recorder.database import Connection, RecordError, connect
from controller.recorder.figures import Figures
from controller.recorder.settings import RecorderSettings, WebhookKeys
from controller.settings.broker import secret_file
from controller.vocabulary.errors import ConfigurationError, why
from controller.vocabulary.outside import secret_in

CONTENT_TYPE = "application/cloudevents+json; charset=utf-8"
PATIENCE_S = 10.0
LOOK_S = 1.0
"""A new message is told at once, by NOTIFY; else it is looked this often."""
PAGE = 200
WAITS_S = (1.0, 2.0, 5.0, 10.0, 30.0, 60.0)
"""Between attempts; the last one stays."""
PREFIX = "whsec_"
_NEW = "INSERT INTO dealer_table.webhooks (name) VALUES (%s) ON CONFLICT DO NOTHING"
_FROM_HERE = """
INSERT INTO dealer_table.deliveries
SELECT DISTINCT ON (site, "table") %s, site, "table", epoch, sequence FROM dealer_table.streams
WHERE site = ANY(%s) ORDER BY site, "table", epoch DESC
"""
_BEHIND = """
SELECT s.site, s."table", coalesce(d.epoch, -1), coalesce(d.sequence, -1)
FROM (SELECT DISTINCT ON (site, "table") * FROM dealer_table.streams ORDER BY site, "table", epoch DESC) s
LEFT JOIN dealer_table.deliveries d ON d.webhook = %s AND d.site = s.site AND d."table" = s."table"
WHERE s.site = ANY(%s) AND (d.epoch IS NULL OR (d.epoch, d.sequence) < (s.epoch, s.sequence))
"""
_NEXT = """
SELECT epoch, sequence, type, raw, body ->> 'keyid', body ->> 'signature' FROM dealer_table.messages
WHERE site = %s AND "table" = %s AND (epoch, sequence) > (%s, %s) ORDER BY epoch, sequence LIMIT %s
"""
_DELIVERED = """
INSERT INTO dealer_table.deliveries VALUES (%s, %s, %s, %s, %s)
ON CONFLICT (webhook, site, "table") DO UPDATE SET epoch = excluded.epoch, sequence = excluded.sequence
"""


class Trouble(msgspec.Struct):
    """A table whose next message was not taken."""

    failures: int = 0
    again_s: float = 0.0


class Webhook(threading.Thread):
    """One system that is told, over connections of its own; until :meth:`stop`."""

    def __init__(
        self, settings: RecorderSettings, keys: WebhookKeys, tell: Callable[[str], None], figures: Figures
    ) -> None:
        """ConfigurationError where the secret cannot be read."""
        super().__init__(name=f"webhook-{keys.name}", daemon=True)
        self._settings = settings
        self._keys = keys
        self._tell = tell
        self._failed = figures.webhook_failures
        self._failed.setdefault(keys.name, 0)
        self._secret = read_secret(keys.secret_file)
        self._types = frozenset(map(message_type, keys.types))
        self._leave = threading.Event()
        self._house: http.client.HTTPConnection | None = None
        self._troubles: dict[Place, Trouble] = {}
        self._said = ""

    def stop(self) -> None:
        """End soon, and wait for it."""
        self._leave.set()
        if self.is_alive():
            self.join(PATIENCE_S + LOOK_S)

    def run(self) -> None:
        """Until :meth:`stop`; whatever fails is tried again."""
        while not self._leave.is_set():
            try:
                with connect(
                    self._settings.database, f"dealer-table webhook {self._keys.name}"
                ) as connection:
                    self._begin(connection)
                    self._said = ""
                    while not self._leave.is_set():
                        self._deliver(connection)
                        for _ in connection.notifies(timeout=LOOK_S, stop_after=1):
                            pass
            except (RecordError, ConfigurationError, psycopg.Error) as error:
                self._say(f"{why(error)}; it is told what it lacks as soon as the database answers")
                self._leave.wait(LOOK_S)
            except Exception as error:  # whatever it is: what was not told stays to be told
                self._failed[self._keys.name] += 1
                self._say(f"failed ({type(error).__name__}: {why(error)}); it is tried again")
                self._leave.wait(LOOK_S)
            finally:
                self._hang_up()

    def _begin(self, connection: Connection) -> None:
        """A system that is new is told what comes from now on."""
        with connection.transaction():
            if connection.execute(_NEW, (self._keys.name,)).rowcount:
                connection.execute(_FROM_HERE, (self._keys.name, list(self._settings.sites)))
        connection.execute(f"LISTEN {CHANNEL}")

    def _deliver(self, connection: Connection) -> None:
        rows = connection.execute(_BEHIND, (self._keys.name, list(self._settings.sites))).fetchall()
        for site, table, epoch, sequence in rows:
            trouble = self._troubles.get((site, table))
            if trouble is None or trouble.again_s <= time.monotonic():
                self._deliver_table(connection, (site, table), epoch, sequence)

    def _deliver_table(self, connection: Connection, place: Place, epoch: int, sequence: int) -> None:
        """The next messages of a table, up to the first that is not taken."""
        reached = None
        for epoch_, sequence_, type_, raw, keyid, mark in connection.execute(
            _NEXT, (*place, epoch, sequence, PAGE)
        ).fetchall():
            wanted = not self._types or type_ in self._types
            name = message_id(epoch_, sequence_)
            if self._leave.is_set() or (wanted and not self._told(place, name, as_sent(raw, keyid, mark))):
                break
            reached = epoch_, sequence_
        if reached is not None:
            connection.execute(_DELIVERED, (self._keys.name, *place, *reached))

    def _told(self, place: Place, name: str, body: bytes) -> bool:
        refused = self._post("/".join((*place, name)), body)
        if refused is None:
            if self._troubles.pop(place, None) is not None and not self._troubles:
                self._say("takes messages again")
            return True
        trouble = self._troubles.setdefault(place, Trouble())
        trouble.again_s = time.monotonic() + WAITS_S[min(trouble.failures, len(WAITS_S) - 1)]
        trouble.failures += 1
        self._say(f"{refused}; it is told again until it takes it")
        return False

    def _say(self, line: str) -> None:
        if line != self._said:
            self._said = line
            self._tell(f"webhook {self._keys.name}: {line}")

    # HTTP

    def _post(self, name: str, body: bytes) -> str | None:
        """Send one message; why it was not taken, None where it was."""
        where = urlsplit(self._keys.url)
        headers = {"content-type": CONTENT_TYPE, **signature(self._secret, name, int(time.time()), body)}
        try:
            house = self._house = self._house or self._connection()
            path = (where.path or "/") + (f"?{where.query}" if where.query else "")
            house.request("POST", path, body, headers)
            answer = house.getresponse()
            answer.read(65_536)
            if not answer.isclosed() or answer.will_close:
                self._hang_up()
        except (OSError, http.client.HTTPException) as error:
            self._hang_up()
            return f"{where.netloc} cannot be told: {why(error)}"
        return None if 200 <= answer.status < 300 else f"{where.netloc} answers {answer.status}"

    def _connection(self) -> http.client.HTTPConnection:
        where = urlsplit(self._keys.url)
        host = where.hostname or ""
        if where.scheme == "https":
            context = ssl.create_default_context()
            return http.client.HTTPSConnection(host, where.port, timeout=PATIENCE_S, context=context)
        return http.client.HTTPConnection(host, where.port, timeout=PATIENCE_S)

    def _hang_up(self) -> None:
        house, self._house = self._house, None
        if house is not None:
            with contextlib.suppress(OSError):
                house.close()


def as_sent(raw: bytes, keyid: str | None, mark: str | None) -> bytes:
    """The message with who signed it, where somebody did."""
    said = b'%s,"keyid":"%s","signature":"%s"}' % (raw[:-1], (keyid or "").encode(), (mark or "").encode())
    return raw if signature_of(said) is None else said


def signature(secret: bytes, name: str, at_s: int, body: bytes) -> dict[str, str]:
    """The headers that say which message it is and who sends it. ``at_s``: seconds since 1970."""
    signed = b"%s.%d.%s" % (name.encode(), at_s, body)
    mark = base64.b64encode(hmac.digest(secret, signed, hashlib.sha256)).decode()
    return {"webhook-id": name, "webhook-timestamp": str(at_s), "webhook-signature": f"v1,{mark}"}


def read_secret(path: str) -> bytes:
    """The secret that both sides know. ConfigurationError where the file holds none."""
    file = secret_file(path) or Path(path)
    text = secret_in("webhooks.secret_file", file).strip()
    try:
        secret = base64.b64decode(text.removeprefix(PREFIX), validate=True)
    except ValueError as error:  # binascii has one, and one for what is not ASCII
        raise ConfigurationError(f"webhooks.secret_file: cannot use {file}: {why(error)}") from error
    if len(secret) < 24 or not text.startswith(PREFIX):
        needed = 'echo "whsec_$(openssl rand -base64 32)" makes one'
        raise ConfigurationError(
            f"webhooks.secret_file: {file} holds no secret of 24 bytes or more: {needed}"
        )
    return secret
