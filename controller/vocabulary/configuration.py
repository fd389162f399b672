"""What the core reads of a table's configuration, as values that travel in ``table_configured``.

The file that an operator writes (``controller.settings``) has more rooms; this is the part that decides what
the table does, so it is part of the record. Units stand in the names; defaults are the contract's and the
readings'.
"""

from typing import Annotated, Literal

import msgspec

from controller.vocabulary.limits import Limits

TOPIC_NAME = r"^[A-Za-z0-9_-][A-Za-z0-9._~-]{0,63}$(?!\n)"
PLAIN_NAME = r"^[A-Za-z0-9_-]{1,40}$(?!\n)"
_IN_WORDS = "a name of 1 to 40 letters, digits and _ - (a dot is a level to some brokers)"

TopicName = Annotated[str, msgspec.Meta(pattern=TOPIC_NAME, description=_IN_WORDS)]
"""A name that is one level of a topic and one part of an address: no blank, slash, + or #. Records of earlier
software may hold such a name; what is configured now is a ``PlainName``, as schemas and messages say."""
PlainName = Annotated[str, msgspec.Meta(pattern=PLAIN_NAME, description=_IN_WORDS)]
"""A name that every broker takes for one level of a topic, and as it is written."""

ClockSeconds = Annotated[int, msgspec.Meta(ge=0, le=3600)]
"""A time of a clock at the table, whole seconds; what 0 means stands at the key."""


Share = Annotated[float, msgspec.Meta(ge=0, lt=1)]
"""A part of the whole."""


class TableSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which table this is, and how a gaming day begins."""

    site: TopicName
    """The house, or the floor."""
    id: TopicName
    """The table on its floor."""
    mode: Literal["live", "test"] = "live"
    """``test``: topics of their own, and no settlement system reads them."""
    session: Literal["none", "signed"] = "none"
    """``signed``: the table asks to be opened (``table_opened``) before it deals."""


class GameSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The game and its house settings."""

    name: Annotated[str, msgspec.Meta(description='the name of a game, as "baccarat"')]
    """Which game the table plays."""
    decks: int | None = None
    """Left out: 8, or 1 for a one-deck game."""
    layout: Literal["A", "B", "C"] | None = None
    """2-card-action: must be written there, and is of no other game."""
    seats: Annotated[int, msgspec.Meta(ge=1, le=7)] = 7
    """two-cards-high: seats that may be dealt to; those that play are said before bets close."""
    seats_from: Literal["panel", "wagering"] = "panel"
    """two-cards-high: who says which seats play: the dealer's panel (`SEATS`), or the settlement system (the
    command `seats`)."""
    odds: Literal["fixed", "live", "additional"] = "fixed"
    """Baccarat only. ``live``: prices of all bets follow the cards; ``additional``: of the additional bets
    alone (2.5.3: pairs, Small, Big), all others are paid by the pay table."""
    margin: Share = 0.05
    """Live odds: the part of the fair price that the house keeps."""
    margins: dict[str, Share] = {}
    """Live odds: spot -> a margin of its own, as `{ tie = 0.10 }`; the others have `margin`."""
    least_probability: Share = 0.0
    """Live odds: a bet is suspended while its probability is less than this."""
    betting_rounds: tuple[Literal["deal", "first", "four"], ...] = ("deal",)
    """Before the deal; after the first card of each side; after the first four (baccarat)."""
    void: Literal["automatic", "supervisor"] | None = None
    """What a finding of 5.1 does in a round; left out: ``automatic`` for 2-card-action and two-cards-high."""
    pair_against_unqualified_dealer: str = "1:1"
    """two-cards-high: what a winning pair is paid where the dealer does not qualify."""
    pair_tie: str = "1:1"
    """two-cards-high: what a pair is paid that ties with the dealer's and wins."""
    deal: Literal["rotation", "packets"] | None = None
    """Left out: rotation for two-cards-high, packets for casino-holdem."""
    burn_before: tuple[Literal["hands", "flop", "turn", "river"], ...] = ()
    """casino-holdem: one card is burned before each step named."""
    fold_forfeits_bonus: bool = False
    """casino-holdem: a folded hand loses its Bonus too."""
    dealer_qualifies: Literal["always", "2", "3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K", "A"] = "4"
    """casino-holdem: the dealer qualifies with a pair of this rank or better."""
    squeeze: bool = False
    """baccarat: cards lie face down until the reveal, and the public result waits for it."""


class RoundSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a round is opened, closed and settled; all times in seconds."""

    open: Literal["button", "auto"] = "button"
    """``auto``: by itself, ``review_s`` after the settlement."""
    close: Literal["button", "timer", "first_card"] = "button"
    """What closes the bets."""
    bets_s: ClockSeconds = 0
    """0: no clock."""
    decision_s: ClockSeconds = 0
    """0: only the dealer closes the decisions."""
    settle: Literal["button", "auto"] = "button"
    """``auto``: as soon as the result stands."""
    warn_s: ClockSeconds = 5
    """Yellow light so long before the bets close; 0: none."""
    review_s: ClockSeconds = 5
    """``open = "auto"``: the next round opens so long after the settlement."""
    dealer_choices: tuple[Literal["continue", "accept", "burn", "next_round", "stand"], ...] = ()
    """Choices of ``hold_cleared`` that a dealer may make without the key; never void, enter or return."""
    two_person_void: bool = False
    """A void needs a second badge that confirms it."""
    exposed_card: Literal["burn", "free_hand", "play"] = "burn"
    """A card that people saw and that would be the next out: it is burned before bets open; or the next round
    is a free hand; ``play``: cards leave this shoe face down, and it may be played."""
    await_book: TopicName | None = None
    """The consumer that keeps the bets: after they close the shoe stays locked, and a card is early, until it
    has acknowledged ``round.bets_closed``. Left out: nobody is waited for."""
    book_s: Annotated[int, msgspec.Meta(ge=1, le=3600)] = 5
    """The table holds where ``await_book`` has been silent for so long."""


class ShoeSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The house's shoe procedures."""

    kind: Literal["shoe", "continuous"] = "shoe"
    """``continuous``: cards go back into a machine that shuffles all the time."""
    burn: Literal["none", "count", "one"] = "none"
    """After a new shoe: nothing; the first card is turned up and that many are burned; one card."""
    burn_each_round: Annotated[int, msgspec.Meta(ge=0, le=10)] = 0
    """Cards burned before each deal."""
    cut_card: Literal["one_more", "this_round"] = "one_more"
    """After the cut card in a round: this round and one more, or this round is the last."""
    cut_card_behind: Annotated[int, msgspec.Meta(ge=0, le=208)] = 0
    """A shoe without a cut card sensor: so many cards lie behind the cut card; 0: a sensor tells."""
    free_hand: bool = False
    """CLOSE between rounds deals a free hand: a round without bets."""
    min_card_interval_ms: Annotated[int, msgspec.Meta(ge=0, le=60_000)] = 0
    """The table holds where the same code is read again within this time without a beam break; 0: off.
    Adapter and controller time a card to within 30 ms: allow for that."""
    unshuffled: Literal["watch", "off"] = "watch"
    """Whether a run of factory order is a finding (5.1.5)."""
    least_house_edge: Annotated[float, msgspec.Meta(ge=-100, lt=1)] | None = None
    """An alert while, by the cards nobody has seen, the house keeps less of some bet than this part of the
    stake; -0.02: the players are ahead by more than 2 %. Left out: no alert."""
    sets: tuple[Annotated[str, msgspec.Meta(min_length=1, max_length=40)], ...] = ()
    """Names of the card sets in rotation; empty: any set mark that was loaded."""


class CodeMap(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How the codes on the cards read; the whole map is data of the table and of the record."""

    kind: Literal["plain", "four-digit", "exact", "pattern"] = "plain"
    exact: dict[str, str] = {}
    """``exact``: code -> card."""
    pattern: str = ""
    """``pattern``: a regular expression with the groups rank, suit and, where the code has them, set, serial,
    check."""
    ranks: dict[str, str] = {}
    """``pattern``: text of the rank group -> rank; empty: as our cards are written, 10 for T too."""
    suits: dict[str, str] = {}
    check: Literal["none", "luhn", "mod10", "mod11", "mod36", "mod37", "mod97"] = "none"
    """``pattern``: how the group ``check`` verifies the rest of the code."""


Badge = Annotated[
    str,
    msgspec.Meta(
        pattern=r"^[A-Za-z0-9_.:-]{1,40}$(?!\n)",
        description="a badge as the keypad says it: one word of letters, digits and _ . : -",
    ),
]


class BadgeSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``[badges]``: who may do what needs the supervisor's key."""

    supervisors: Annotated[tuple[Badge, ...], msgspec.Meta(min_length=1)] | None = None
    """The badges of the supervisors; any other is refused. Left out: any badge."""


class CoreConfiguration(msgspec.Struct, frozen=True):
    """All that the core needs, complete in itself: a journal replays without any file."""

    table: TableSettings
    game: GameSettings
    round: RoundSettings = RoundSettings()
    shoe: ShoeSettings = ShoeSettings()
    code_map: CodeMap = CodeMap()
    pay_table: dict[str, object] | None = None
    """The pay table in canonical form; None: the built-in one of the game."""
    shoe_numbered: bool = True
    """Whether the shoe's reports carry numbers that prove that none was missed (Angel Eye does)."""
    shuffler: bool = False
    """Whether a shuffler is configured: no shoe opens a round that it has not shuffled."""
    shoe_devices: tuple[str, ...] = ("shoe",)
    """Names of the devices whose loss stops the dealing; a shuffler of a plain shoe is not among them."""
    agree_s: ClockSeconds = 0
    """So long after a card whoever else watches the shoe may contradict it; 0: nobody does."""
    agree_without_felt_s: ClockSeconds | None = None
    """The same where a camera over the felt is lost, which contradicts nothing then; None: no shorter."""
    limits: Limits | None = None
    """What a player may stake; each spot by its whole name."""
    badges: BadgeSettings = BadgeSettings()
