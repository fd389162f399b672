"""A floor of tables in every state worth looking at, for screenshots, layout and accessibility."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.board.played import PlayedTable, Publisher

Scene = Callable[[Path, Publisher], PlayedTable]


def bets_open(folder: Path, publisher: Publisher) -> PlayedTable:
    """Baccarat, a shoe well under way, bets are open."""
    table = PlayedTable(folder, publisher, "1", "baccarat", bets_s=900)
    table.shoe()
    table.rounds(58)
    table.open()
    return table


def live_odds(folder: Path, publisher: Publisher) -> PlayedTable:
    """Baccarat at live odds, after the first four cards: bets are taken once more."""
    live = 'odds = "live"\nbetting_rounds = ["deal", "four"]'
    table = PlayedTable(folder, publisher, "7", "baccarat", live, bets_s=900)
    table.shoe()
    table.rounds(15)
    table.open()
    table.tell("bets_closed")
    table.deal("2H", "3C", "TS", "4D")
    return table


def live_chances(folder: Path, publisher: Publisher) -> PlayedTable:
    """Baccarat at live odds, bets are closed: the chances move with each card."""
    table = PlayedTable(folder, publisher, "8", "baccarat", 'odds = "live"')
    table.shoe()
    table.rounds(4)
    table.open()
    table.tell("bets_closed")
    table.deal("2H", "3C", "TS", "4D")
    return table


def shoe_change(folder: Path, publisher: Publisher) -> PlayedTable:
    """Baccarat, a long shoe whose last round is over: another one is awaited."""
    table = PlayedTable(folder, publisher, "9", "baccarat")
    table.shoe()
    table.rounds(70)
    table.tell("cut_card_seen")
    table.rounds(1)
    return table


def dragon_tails(folder: Path, publisher: Publisher) -> PlayedTable:
    """Baccarat, streaks past the sixth row, ties first and within: a tie with both pairs ends it."""
    table = PlayedTable(folder, publisher, "10", "baccarat")
    table.shoe()
    table.speaking = False
    streaks = "TTBTB" + "P" * 9 + "B" * 8 + "PTTP" + "B" * 11 + "PBPB" + "T"
    for at, winner in enumerate(streaks):
        table.open()
        table.tell("bets_closed")
        table.deal(*four_cards(winner, at))
        table.tell("round_settled")
    table.speaking = True
    table.open()
    table.tell("bets_closed")
    table.deal("4C", "9D", "4H", "9S")
    return table


def four_cards(winner: str, at: int) -> tuple[str, str, str, str]:
    """A natural for P, B or T; ranks and suits go round with ``at``, so that no card comes too often."""
    suit, other = "SHDC"[at // 2 % 4], "HDCS"[at // 2 % 4]
    high, low = "98"[at % 2], "76"[at % 2]
    player, banker = {"P": (high, low), "B": (low, high), "T": (high, high)}[winner]
    nothing = "TJQK"[at % 4]
    return player + suit, banker + other, nothing + "SHDC"[at // 4 % 4], nothing + "DCSH"[at // 4 % 4]


def third_card(folder: Path, publisher: Publisher) -> PlayedTable:
    """Baccarat, the Player draws a third card."""
    table = PlayedTable(folder, publisher, "2", "baccarat")
    table.shoe()
    table.rounds(12)
    table.open()
    table.tell("bets_closed")
    table.deal("2H", "3C", "TS", "4D")
    return table


def result(folder: Path, publisher: Publisher) -> PlayedTable:
    """Baccarat, the Banker wins with a pair, in the last round of the shoe."""
    table = PlayedTable(folder, publisher, "3", "baccarat")
    table.shoe()
    table.rounds(30)
    table.tell("cut_card_seen")
    table.open()
    table.tell("bets_closed")
    table.deal("KC", "4D", "7D", "4S")
    return table


def void_after_result(folder: Path, publisher: Publisher) -> PlayedTable:
    """Baccarat, a result is taken back."""
    table = PlayedTable(folder, publisher, "4", "baccarat")
    table.shoe()
    table.rounds(20)
    table.open()
    table.tell("bets_closed")
    table.deal("KC", "8D", "7D", "KS")
    table.tell("round_voided", reason="supervisor", by="S-1")
    return table


def extra_card(folder: Path, publisher: Publisher) -> PlayedTable:
    """Baccarat, a card too many after a natural: the table holds."""
    table = PlayedTable(folder, publisher, "5", "baccarat")
    table.shoe()
    table.rounds(9)
    table.open()
    table.tell("bets_closed")
    table.deal("KC", "8D", "7D", "KS", "3H")
    return table


def squeeze(folder: Path, publisher: Publisher) -> PlayedTable:
    """Baccarat with cards face down until the reveal, in test mode."""
    table = PlayedTable(folder, publisher, "6", "baccarat", "squeeze = true", mode="test")
    table.shoe()
    table.open()
    table.tell("bets_closed")
    table.deal("2H", "3C", "TS", "4D", "9C")
    return table


def layout_c(folder: Path, publisher: Publisher) -> PlayedTable:
    """2 Card Action on layout C, a suited pair of kings."""
    table = PlayedTable(folder, publisher, "11", "2-card-action", 'layout = "C"\ndecks = 8')
    table.shoe()
    table.rounds(25)
    table.open()
    table.tell("bets_closed")
    table.deal("KH", "KH")
    return table


def layout_a(folder: Path, publisher: Publisher) -> PlayedTable:
    """2 Card Action on layout A, an unsuited ace and eight: Bonus, Sum 9 and two single cards."""
    table = PlayedTable(folder, publisher, "12", "2-card-action", 'layout = "A"\ndecks = 8')
    table.shoe()
    table.rounds(8)
    table.open()
    table.tell("bets_closed")
    table.deal("AS", "8D")
    return table


def foreign_card(folder: Path, publisher: Publisher) -> PlayedTable:
    """2 Card Action, void by 5.1.1 after the first card."""
    table = PlayedTable(folder, publisher, "13", "2-card-action", 'layout = "B"\ndecks = 8')
    table.shoe()
    table.rounds(3)
    table.open()
    table.tell("bets_closed")
    table.deal("TS", "no card of ours")
    return table


def decision(folder: Path, publisher: Publisher) -> PlayedTable:
    """Hold'em, players decide; the dealer's cards lie face down."""
    table = PlayedTable(folder, publisher, "21", "casino-holdem")
    table.rounds(6)
    table.open()
    table.tell("bets_closed")
    table.deal("AS", "AD", "KC", "QC", "9H", "2S", "KD", "7C", "7D")
    table.tell("decisions_reported", hand="hand1", play=12, fold=3, auto=0)
    table.tell("decisions_reported", hand="hand2", play=4, fold=1, auto=2)
    return table


def showdown(folder: Path, publisher: Publisher) -> PlayedTable:
    """Hold'em, the result."""
    table = PlayedTable(folder, publisher, "22", "casino-holdem")
    table.rounds(6)
    table.open()
    table.tell("bets_closed")
    table.deal("AS", "AD", "KC", "QC", "9H", "9S", "KD", "7C", "7D")
    table.tell("decisions_reported", hand="hand1", play=12, fold=3, auto=0)
    table.tell("decisions_closed")
    table.deal("2C", "3H")
    table.tell("cards_revealed")
    return table


