"""``demo``: every game from every kind of shoe and panel, as a newcomer types it."""

from __future__ import annotations

import re
import socket
import subprocess
from decimal import Decimal
from pathlib import Path

import pytest

from controller.demo import broker
from controller.demo.devices import PATIENCE_S as DEVICE_PATIENCE_S
from controller.demo.table import DemoTable
from controller.vocabulary.shown import counted
from tests.cli.program import HOUSE, answered, dealer_table, refused
from tests.harness.broker import free_port
from tests.harness.patience import PATIENCE_S
from tests.harness.process import PROGRAM


@pytest.mark.parametrize(
    ("game", "devices"),
    [
        ("baccarat", ()),
        ("baccarat", ("--shoe", "scanner", "--panel", "gpio", "--odds", "fixed")),
        ("2-card-action", ("--shoe", "camera")),
        ("two-cards-high", ()),
        ("two-cards-high", ("--panel", "gpio", "--shuffler", "gpio")),
        ("casino-holdem", ("--panel", "gpio")),
    ],
)
def test_rounds_are_dealt_to_their_end(game: str, devices: tuple[str, ...]) -> None:
    told = answered("demo", "--game", game, "--rounds", "2", "--pace-s", "0.01", *devices)
    assert told.splitlines()[-1].startswith("2 rounds in ")


@pytest.mark.parametrize(
    "table", sorted((HOUSE / "config/pay-tables").glob("*.toml")), ids=lambda path: path.stem
)
def test_every_shipped_pay_table_is_played_in_its_own_game(table: Path) -> None:
    told = answered("demo", "--pay-table", str(table), "--rounds", "1", "--pace-s", "0.01")
    assert told.splitlines()[-1].startswith("1 round in ")


