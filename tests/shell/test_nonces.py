"""The 128 random bits of each card: without them a commitment of one card in 52 is searched in no time."""

from __future__ import annotations

import hashlib
import re

from controller.vocabulary.cards import DECK_52
from controller.vocabulary.codec import decode_event
from controller.vocabulary.events import CardRead
from tests.harness.bench import Bench, configured


def squeezed() -> tuple[Bench, list[str]]:
    """A round whose cards lie face down, and what was committed to."""
    bench = Bench(configuration=configured(game={"name": "baccarat", "squeeze": True}))
    bench.load()
    bench.open()
    bench.deal("8S", "5C", "KC", "2D")
    return bench, [heard["data"]["commitment"] for heard in bench.said() if "commitment" in heard["data"]]


def nonces(bench: Bench) -> list[str]:
    """The nonces of the cards in the record."""
    read = [decode_event(record.body) for record in bench.journal.records()]
    return [str(stamp.nonce) for event, stamp in read if isinstance(event, CardRead)]


def test_every_card_has_128_bits_of_its_own(loaded: Bench) -> None:
    for _ in range(6):
        loaded.play()
    drawn = nonces(loaded)
    assert len(drawn) == len(set(drawn)) == 24
    assert all(re.fullmatch("[0-9a-f]{32}", nonce) for nonce in drawn)
    assert len({nonce[:4] for nonce in drawn}) > 12


def test_two_tables_that_deal_the_same_cards_commit_to_nothing_that_is_the_same() -> None:
    published = [*squeezed()[1], *squeezed()[1]]
    assert len(published) == len(set(published)) == 8
    guesses = {hashlib.sha256(card.encode()).hexdigest() for card in DECK_52}
    assert not guesses & set(published)


def test_the_reveal_gives_card_and_nonce_as_committed() -> None:
    bench, committed = squeezed()
    assert bench.key("REVEAL") == "OK"
    (revealed,) = [heard["data"]["cards"] for heard in bench.said() if heard["type"].endswith("revealed.v1")]
    assert [one["card"] for one in revealed] == ["8S", "5C", "KC", "2D"]
    assert [one["nonce"] for one in revealed] == nonces(bench)
    for one, hash_ in zip(revealed, committed, strict=True):
        assert hashlib.sha256((one["nonce"] + one["card"]).encode()).hexdigest() == hash_
