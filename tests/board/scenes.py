"""A floor of tables in every state worth looking at, for screenshots, layout and accessibility."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from tests.board.played import PlayedTable, Publisher
from tests.board.serving import BoardProcess
from tests.harness.broker import Broker

LONG_S = 900
"""Bets that are open stay so while they are looked at."""
DOES = ("shoe", "rounds", "open", "deal", "draw", "status")
"""Methods of a played table; every other word is an event."""


@dataclass(frozen=True)
class Scene:
    """A table and what happens at it: ``DOES`` with arguments, or events with fields, parted by ``;``."""

    table: str
    game: str
    steps: str
    settings: str = ""
    more: dict[str, Any] = field(default_factory=dict)

    def __call__(
        self,
        folder: Path,
        publisher: Publisher,
        *,
        longest: bool = False,
        bets_s: int = LONG_S,
        ago_s: int = 0,
    ) -> PlayedTable:
        """Play it; ``longest``: with the longest names there are; ``bets_s`` where its bets stay open."""
        name, named = self.table, {**self.more, **({"bets_s": bets_s} if "bets_s" in self.more else {})}
        if longest:
            name = f"{name}{LONGEST_TABLE[len(name) :]}"
            named = {**named, "site": f"{named.get('site', 'north')}{LONGEST_SITE}"}
        table = PlayedTable(folder, publisher, name, self.game, self.settings, **named)
        steps = [step.split() for step in self.steps.split(";")]
        table.to_come = sum(int(given[0]) if word == "rounds" else word == "open" for word, *given in steps)
        table.opened_s_ago = ago_s
        table.round_s += 6 * (int(self.table) % 5)  # no two dealers are as fast
        table.to_deal = [card for word, *given in steps if word == "deal" for card in given]
        for word, *given in steps:
            if word in DOES:
                getattr(table, word)(*map(number, given))
            else:
                fields = dict(one.split("=") for one in given)
                table.tell(word, **{name: number(value) for name, value in fields.items()})
        return table


def number(text: str) -> Any:
    """A number or a list of them, where it is one."""
    return json.loads(text) if text.isdigit() or text.startswith("[") else text


def four_cards(winner: str, at: int) -> str:
    """A natural for P, B or T; ranks and suits go round with ``at``, so that no card comes too often."""
    suit, other = "SHDC"[at // 2 % 4], "HDCS"[at // 2 % 4]
    high, low = "98"[at % 2], "76"[at % 2]
    player, banker = {"P": (high, low), "B": (low, high), "T": (high, high)}[winner]
    nothing = "TJQK"[at % 4]
    return f"{player}{suit} {banker}{other} {nothing}{'SHDC'[at // 4 % 4]} {nothing}{'DCSH'[at // 4 % 4]}"


LONGEST_TABLE = "___Salon-Prive-Marie-Antoinette_au-fond1"
LONGEST_SITE = "-Grand-Casino-Wiesbaden-am-Kurpark1"
DEAL = "open; bets_closed; deal"
STREAKS = "TTBTB" + "P" * 9 + "B" * 8 + "PTTP" + "B" * 11 + "PBPB" + "T"
LONG = {"bets_s": LONG_S}
LIMITS = """
[limits]
currency = "EUR"
table = { min = 500, max = 500000 }
spots = { tie = { min = 500, max = 50000 } }
"""

PAY_TABLES = Path(__file__).parents[2] / "config" / "pay-tables"
HOUSE = f'pay_table = "{PAY_TABLES / "baccarat-ez.toml"}"'
NO_COMMISSION = f'pay_table = "{PAY_TABLES / "baccarat-no-commission.toml"}"'

SCENES = {
    # Baccarat: a shoe well under way, bets are open.
    "bets_open": Scene("1", "baccarat", "shoe; rounds 58; open", LIMITS, LONG),
    # At live odds, after the first four cards: bets are taken once more.
    "live_odds": Scene(
        "7",
        "baccarat",
        f"shoe; rounds 15; {DEAL} 2H 3C TS 4D",
        'odds = "live"\nbetting_rounds = ["deal", "four"]',
        LONG,
    ),
    # Bets are closed here, and not yet where they are kept: nothing may be drawn.
    "waits_for_book": Scene(
        "18",
        "baccarat",
        "shoe; open; bets_closed",
        '[round]\nawait_book = "settlement"\n[mqtt]\nconsumers = ["settlement"]\n',
    ),
    # At live odds, bets are closed: the chances move with each card.
    "live_chances": Scene("8", "baccarat", f"shoe; rounds 4; {DEAL} 2H 3C TS 4D", 'odds = "live"'),
    # A long shoe whose last round is over: another one is awaited.
    "shoe_change": Scene("9", "baccarat", "shoe; rounds 70; cut_card_seen; rounds 1"),
    # Streaks past the sixth row, ties first and within: a tie with both pairs ends it.
    "dragon_tails": Scene(
        "10",
        "baccarat",
        "shoe;"
        + "".join(f"{DEAL} {four_cards(winner, at)}; round_settled;" for at, winner in enumerate(STREAKS))
        + f"{DEAL} 4C 9D 4H 9S",
    ),
    # The Player draws a third card.
    "third_card": Scene(
        "2", "baccarat", f"dealer_signed_on by=D-12; shoe; rounds 12; {DEAL} 2H 3C TS 4D", LIMITS
    ),
    # The Banker wins with a pair, in the last round of the shoe.
    "result": Scene(
        "3", "baccarat", f"dealer_signed_on by=D-7; shoe; rounds 71; cut_card_seen; {DEAL} KC 4D 7D 4S"
    ),
    # A result is taken back.
    "void_after_result": Scene(
        "4",
        "baccarat",
        f"shoe; rounds 20; {DEAL} KC 8D 7D KS; round_voided reason=supervisor by=S-1",
    ),
    # A card too many after a natural: the table holds.
    "extra_card": Scene(
        "5", "baccarat", f"dealer_signed_on by=D-12; shoe; rounds 9; {DEAL} KC 8D 7D KS 3H", LIMITS
    ),
    # The Player is turned up, the Banker lies face down, in test mode.
    "squeeze": Scene(
        "6",
        "baccarat",
        f"shoe; {DEAL} 2H 3C TS 4D; cards_revealed hand=player",
        "squeeze = true",
        {"mode": "test"},
    ),
    # All four are turned up; the Player's third card lies face down.
    "squeeze_third": Scene(
        "15",
        "baccarat",
        f"shoe; rounds 3; {DEAL} 2H 3C TS 4D; cards_revealed; deal 5H",
        "squeeze = true",
    ),
    # The house's own pay table: the Banker's three-card seven pushes, and Dragon 7 wins.
    "house_spots": Scene("16", "baccarat", f"shoe; rounds 20; {DEAL} 2H 2C 4S 3D 2D", HOUSE),
    # Live prices for the additional bets and the house's own, the pay table for the main bets.
    "additional": Scene("17", "baccarat", "shoe; rounds 11; open", f'odds = "additional"\n{HOUSE}', LONG),
    # Bets are open; what the Banker pays depends on his points.
    "no_commission": Scene("20", "baccarat", "shoe; rounds 11; open", f"{NO_COMMISSION}{LIMITS}", LONG),
    # Closed for the night: nobody plays before a supervisor opens it.
    "closed": Scene(
        "19",
        "baccarat",
        "table_opened by=S-1; shoe; rounds 7; table_closed by=S-1",
        f'{LIMITS}[table]\nsession = "signed"\n',
    ),
    # Closed in its last round, at a table that settles by itself.
    "closed_at_once": Scene(
        "25",
        "baccarat",
        f"table_opened by=S-1; shoe; {DEAL} KC 8D 7D; table_closed by=S-1; deal KS",
        f'{LIMITS}[table]\nsession = "signed"\n[round]\nsettle = "auto"\n',
    ),
    # 2 Card Action on layout C, a suited pair of kings.
    "layout_c": Scene("11", "2-card-action", f"shoe; rounds 25; {DEAL} KH KH", 'layout = "C"\ndecks = 8'),
    # On layout A, an unsuited ace and eight: Bonus, Sum 9 and two single cards.
    "layout_a": Scene("12", "2-card-action", f"shoe; rounds 8; {DEAL} AS 8D", 'layout = "A"\ndecks = 8'),
    # Void by 5.1.1 after the first card.
    "foreign_card": Scene(
        "13", "2-card-action", f"shoe; rounds 3; {DEAL} TS no-card-of-ours", 'layout = "B"\ndecks = 8'
    ),
    # A card passed the reader unread.
    "unread": Scene("14", "2-card-action", "shoe; open; bets_closed; card_unread", 'layout = "A"'),
    # Hold'em: players decide; the dealer's cards lie face down.
    "decision": Scene(
        "21",
        "casino-holdem",
        f"rounds 6; {DEAL} AS AD KC QC 9H 2S KD 7C 7D; decisions_reported hand=hand1 play=12 fold=3 auto=0;"
        " decisions_reported hand=hand2 play=4 fold=1 auto=2",
    ),
    # The result.
    "showdown": Scene(
        "22",
        "casino-holdem",
        f"rounds 6; {DEAL} AS AD KC QC 9H 9S KD 7C 7D; decisions_reported hand=hand1 play=12 fold=3 auto=0;"
        " decisions_reported hand=hand2 play=9 fold=1 auto=2; decisions_closed; deal 2C 3H; cards_revealed",
    ),
    # Bets are open and nothing lies.
    "hands_open": Scene("23", "casino-holdem", "rounds 2; open", more=LONG),
    # Two Cards High, four seats, all cards face down.
    "face_down": Scene("31", "two-cards-high", "rounds 3; open; bets_closed; draw 25", "seats = 4"),
    # Seven seats of which three play, with gaps between them, the result.
    "gaps": Scene(
        "33",
        "two-cards-high",
        "rounds 2; seats_taken seats=[1,4,7]; open; bets_closed; draw 20; cards_revealed",
        "seats = 7",
    ),
    # Seven seats, the result.
    "seven_seats": Scene(
        "32", "two-cards-high", "rounds 4; open; bets_closed; draw 40; cards_revealed", "seats = 7"
    ),
    # A table whose controller is gone.
    "lost": Scene("41", "baccarat", "shoe; rounds 5; open; status lost", more={"site": "south"}),
}


class Laid(NamedTuple):
    """Tables on a board."""

    broker: Broker
    board: BoardProcess
    tables: dict[str, PlayedTable]


@contextmanager
def laid(
    folder: Path, *scenes: str, board: str = "", longest: bool = False, bets_s: int = LONG_S
) -> Iterator[Laid]:
    """These scenes, by their names, on a board and at a broker of their own; ``board`` are keys of it,
    ``longest`` names are as long as any may be.
    """
    broker = Broker(folder / "broker")
    broker.start()
    publisher = Publisher(broker.port)
    try:
        file = folder / "board.toml"
        file.write_text(f"[board]\n{board}\n")
        with BoardProcess(folder, f"--mqtt-port={broker.port}", f"--config={file}") as running:
            ago_s = range(3 * len(scenes), 0, -3)  # each opened a moment after the one before it
            tables = {
                name: SCENES[name](folder, publisher, longest=longest, bets_s=bets_s, ago_s=ago)
                for name, ago in zip(scenes, ago_s, strict=True)
            }
            paths = [table.path for table in tables.values()]
            assert len({*paths}) == len(paths), f"two scenes have one table: {sorted(paths)}"
            yield Laid(broker, running, tables)
    finally:
        publisher.close()
        broker.stop()
