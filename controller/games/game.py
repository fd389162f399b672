"""What a game is: a small value that knows its deck, its deal plan and its rules, nothing of shoes or rounds.

A game is built once for a configuration (decks, seats, layout, house settings, pay table) and never changes.
Every method is pure: the cards dealt so far go in, an answer comes out.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Self

import msgspec

from controller.games.house_spots import Facts, Fields
from controller.games.paytable import PayTable, RowKey
from controller.vocabulary.cards import Card
from controller.vocabulary.configuration import GameSettings
from controller.vocabulary.outcomes import Outcome, SpotOutcome
from controller.vocabulary.parts import Decision
from controller.vocabulary.scoreboard import Bead, Scoreboard

BURN = "burn"
"""Position of a card that the deal plan itself puts face down aside (any game)."""


class Dealt(msgspec.Struct, frozen=True):
    """One card of a round in deal order: the position it lies at and the card."""

    position: str
    card: Card


Deal = Sequence[Dealt]


@dataclass(frozen=True)
class Game(ABC):
    """A game of the table; subclasses are frozen values."""

    # What it is.
    name: ClassVar[str]
    rules_version: ClassVar[str]
    """Names the rule document and its date."""
    paragraphs: ClassVar[bool] = False
    """True where the game's own document has the void paragraphs 5.1.1 to 5.1.5: a void then cites them."""
    rules_on: ClassVar[Mapping[str, str]] = {}
    """Field of the outcome -> the paragraph of the game's document that decides it."""
    listed: ClassVar[int] = 100
    """Where the game stands in help and schemas, whose order is published; equal ones go by name."""
    examples: ClassVar[Mapping[str, str]] = {}
    """Command -> the arguments of an example of it; help shows that of the first game that has one."""

    # What it is played with.
    deck: ClassVar[tuple[Card, ...]]
    """One deck, in factory order."""
    deck_counts: ClassVar[range] = range(1, 2)
    """How many decks the game may be played with."""
    default_decks: ClassVar[int] = 1
    shuffled_every_round: ClassVar[bool] = False
    """One-deck games are shuffled before every round (readings)."""
    layouts: ClassVar[tuple[str, ...]] = ()
    """The layouts of the game; empty where it has but one, without a name."""
    house_settings: ClassVar[frozenset[str]] = frozenset()
    """The fields of ``GameSettings`` that this game knows, besides name, decks, layout and void."""
    voids_at_once: ClassVar[bool] = False
    """The setting ``void`` is ``automatic`` unless the house sets it otherwise (readings, "All games")."""
    live_odds: ClassVar[bool] = False
    """Whether a bet may be taken at a decimal price of its own."""
    main_bets: ClassVar[frozenset[str]] = frozenset()
    """Spots that are paid by the pay table where only the additional bets have live prices."""

    # What it concludes.
    outcome_type: ClassVar[type[msgspec.Struct]]
    """The struct of :meth:`outcome`."""
    outcome_schema: ClassVar[Mapping[str, object] | None] = None
    """The JSON Schema of the outcome where its struct cannot draw it; ``$ref`` names structs in it."""
    further_fields: ClassVar[Fields] = {}
    """What a house's spot may ask of a round besides the fields of the outcome: ``facts`` has
    their values.
    A field of a hand with spots of its own is named without the hand."""
    hands_with_spots: ClassVar[tuple[str, ...]] = ()
    """The most hands for each of which spots stand (``hand1.bonus``); empty where spots are the table's."""

    # What the table around it makes of it.
    board_places: ClassVar[tuple[str, ...]] = ()
    """The positions of cards that all hands share, in deal order."""
    shoe_positions: ClassVar[Mapping[str, str]] = {}
    """Destination, as a shoe made for this game names it -> position; else the deal plan alone says it."""
    panel_keys: ClassVar[tuple[str, ...]] = ()
    """Keys that the dealer's panel needs between ``close`` and ``settled``: ``decided``, ``reveal``."""
    always_shown: ClassVar[tuple[str, ...]] = ()
    """Positions that have their place on a terminal before a card lies there."""
    named_cards: ClassVar[Mapping[int, str]] = {}
    """Number of a card at its position, from 1 -> the code by which the dealer's page names it."""

    decks: int
    pay_table: PayTable

    @classmethod
    @abstractmethod
    def pay_rows(cls, layout: str | None) -> tuple[RowKey, ...]:
        """The rows that a pay table of this layout must have, no more and no fewer."""

    @classmethod
    def build(cls, settings: GameSettings, decks: int, pay_table: PayTable) -> Self:
        """The game for a configuration; name, layout, decks and pay table were checked (see ``registry``).

        Raises :class:`ConfigurationError` with the key path where a setting of its own is wrong.
        """
        return cls(decks, pay_table)

    @classmethod
    def refused(cls, settings: GameSettings) -> str | None:
        """Why no table may have these settings any more, as ``game.KEY: why``; None if it may.

        ``build`` reads them still: they stand in journals of earlier heads.
        """
        return None

    @classmethod
    def demo_settings(cls, *, odds: str, squeeze: bool) -> str:
        """``[game]`` of the demo table besides the name, as TOML, with these settings."""
        prices = "" if odds == "fixed" else f'odds = "{odds}"\n'
        return f"{prices}squeeze = true\n" if squeeze else prices

    @classmethod
    def cited(cls, paragraph: str) -> str:
        """How a text ends that cites a paragraph, where the game's document has it."""
        return f" ({paragraph})" if cls.paragraphs else ""

    @abstractmethod
    def places(self) -> Mapping[str, int]:
        """The most cards that can lie at each position, in the order of the deal (burn cards left out)."""

    @cached_property
    def plan(self) -> tuple[str, ...]:
        """The position of every card in deal order, where no card changes it; burn cards are at ``burn``."""
        return tuple(place for place, cards in self.places().items() for _ in range(cards))

    @property
    def cards_needed(self) -> int:
        """The most cards that one whole round can take, burn cards of the plan included."""
        return len(self.plan)

    def next_position(self, dealt: Deal) -> str | None:
        """Where the next card goes, or None when the deal is complete.

        ``dealt`` may be any prefix of a legal deal.
        """
        return self.plan[len(dealt)] if len(dealt) < len(self.plan) else None

    def face_down(self, position: str) -> bool:
        """Whether a card at this position lies face down until the reveal."""
        return position == BURN

    def due_after_reveal(self, dealt: Deal) -> bool:
        """Whether a further card may be due once what lies face down is turned up, and nobody can say before
        where it goes.

        The table tells everybody: it may depend on how many cards lie where, never on a card.
        """
        return False

    def decisions_after(self) -> int | None:
        """After how many cards (burns of the plan included) players decide; None where they never do."""
        return None

    @property
    def has_reveal(self) -> bool:
        """Whether face-down cards are turned up before the result (burn cards are not)."""
        return False

    def betting_breaks(self) -> Mapping[int, str]:
        """Further betting rounds, where bets open again: number of cards dealt -> name."""
        return {}

    def hands(self, dealt: Deal) -> dict[str, list[Card]]:
        """The cards by hand, in deal order."""
        places = [place for place in self.places() if place not in self.board_places]
        hands: dict[str, list[Card]] = {place: [] for place in places}
        for one in dealt:
            if one.position in hands:
                hands[one.position].append(one.card)
        return hands

    def board(self, dealt: Deal) -> list[Card] | None:
        """The cards that all hands share, in deal order; None in a game without such."""
        return [one.card for one in dealt if one.position in self.board_places] if self.board_places else None

    @abstractmethod
    def outcome(self, dealt: Deal) -> Outcome:
        """The outcome of a complete deal, an ``outcome_type``."""

    @classmethod
    def in_words(cls, outcome: Mapping[str, object]) -> str:
        """An outcome, as it is written, in one line for a terminal."""
        return ", ".join(f"{key} {_in_words(value)}" for key, value in outcome.items()).replace("_", " ")

    @classmethod
    def standing(cls, hands: Mapping[str, Sequence[Card]]) -> dict[str, str]:
        """Position -> what the cards that lie face up count so far, for a terminal; a position that
        ``combinations`` tells of is left out."""
        return {}

    @abstractmethod
    def own_spots(self) -> tuple[str, ...]:
        """Every spot that the game itself has on the layout, in the contract's order."""

    @abstractmethod
    def own_bets(self, dealt: Deal) -> dict[str, SpotOutcome]:
        """What each of ``own_spots`` does for a complete deal, as if played."""

    def spots(self) -> tuple[str, ...]:
        """Every spot of the layout: the game's own that the house has not left out, then those of the house,
        hand by hand where they stand for hands."""
        return self._all_spots

    def bets(self, dealt: Deal) -> dict[str, SpotOutcome]:
        """What every spot does for a complete deal, as if played; keys are exactly ``spots()``."""
        own, table = self.own_bets(dealt), self.pay_table
        if not table.spots:
            return {spot: own[spot] for spot in self._all_spots} if table.without else own
        facts = self.facts(dealt)
        return {
            spot: table.spots[wager].result(facts, own=spot.removesuffix(wager))
            if (wager := self.wager(spot)) in table.spots
            else own[spot]
            for spot in self._all_spots
        }

    @classmethod
    def wager(cls, spot: str) -> str:
        """A spot as a pay table names it: ``bonus`` of ``hand1.bonus``."""
        return spot.rpartition(".")[2] if cls.hands_with_spots else spot

    def live_spots(self, odds: str) -> tuple[str, ...]:
        """The spots that have prices of their own under a setting ``odds``: where a house's own spot pays one
        thing or another, no single price can stand for it. ``additional``: the game's own, but its main bets;
        what a house adds is paid by its pay table."""
        if odds == "fixed" or not self.live_odds:
            return ()
        house, own = self.pay_table.spots, self.own_spots()
        return tuple(
            spot
            for spot in self.spots()
            if not (odds == "additional" and (spot in self.main_bets or spot not in own))
            and (self.wager(spot) not in house or house[self.wager(spot)].pays_alike)
        )

    def paid_spots(self, row: RowKey) -> tuple[str, ...]:
        """The game's own spots that a row of the pay table pays; none: the row is shown in any case."""
        return tuple(spot for spot in self.own_spots() if self.wager(spot) == row[0])

    @classmethod
    def fields(cls) -> Fields:
        """What the conditions of a house's spot may ask for, as they write it, and the values of each."""
        from controller.games.fields import fields_of  # only where a house has spots

        return fields_of(cls)

    def facts(self, dealt: Deal) -> Facts:
        """What a complete deal makes of each of ``fields``; a hand's own as ``hand1.category``."""
        from controller.games.fields import flat

        return flat(self.outcome(dealt))

    @cached_property
    def _all_spots(self) -> tuple[str, ...]:
        own, table = self.own_spots(), self.pay_table
        left = [spot for spot in own if self.wager(spot) not in table.without]
        wagers = {self.wager(spot) for spot in own}
        new = [name for name in table.spots if name not in wagers]
        hands = dict.fromkeys(spot.partition(".")[0] for spot in own) if self.hands_with_spots else ()
        if not hands:
            return (*left, *new)
        return tuple(
            spot
            for hand in hands
            for spot in (
                *(spot for spot in left if spot.partition(".")[0] == hand),
                *(f"{hand}.{name}" for name in new),
            )
        )

    @classmethod
    def pairs(cls, hands: Mapping[str, Sequence[str]]) -> Mapping[str, bool]:
        """What a shoe that reports results says of pairs, whether the layout has such spots or not."""
        return {}

    def bead(self, dealt: Deal) -> Bead | None:
        """What the result of a complete deal adds to the scoreboard, in a game that has one."""
        return None

    def scoreboard(self, beads: Sequence[Bead]) -> Scoreboard | None:
        """The scoreboards of a shoe from the beads of its results; None in a game without."""
        return None

    @classmethod
    def cards_that_play(cls, hands: Mapping[str, Sequence[Card]]) -> dict[str, tuple[Card, ...]] | None:
        """By hand, the cards face up that make what it is worth; None in a game where all of them do."""
        return None

    @property
    def seat_numbers(self) -> tuple[int, ...]:
        """The numbers of the seats that are dealt to; empty in a game without seats."""
        return ()

    def has_seats(self, numbers: Sequence[int]) -> bool:
        """Whether these are seats of the game, at least one and each once."""
        return 0 < len(set(numbers)) == len(numbers) and set(numbers) <= set(self.seat_numbers)

    def with_seats(self, numbers: Collection[int]) -> Game:
        """The same game with only these of its seats."""
        return self

    def with_hands(self, names: Sequence[str]) -> Game:
        """The same game for exactly these hands, where the number of seats was left open; else itself."""
        return self

    def combinations(self, dealt: Deal) -> dict[str, str]:
        """Hand -> what the cards that lie face up make of it so far, for players who decide on it."""
        return {}

    def decisions(self) -> Mapping[str, Decision]:
        """The decision on each hand, by the hand's name."""
        return {}

    def needs_bet(self) -> Mapping[str, str]:
        """Spot -> the spot that must have a bet of the same player, else this one takes none."""
        return {}


def _in_words(value: object) -> str:
    """A value of an outcome: what is in it one after another, ``-`` where nothing is."""
    match value:
        case Mapping():
            return ", ".join(f"{key} {_in_words(one)}" for key, one in value.items()) or "-"
        case list() | tuple():
            return " ".join(map(_in_words, value)) or "-"
        case None:
            return "-"
        case bool():
            return "yes" if value else "no"
        case _:
            return str(value)