def test_a_broker_of_the_demo_goes_to_another_port_where_somebody_was_faster(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as faster:
        taken, free = faster.getsockname()[1], broker.free_port()
        ports = iter((taken, free))
        monkeypatch.setattr(broker, "free_port", lambda: next(ports))
        started = broker.LoopbackBroker(tmp_path)
        try:
            assert (started.port, started.runs) == (free, True)
            socket.create_connection(("127.0.0.1", free)).close()
        finally:
            started.stop()


def test_what_the_spots_of_a_house_win_stands_behind_the_outcome() -> None:
    words = "--pay-table config/pay-tables/baccarat-ez.toml --odds fixed --rounds 3 --pace-s 0.01 --seed 2"
    results = [line.partition(": ")[2] for line in answered("demo", *words.split()).splitlines()]
    assert "Player 4:2" in results
    assert "Banker 1:4 (Banker 1:1)" in results


@pytest.mark.parametrize(
    ("words", "played"),
    [
        ("--game baccarat", "Baccarat, live odds, 5 software players bet"),
        ("--game baccarat --odds fixed", "Baccarat, fixed odds, no software players"),
        ("--game two-cards-high --players 3", "Two Cards High, fixed odds, 3 software players bet"),
    ],
)
def test_the_second_line_says_what_is_dealt_and_who_bets(words: str, played: str) -> None:
    lines = answered("demo", "--rounds", "1", "--pace-s", "0.01", *words.split()).splitlines()
    assert lines[1] == played


@pytest.mark.parametrize("odds", ["live", "fixed"])
def test_a_squeeze_is_turned_up_hand_by_hand(odds: str) -> None:
    words = f"--squeeze --odds {odds} --rounds 1 --pace-s 0.01 --seed 4"
    lines = answered("demo", *words.split()).splitlines()
    dealt = [line for line in lines if line.startswith(("Player: ", "Banker: ", "revealed: "))]
    face_down = [f"{side}: ▒▒" for side in ("Player", "Banker", "Player", "Banker")]
    turned_up = ["revealed: Player 4♥ A♠", "revealed: Banker K♣ 6♠", "Player: ▒▒", "revealed: Player 8♣"]
    assert dealt == [*face_down, *turned_up]


_OFFER = re.compile(r"prices \(offer (?P<id>\S+)\): (?P<prices>.*)")
_SETTLED = re.compile(
    r"\w+ (?P<stake>\S+) on (?P<spot>[\w ]+) at (?P<price>\S+) \(offer (?P<id>\S+)\): (?P<result>\w+),"
    r" (?P<back>\S+) back"
)


def test_at_live_odds_prices_move_and_each_bet_is_settled_at_the_price_of_its_offer() -> None:
    words = "demo --game baccarat --rounds 6 --pace-s 0.01 --seed 5"
    lines = answered(*words.split()).splitlines()
    offers = {
        match["id"]: dict(price.rsplit(" ", 1) for price in match["prices"].split(", "))
        for match in map(_OFFER.fullmatch, lines)
        if match is not None and match["prices"] != "none now"
    }
    assert len({tuple(prices.items()) for prices in offers.values()}) > 6
    assert len({line for line in lines if line.startswith("chances: ")}) > 6
    settled = [match for match in map(_SETTLED.fullmatch, lines) if match is not None]
    assert len({bet["id"] for bet in settled}) > 6
    bank = 0
    for bet in settled:
        assert offers[bet["id"]][bet["spot"]] == bet["price"]
        stake, back = (round(100 * Decimal(bet[key])) for key in ("stake", "back"))
        returned = {"win": int(stake * Decimal(bet["price"])), "push": stake, "lose": 0}
        assert back == returned[bet["result"]]
        bank += stake - back
    summary = next(line for line in lines if "bets at live odds" in line)
    assert summary.startswith(f"{len(settled)} bets at live odds: ")
    assert summary.endswith(f"the bank has {bank / 100:.2f}; the books balance")


@pytest.mark.parametrize("game", ["baccarat", "casino-holdem"])
def test_players_of_software_bet_through_the_wagering_service_and_the_books_are_printed(game: str) -> None:
    words = f"demo --game {game} --players 8 --rounds 2 --pace-s 0.02 --seed 3"
    books = next(line for line in answered(*words.split()).splitlines() if line.startswith("8 players: "))
    assert books.endswith(", 0.00 in play; the books balance")
    said = re.fullmatch(r"8 players: (\d+) bets, .*; the players have (\S+), the bank has (\S+), .*", books)
    assert said is not None
    assert int(said[1]) > 8
    assert Decimal(said[2]) + Decimal(said[3]) == 8 * 1000


@pytest.mark.parametrize(
    ("game", "unread"),
    [("baccarat", 3), ("2-card-action", 2), ("two-cards-high", 13), ("casino-holdem", 5)],
)
def test_plain_cards_are_dealt_before_a_camera_and_what_it_cannot_read_is_entered(
    game: str, unread: int
) -> None:
    words = f"demo --game {game} --shoe camera --cards plain --unread {unread} --rounds 1 --pace-s 0 --seed 5"
    done = dealer_table(*words.split())
    told = done.stderr.splitlines()
    assert done.returncode == 0, done.stderr
    assert all(line.startswith("the table holds: card_unread") for line in told), done.stderr
    held = sum(line.startswith("HOLD, card unread") for line in done.stdout.splitlines())
    assert held == len(told) > 0
    assert f"{held} card{'' if held == 1 else 's'} that the shoe did not read" in done.stdout
    assert "1 round in " in done.stdout


def test_it_counts_the_events_that_verify_finds(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    call = ["demo", "--game", "baccarat", "--odds", "fixed", "--rounds", "2", "--pace-s", "0"]
    told = answered(*call, "--keep", str(kept))
    [events] = re.findall(r"(\d+) events journaled", told)
    assert f", {events} records, " in answered("verify", str(kept / "journal.db"))


def test_who_leaves_before_it_has_begun_waits_for_nothing() -> None:
    table = DemoTable(
        "baccarat", rounds=None, pace_s=0, seed=None, shoe=None, panel="keypad", shuffler=None,
        odds=None, squeeze=False, pay_table=None, tell=print,
    )  # fmt: skip
    try:
        table.leave()
        table.run(lambda batch: None)
        table.dealer.join(DEVICE_PATIENCE_S / 2)
        assert not table.dealer.is_alive()
    finally:
        table.close()


@pytest.mark.parametrize(("number", "words"), [(0, "0 bets"), (1, "1 bet"), (2, "2 bets")])
def test_one_is_told_as_one(number: int, words: str) -> None:
    assert counted(number, "bet") == words


@pytest.mark.parametrize(
    ("game", "option", "message"),
    [
        ("baccarat", "--story", "--story plays a table of its own: leave --game out"),
        ("casino-holdem", "--odds=live", "casino-holdem has no live odds: leave --odds out"),
        ("casino-holdem", "--squeeze", "casino-holdem has no squeeze: leave --squeeze out"),
        ("casino-holdem", "--shoe=angel-eye", "a shoe angel-eye does not know the hands of casino-holdem"),
        ("baccarat", "--cards=plain --shoe=scanner", "a shoe scanner reads no plain cards"),
        ("baccarat", "--unread=5 --panel=gpio", "buttons enter no card that was not read"),
        ("baccarat", "--shoe=angle-eye", "no shoe 'angle-eye'; did you mean angel-eye?"),
    ],
)
def test_what_cannot_be_dealt_is_refused(game: str, option: str, message: str) -> None:
    assert message in refused("demo", "--game", game, *option.split())


def test_the_story_tells_each_special_moment_and_what_the_table_does() -> None:
    told = " ".join(answered("demo", "--story", "--pace-s", "0.01").split())
    for words in (
        "The game is 2 Card Action.",
        "keys KEY S1, ENTER QS, CLEAR enter, NOKEY",
        "result: sum 16",
        "HOLD, card unread: a supervisor may enter or void",
        "SHOE 416 says that a shuffled shoe of 416 cards is loaded",
        "CLEAR ends a hold with a choice",
        "which reads its code: X9",
        "VOID, foreign card, paragraph 5.1.1 of the rules of 2 Card Action: every bet is returned",
        "HOLD, restart doubt: a supervisor may continue or void",
        "and these cards lie: 8♠",
        "messages arrive, in order, none missing",
        "acknowledged before, none twice",
        "the record as it is: whole",
        "record 9 does not fit its hash",
    ):
        assert words in told, told


@pytest.mark.parametrize("more", [("--players", "0"), ("--bench",)])
def test_it_ends_when_nobody_reads_its_lines_any_more(more: tuple[str, ...]) -> None:
    """As with ``| head -1``."""
    port = ("--port", str(free_port())) if "--bench" in more else ()
    call = [str(PROGRAM), "demo", "--pace-s", "0", *more, *port]
    with subprocess.Popen(call, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        assert running.stdout.readline()
        running.stdout.close()
        assert running.wait(PATIENCE_S) in (0, 1)  # 1: it was the main thread that had a line to print
        assert "Traceback" not in running.stderr.read()
