"""``python -m tests.bench.core``: what an event costs the core, and what is retained after it.

Whole rounds of every game: no journal, no wire, no clock but the processor's. The peer is a thousand
calls of a method: what Python itself costs on the machine as it is just now.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from controller.outbox.envelope import first_head
from controller.shell.announcer import Announcer, retained_payloads
from controller.shell.replay import configured_by
from controller.table import Table
from tests.bench.timing import Mark, in_words, interleaved_s, part_arguments, told
from tests.harness.rounds import EPOCH, TABLES, Happened, Rounds, configuration_of

ROUNDS = 50
SECONDS = 20.0
MOST = {"casino-holdem": 7.0, "baccarat, live odds": 14.0}
"""In thousands of calls; of the others ``MOST_PLAIN``."""
MOST_PLAIN = 3.0
CALLS = 1000


def played(table: str, rounds: int) -> list[Happened]:
    """Everything that happens at one of ``TABLES`` in so many rounds."""
    with TemporaryDirectory() as folder:
        configuration = configuration_of(Path(folder), table)
    return list(Rounds(configured_by(configuration), "0" * 64).played(rounds))


def folding(happened: list[Happened]) -> Callable[[], None]:
    """The same once more from the first event: table, messages and retained topics."""

    def fold() -> None:
        table, announcer = Table(EPOCH), Announcer(first_head(EPOCH))
        for event, stamp, _ in happened:
            table = announcer.handle(table, event, stamp).table
            if table.state is not None:
                retained_payloads(table.state)

    return fold


class Peer:
    """Has a method."""

    def call(self, number: int) -> int:
        """Do next to nothing."""
        return number


def calling() -> None:
    """The peer's work."""
    peer = Peer()
    for number in range(CALLS):
        peer.call(number)


def marks() -> list[Mark]:
    """An event of every table, on the average of its rounds."""
    happened = {table: played(table, ROUNDS) for table in TABLES}
    candidates: dict[str, Callable[[], object]] = {
        table: folding(of_table) for table, of_table in happened.items()
    }
    took = interleaved_s({"": calling, **candidates}, seconds=SECONDS)
    peer = took[""]
    return [
        Mark(
            f"{table}: an event of {len(of_table) / ROUNDS:.0f} a round",
            in_words(one := took[table] / len(of_table)),
            f"{CALLS} calls {in_words(peer)}",
            one / peer,
            MOST.get(table, MOST_PLAIN),
            at_least=False,
        )
        for table, of_table in happened.items()
    ]


def main() -> int:
    """Measure, print, and say whether every mark was reached."""
    return told(part_arguments("core", __doc__).parse_args().json, marks())


if __name__ == "__main__":
    raise SystemExit(main())
