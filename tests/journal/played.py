"""Journals of real rounds as the daemon records them.

``python -m tests.journal.played FOLDER [--game G] [--rounds N]`` writes one of any length, ``FOLDER/7.db``.
"""

from __future__ import annotations

from argparse import ArgumentParser
from itertools import islice
from pathlib import Path

from controller.journal.sqlite import SqliteJournal
from controller.shell.identity import software_digest
from controller.shell.replay import configured_by
from controller.vocabulary.codec import encode_event
from tests.harness.keys import SIGNER
from tests.harness.rounds import EPOCH, Rounds, configuration_of

GAMES = ("2-card-action", "two-cards-high", "baccarat", "casino-holdem")
CONSUMER = "settlement"
MANY = 100
"""From so many rounds on a journal is a long one."""


def play(folder: Path, game: str, rounds: int = 2, *, digest: str | None = None, seed: int = 1) -> Path:
    """A closed journal of so many rounds that ends with a message; its consumer has everything. One event,
    one record, one transaction, as the daemon writes it.
    """
    table = Rounds(configured_by(configuration_of(folder, game)), digest or software_digest(), seed)
    with SqliteJournal.create(folder / "7.db", epoch=EPOCH) as journal:
        journal.add_consumer(CONSUMER)
        journal.seal = SIGNER.seal
        happened = table.played(rounds)
        # Syncs are what takes long: a long journal is written in fewer.
        while some := list(islice(happened, 1 if rounds < MANY else 1000)):
            journal.commit(
                [encode_event(event, stamp) for event, stamp, _ in some],
                [message for one in some for message in one.handled.messages],
                counts=[len(one.handled.messages) for one in some],
            )
        journal.set_cursor(CONSUMER, journal.stream_head)
    return folder / "7.db"


def main() -> None:
    """A journal for whoever wants to measure something with it."""
    parser = ArgumentParser(prog="python -m tests.journal.played", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--game", choices=GAMES, default="baccarat")
    parser.add_argument("--rounds", type=int, default=1000)
    chosen = parser.parse_args()
    print(play(chosen.folder, chosen.game, chosen.rounds))


if __name__ == "__main__":
    main()
