"""A table's thread: hears its stream into the books, and tells the table what it should know of players."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable

from controller.consumer.consumer import BrokerUp, Consumer, ConsumerNotice
from controller.consumer.notices import Answered
from controller.consumer.store import Gap, Repeated, Taken
from controller.consumer.words import in_words as notice_in_words
from controller.outbox.broker import BrokerSettings
from controller.outbox.topics import topics_of
from controller.wagering.database import Database
from controller.wagering.felt import Felt
from controller.wagering.reports import Teller, Word, has_words, words
from controller.wagering.stream import BookedStream, felt_of
from controller.wagering.tables import in_words

STEP_S = 0.05
AGAIN_S = 1.0
"""After an error of the books."""


class TableHearing(threading.Thread):
    """Hears one table until :meth:`stop`.

    While the books cannot be written nothing is acknowledged, so the table keeps all of it; it is tried again
    from what is committed.
    """

    def __init__(
        self,
        database: Database,
        place: tuple[str, str],
        name: str,
        broker: BrokerSettings,
        *,
        tell: Callable[[str], None],
        changed: Callable[[], None] = lambda: None,
        accept_epochs: bool = False,
        key: str = "",
    ) -> None:
        """``tell``: a line for people; ``changed``: something was booked."""
        self.place = "/".join(place)
        super().__init__(name=f"wagering-{self.place}", daemon=True)
        self._database = database
        self._site, self._table = place
        self._name = name
        self._broker = broker
        self._tell = tell
        self._changed = changed
        self._accept_epochs = accept_epochs
        self._key = key
        self._talk = deque([b""], maxlen=1)
        """The chat that the table's dealer is still to see: that of an earlier life is over."""
        self._leave = threading.Event()
        self._news = threading.Event()
        self._felt: Felt | None = None
        """The table as the books have it; None: it has said more since we looked."""
        self._teller: Teller | None = None
        self._consumer: Consumer | None = None

    @property
    def heard(self) -> bool:
        """Whether the books hold all that the table has said; else its bets may be closed by now, and
        whoever sees the cards would bet on a round that is dealt. From any thread."""
        consumer = self._consumer
        return consumer is not None and consumer.heard

    def look(self) -> None:
        """Something about the players changed that the table may have to know; from any thread."""
        self._news.set()

    def talk(self, chat: bytes) -> None:
        """Let the table's dealer see what was said; from any thread."""
        self._talk.append(chat)

    def stop(self) -> None:
        """Take leave and wait for it."""
        self._leave.set()
        if self.is_alive():
            self.join()

    def run(self) -> None:
        """Until :meth:`stop`."""
        said = ""
        while not self._leave.is_set():
            try:
                self._hear()
            except Exception as error:  # whatever it is: nothing of it is booked, the table keeps the message
                why = in_words(error)
                if why != said:
                    self._tell(f"table {self.place}: {why}")
                said = why
                self._leave.wait(AGAIN_S)

    def _hear(self) -> None:
        """From what is committed on, until :meth:`stop` or an error of the books."""
        topics = topics_of(self._site, self._table)
        consumer = Consumer(
            name=self._name,
            topics=topics,
            broker=self._broker,
            store=BookedStream(self._database, self._site, self._table),
            see=self._see,
            accept_epochs=self._accept_epochs,
            key=self._key,
        )
        self._consumer = consumer
        self._teller = teller = Teller(consumer)
        self._felt = None
        self._news.set()
        try:
            while not self._leave.is_set():
                consumer.step(STEP_S)
                if self._talk and consumer.listening:
                    consumer.retain(topics.chat, self._talk.popleft())
                if self._news.is_set() or teller.waiting:
                    self._news.clear()
                    teller.tell(self._words())
        finally:
            self._consumer = None
            consumer.stop()

    def _words(self) -> list[Word]:
        """What the table should know. Where it asks for nothing no click of a player opens the books."""
        if self._felt is not None and not has_words(self._felt):
            return []
        with self._database.read() as connection:
            self._felt = felt_of(connection, self._site, self._table)
            return words(connection, self._felt)

    def _see(self, seen: ConsumerNotice) -> None:
        if isinstance(seen, Taken):
            self._felt = None
            self._news.set()
            self._changed()
        elif isinstance(seen, Answered):
            if self._teller is not None:
                self._teller.hear(seen)
        elif not isinstance(seen, Repeated | Gap | BrokerUp):
            self._tell(f"table {self.place}: {notice_in_words(seen, accepts=self._accept_epochs)}")
