"""One table's stream as a consumer follows it: what is missing, what is asked for and when, what is owed.

It has no socket and no clock: whoever has them hands it what came and when, and sends what it says.
``consumer.py`` does that for one table; who follows many tables does it over one connection. Times are
monotonic seconds.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial

import msgspec

from controller.consumer.asking import Asking, Told, Traffic
from controller.consumer.notices import (
    Answered,
    AskedInVain,
    NewEpoch,
    NotNamed,
    Pinned,
    SaysNoKey,
    TableNotice,
)
from controller.consumer.store import (
    Cursor,
    Gap,
    Keeping,
    NoKey,
    OtherEpoch,
    Repeated,
    Taken,
    introduced,
)
from controller.outbox.commands import Resend, Snapshot
from controller.outbox.envelope import canonical_json, read_envelope
from controller.outbox.reports import Arrived
from controller.outbox.retained import Ack, Status
from controller.outbox.signature import is_key, keyid_of, verify
from controller.outbox.topics import Topics
from controller.vocabulary.errors import read_json

utc_now = partial(datetime.now, UTC)
QUIET_S = 1.0
EXPIRES_S = 30


class Letter(msgspec.Struct, frozen=True):
    """What is to be published for the table."""

    topic: str
    payload: bytes
    retain: bool = False


class Following:
    """One consumer of one table's stream, without the connection. ``see`` is told what happened, ``Taken``
    too."""

    def __init__(
        self,
        *,
        name: str,
        topics: Topics,
        store: Keeping,
        see: Callable[[TableNotice], None],
        accept_epochs: bool = False,
        own_epochs: bool = False,
        key: str = "",
        wall: Callable[[], datetime] = utc_now,
        traffic: Traffic | None = None,
    ) -> None:
        """``key``: the table's public key, by a person; empty: the first that the table names in each epoch
        that is accepted. ``accept_epochs``: a larger epoch is taken, with the key that it introduces where
        none is given; ``own_epochs``: one that the key signs which is known, and no other.
        ``traffic``: of the connection; None: nobody else follows a table over it."""
        self.topics = topics
        self.store = store
        self.listening = False
        """Whether the stream is heard."""
        self.status: Status | None = None
        """What the table last said of itself."""
        self.head = 0
        """Of the stream, as far as anybody here knows."""
        self._name = name
        self._see = see
        self._accept_epochs = accept_epochs
        self._own_epochs = own_epochs
        self._key = key
        cursor = store.cursor
        self._pinned = (
            None
            if cursor is None or not cursor.key
            else Pinned(cursor.epoch, keyid_of(cursor.key), cursor.key)
        )
        """What was said of it."""
        self._keyless = False
        """It was said that the table names no key."""
        self._wall = wall
        self._listens_s = 0.0
        """Since when."""
        self._spoke = self._wondered = False
        """Whether the table itself has spoken since we listen, and whether somebody wants to know."""
        self._owes = False
        """Something is safe here that the table was not told."""
        self._traffic = Traffic() if traffic is None else traffic
        self._asking = Asking(self._traffic)
        self._moved_s = 0.0
        self._late_s = -QUIET_S
        """When a message came that had been sent late."""
        self._own = False
        """Whether what is sent again for us is heard where nobody else hears it."""
        self._alone = True
        """Whether it is asked for there, next time: where we may not read nothing comes."""
        self._gap = self._came = self._promised = 0
        """What was missing, the last that came from behind that, and up to where all comes again."""
        self._announced = 0
        """A larger epoch that somebody speaks of, to be asked for: only its messages prove whose it is."""
        self._reply_topic = ""
        self._alarm: OtherEpoch | None = None
        self._requests = 0
        self._asker = f"{name[:12]}-{secrets.token_hex(6)}"
        self._commands: dict[str, datetime] = {}
        """Ids of what the owner asked for and nobody answered yet -> when it expires."""

    @property
    def filters(self) -> tuple[str, ...]:
        """What to subscribe to."""
        return (*self.streams, self.topics.status, self.topics.reply("+"))

    @property
    def streams(self) -> tuple[str, str]:
        """Where messages come: as they are said, and again for us alone."""
        return self.topics.events, self.topics.repeats(self._name)

    def heard(self, now_s: float) -> bool:
        """Whether we hold all that the table has said, as far as anybody here can know: it has spoken since
        we listen (what the broker kept may be of a table that is cut off), is online, under our epoch,
        nothing up to its head is missing, and what went out before we listened had its time to come. From
        any thread; from the first time on the table is asked."""
        cursor, status, self._wondered = self.store.cursor, self.status, True
        if not (self.listening and self._spoke and cursor and now_s - self._listens_s >= QUIET_S):
            return False
        online = status is None or (status.state == "online" and status.epoch == cursor.epoch)
        return online and self.head <= cursor.sequence

    # What happens

    def connected(self, now_s: float) -> None:
        """The broker let us in: the table is told what we have, and what it has to say is heard soon."""
        self._asking.begin()
        self._moved_s, self._came, self._promised = now_s, 0, 0
        self._owes = True

    def subscribed(self, now_s: float, denied: Collection[str] = ()) -> None:
        """The broker answered to our subscription; ``denied``: what it lets us not hear."""
        own = self.topics.repeats(self._name)
        self.listening, self._listens_s, self._spoke = set(denied) <= {own}, now_s, False
        self._own = self._alone = own not in denied
        self._owes = True

    def trust(self, key: str) -> None:
        """A person has accepted this public key of the table. InputError where it is none."""
        keyid_of(key)
        self._key = key
        self._asking.begin()
        self._hear_of_head()

    def lost(self) -> None:
        """There is no connection any more."""
        self.listening = False

    def receive(self, bodies: Sequence[bytes], now_s: float) -> None:
        """Messages of the stream came, on whichever of ``streams``. What is taken is owed an
        acknowledgement."""
        self._traffic.came(len(bodies), now_s)
        self._pin()
        outcomes = self.store.take(bodies)
        self._tell_pin()
        for number, outcome in enumerate(outcomes):
            if isinstance(outcome, OtherEpoch):
                self._sound(outcome)
                if self._goes_over(outcome, bodies[number]):
                    self.receive(bodies[number:], now_s)
                    return
                continue
            if isinstance(outcome, NoKey):
                self.head = max(self.head, outcome.sequence)
                continue
            self._see(outcome)
            if isinstance(outcome, Taken):
                self._moved_s = now_s
                if outcome.envelope.historical:
                    self._late_s = now_s
                else:
                    self._spoke = True
            elif isinstance(outcome, Gap):
                self._gap, self._came = outcome.expected, outcome.came
                self.head = max(self.head, outcome.came)
            self._owes |= isinstance(outcome, Taken | Repeated)

    def hear(self, report: Arrived, now_s: float) -> None:
        """Anything else that came on one of our topics."""
        if report.topic == self.topics.status:
            self._hear_of_table(report.payload, retained=report.retained)
            self._hear_of_head()
        elif report.topic == self._reply_topic:
            self._answered(report.payload, now_s)
        else:
            self._hear_answer(report)

    # What is to be sent

    def acknowledgement(self) -> Letter | None:
        """What the table must still be told; once. Publish it when what was taken is safe."""
        cursor = self.store.cursor
        if not self._owes or cursor is None:
            return None
        self._owes = False
        return Letter(self.topics.ack(self._name), acknowledgement(cursor, repeats=self._own), retain=True)

    def farewell(self) -> Letter | None:
        """The last word before we go: where we are, and where what we lack may wait for us."""
        self._owes = True
        return self.acknowledgement()

    def question(self, now_s: float) -> Letter | None:
        """Ask for what is missing: at once where a message came from behind it, else when nothing comes.
        Where much comes it may still come itself: see ``asking``."""
        cursor = self.store.cursor
        epoch, missing = (0, 0) if cursor is None else (cursor.epoch, cursor.sequence + 1)
        dropped = 0 < self._promised < missing <= self._came  # it came from behind the gap
        if self._announced:
            epoch, missing = self._announced, 1
        elif cursor is not None:
            # While a backlog comes, what is said now comes from behind it: nothing is lost.
            certain = self._gap == missing and now_s - self._late_s >= QUIET_S
            if missing > self.head and self._wondered and not self._spoke and self.listening:
                epoch, missing = 0, 0
            elif missing > self.head or not (certain or dropped or now_s - self._moved_s >= QUIET_S):
                return None
        surely = not missing or self._announced > 0 or dropped
        asks = self._asking.due((epoch, missing), now_s, surely=surely)
        if asks is None:
            return None
        self._announced = self._promised = 0
        request_id, expires = self._request()
        self._reply_topic = self.topics.reply(request_id)
        if not missing:
            return Letter(self.topics.command("snapshot"), canonical_json(Snapshot(request_id, expires)))
        last = None
        if asks == "echo":
            last = missing - 1
        else:
            # In vain once: where the broker's ACL does not let us read our own topic nothing comes there.
            self._alone = self._own and not (self._alone and self._asking.in_vain)
        alone = self._name if asks == "echo" or self._alone else None
        request = Resend(request_id, expires, missing, epoch, last, consumer=alone)
        return Letter(self.topics.command("resend"), canonical_json(request))

    def command(self, name: str, request_of: Callable[[str, datetime], msgspec.Struct]) -> tuple[str, Letter]:
        """A command of the owner, and its id; ``Answered`` has that id."""
        request_id, expires = self._request()
        self._commands = {one: ends for one, ends in self._commands.items() if ends > self._wall()}
        self._commands[request_id] = expires
        return request_id, Letter(self.topics.command(name), canonical_json(request_of(request_id, expires)))

    # Inside

    def _hear_of_table(self, payload: bytes, *, retained: bool) -> None:
        """A table that has just come did not hear what was asked before: ask again at once."""
        before, self.status = self.status, read_json(payload, Status)
        if retained or not _up(self.status):
            return
        self._spoke |= self.listening
        if not _up(before):
            self._asking.begin()

    def _hear_of_head(self) -> None:
        """The table's status gives the end of the stream, so that a lost end is missed too."""
        status, cursor = self.status, self.store.cursor
        if status is None or cursor is None:
            return
        if status.epoch == cursor.epoch:
            self.head = status.sequence
            self._pin()
            return
        self._sound(OtherEpoch(cursor.epoch, status.epoch))
        if status.epoch > cursor.epoch and (self._accept_epochs or self._own_epochs):
            self._announced = status.epoch

    def _pin(self) -> None:
        """The key that was given, or else the first that the table names."""
        cursor, status = self.store.cursor, self.status
        if cursor is None or (cursor.key and not self._key):
            return
        key = self._key
        if not key and status is not None and status.epoch == cursor.epoch:
            key = status.public_key or ""
            if not is_key(key):
                if not self._keyless:
                    self._see(SaysNoKey())
                self._keyless = True
                return
        if key:
            self.store.pin(key)
            self._tell_pin()

    def _tell_pin(self) -> None:
        """Once for each key."""
        cursor, key = self.store.cursor, self.store.believed
        if cursor is None or not key:
            return
        pinned = Pinned(cursor.epoch, keyid_of(key), key)
        if pinned != self._pinned:
            self._pinned = pinned
            self._see(pinned)

    def _sound(self, other: OtherEpoch) -> None:
        """The alarm, once."""
        if other != self._alarm:
            self._alarm = other
            self._see(other)

    def _goes_over(self, other: OtherEpoch, body: bytes) -> bool:
        """Whether this message moves us to its epoch: a larger one, and signed by a key that is believed.
        What nobody signed, as a status, moves nobody."""
        if other.epoch <= other.ours:
            return False
        for key in self._believed(other.epoch, body):
            if verify(body, key) is None:
                self.store.accept_epoch(other.epoch, key)
                self.head = self._promised = 0
                self._see(NewEpoch(other.ours, other.epoch, keyid_of(key)))
                self._hear_of_head()
                return True
        return False

    def _believed(self, epoch: int, body: bytes) -> Iterator[str]:
        """The keys that a message of a larger epoch may be signed by."""
        cursor, status = self.store.cursor, self.status
        known = self._key or ("" if cursor is None else cursor.key)
        if known and (self._accept_epochs or self._own_epochs):
            yield known
        if not self._accept_epochs or self._key:
            return
        yield from filter(None, [introduced(read_envelope(body))])
        if status is not None and status.epoch == epoch and is_key(status.public_key or ""):
            yield status.public_key or ""

    def _hear_answer(self, report: Arrived) -> None:
        request_id = self.topics.last_part("replies", report.topic)
        answer = read_json(report.payload, Told)
        if request_id in self._commands and answer is not None:
            del self._commands[request_id]
            code = "" if answer.error is None else answer.error.code
            self._see(Answered(request_id, answer.ok, code))

    def _answered(self, payload: bytes, now_s: float) -> None:
        answer, cursor = read_json(payload, Told), self.store.cursor
        if answer is None:
            return  # not from a table; what was asked for is asked for again
        asked = self._asking.answered(now_s)
        self._promised = answer.last if asked == "all" else 0
        if asked == "all" and answer.error is not None:
            self._see(AskedInVain(answer.error.code, answer.error.message))
        elif answer.cursors is None:
            return
        elif cursor is not None:
            if answer.epoch == cursor.epoch:
                self.head, self._spoke = max(self.head, answer.sequence), True
        elif self._name in answer.cursors:
            self.store.begin(answer.epoch, answer.cursors[self._name])
            self._owes = True  # it tells our cursor: what went out before we listened comes again
            self.head = answer.sequence
            self._pin()
        else:
            self._see(NotNamed(self._name))

    def _request(self) -> tuple[str, datetime]:
        """The id of the next command, and when it expires."""
        self._requests += 1
        request_id = f"{self._asker}-{self._requests}"
        return request_id, self._wall() + timedelta(seconds=EXPIRES_S)


def _up(status: Status | None) -> bool:
    return status is not None and status.state == "online"


def acknowledgement(cursor: Cursor, *, repeats: bool = False) -> bytes:
    """What a consumer writes, retained, on ``acks/<name>``: all up to here is safe with it, the hash that it
    holds, and whether it listens on ``repeats/<name>``."""
    known = cursor.hash if cursor.sequence and cursor.hash else None
    return canonical_json(Ack(cursor.epoch, cursor.sequence, known, repeats))