def face_down(folder: Path, publisher: Publisher) -> PlayedTable:
    """Two Cards High, four seats, all cards face down."""
    table = PlayedTable(folder, publisher, "31", "two-cards-high", "seats = 4")
    table.rounds(3)
    table.open()
    table.tell("bets_closed")
    table.draw(25)
    return table


def hands_open(folder: Path, publisher: Publisher) -> PlayedTable:
    """Hold'em, bets are open and nothing lies."""
    table = PlayedTable(folder, publisher, "23", "casino-holdem", bets_s=900)
    table.rounds(2)
    table.open()
    return table


def seven_seats(folder: Path, publisher: Publisher) -> PlayedTable:
    """Two Cards High, seven seats, the result."""
    table = PlayedTable(folder, publisher, "32", "two-cards-high", "seats = 7")
    table.rounds(4)
    table.open()
    table.tell("bets_closed")
    table.draw(40)
    table.tell("cards_revealed")
    return table


def lost(folder: Path, publisher: Publisher) -> PlayedTable:
    """A table whose controller is gone."""
    table = PlayedTable(folder, publisher, "41", "baccarat", site="south")
    table.shoe()
    table.rounds(5)
    table.open()
    table.status("lost")
    return table


def unread(folder: Path, publisher: Publisher) -> PlayedTable:
    """2 Card Action, a card passed the reader unread."""
    table = PlayedTable(folder, publisher, "14", "2-card-action", 'layout = "A"')
    table.shoe()
    table.open()
    table.tell("bets_closed")
    table.tell("card_unread")
    return table


SCENES: dict[str, Scene] = {
    scene.__name__: scene
    for scene in (
        bets_open,
        live_odds,
        live_chances,
        shoe_change,
        dragon_tails,
        third_card,
        result,
        void_after_result,
        extra_card,
        squeeze,
        layout_c,
        layout_a,
        foreign_card,
        unread,
        decision,
        showdown,
        hands_open,
        face_down,
        seven_seats,
        lost,
    )
}
