"""``docs/examples/settlement``: a settlement system in another language, pays right through kills."""

from __future__ import annotations

import json
import random
import subprocess
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Literal, get_args, get_type_hints

import msgspec
import pytest

from controller.demo.bench_table import demo_table
from controller.offers import check_limits
from controller.outbox.envelope import StreamHead, canonical, envelope, sent_late
from controller.outbox.signature import Signer
from controller.settlement import returned_minor
from controller.vocabulary.outcomes import SpotOutcome
from drivers.angel_eye.simulator import SimulatedAngelEye
from tests.examples.running import BETS, MadeUpTable, Node
from tests.harness.broker import Broker
from tests.harness.dealer import Dealer, Felt
from tests.harness.house import house
from tests.harness.keys import SIGNER, by
from tests.harness.rules_by_hand import Played
from tests.node import EXAMPLES, NODE

ROUNDS = 40
KILLS = {5: "node", 11: "broker", 16: "node", 22: "daemon", 28: "node", 31: "broker and node", 36: "node"}
VOIDED = (9, 25)
"""After these rounds the supervisor takes the result back."""
PAYS = {"player": Fraction(1), "banker": Fraction(95, 100), "tie": Fraction(8), "pair": Fraction(11)}


def right(felts: list[Felt]) -> dict[str, int]:
    """What each account must have won or lost, by hand: the rules, the stakes, and no look at the program."""
    balances: Counter[str] = Counter({bet["account"]: 0 for bet in BETS})
    for felt in felts:
        assert felt.played is not None
        for bet in BETS:
            balances[str(bet["account"])] += won(felt.played, str(bet["spot"]), int(str(bet["stake"])))
    return dict(balances)


def won(played: Played, spot: str, stake: int) -> int:
    if spot.endswith("_pair"):
        hit, pays = played.pairs[spot == "banker_pair"], PAYS["pair"]
    elif played.winner == "tie" and spot != "tie":
        return 0
    else:
        hit, pays = played.winner == spot, PAYS[spot]
    return int(stake * pays) if hit else -stake


def test_each_round_is_paid_once_and_right_through_kills_of_everybody(tmp_path: Path) -> None:
    chance = random.Random(41)
    shoe = SimulatedAngelEye(tmp_path / "shoe", tries=1_000_000, answer_timeout_s=0.1)
    paid: list[Felt] = []
    with (
        house(tmp_path, shoe, 'mqtt.consumers = ["settlement", "paydesk"]') as table,
        Node(tmp_path / "paydesk", table.broker.port) as desk,
    ):
        dealer = Dealer(table, chance)
        table.daemon.start()
        dealer.load()
        for number in range(ROUNDS):
            assert dealer.round()
            victim = KILLS.get(number, "")
            if "node" in victim:
                desk.kill()
            if "broker" in victim:
                table.broker.kill()
                table.broker.start()
            if "daemon" in victim:
                table.daemon.restart()
            if "node" in victim:
                desk.start()
            if number in VOIDED:
                dealer.press("KEY", "boss")
                dealer.must("VOID", "supervisor")
                dealer.press("NOKEY")
            else:
                paid.append(dealer.rounds[-1])
        table.wait_delivered()
        head = table.stream_head()
        desk.until(
            lambda: any(line["sequence"] == head for line in desk.lines()), f"message {head} is in the ledger"
        )
        assert desk.stop() == 0
    lines = desk.lines()
    assert [line["sequence"] for line in lines] == list(range(1, head + 1))
    assert [line["hash"] for line in lines][-1] == table.settlement._hash
    assert {account: int(amount) for account, amount in desk.report()["balances"].items()} == right(paid)
    kinds = Counter(posting["kind"] for line in lines for posting in line["postings"])
    assert kinds["stake"] == kinds["pay"] == ROUNDS * len(BETS)
    assert kinds["reverse"] == kinds["refund"] == len(VOIDED) * len(BETS)
    assert set(desk.codes()) <= {"gap", "broker", "pinned", "refused"}
    refused = [line for line in desk.log.splitlines() if '"refused"' in line]
    assert all("too_often" in line for line in refused), "one that starts anew asks at once"


def stream(
    count: int, epoch: int = 5, signer: Signer = SIGNER, name: str = "shoe.burned", **data: object
) -> list[bytes]:
    """Messages; left out: of a type that a settlement system has no use for."""
    head, bodies = StreamHead(epoch, 1, "0" * 64), list[bytes]()
    for number in range(count):
        bodies.append(
            envelope(
                head, source="/dealer-table/north/7", mode="live", name=name, subject=None,
                time="2026-01-31T20:15:00Z", data={"cards": number, "reason": 'an "id":"x" in a text'} | data,
            )
        )  # fmt: skip
        head = head.after(bodies[-1])
    return [by(signer, body) for body in bodies]


def test_a_gap_is_noticed_a_resend_is_asked_for_and_nothing_behind_it_is_taken(
    tmp_path: Path, broker: Broker
) -> None:
    table, bodies = MadeUpTable(broker), stream(6)
    with Node(tmp_path / "desk", broker.port) as desk:
        table.wait(lambda: table.commands)
        wait_reply(desk, table, bodies[0])
        table.say(bodies[1])
        table.say(bodies[4])
        desk.wait_told("gap")
        table.wait(lambda: any(name == "resend" for name, _ in table.commands))
        asked = next(members for name, members in table.commands if name == "resend")
        assert (asked["epoch"], asked["sequence"]) == (5, 3)
        table.wait(lambda: table.acks[-1]["sequence"] == 2)
        for body in (bodies[1], bodies[2], sent_late(bodies[3]), bodies[4], bodies[5]):
            table.say(body)
        table.wait(lambda: table.acks[-1]["sequence"] == 6)
        assert [line["sequence"] for line in desk.lines()] == [1, 2, 3, 4, 5, 6]
    table.stop()


def wait_reply(desk: Node, table: MadeUpTable, first: bytes) -> None:
    """It takes messages as soon as it knows where it begins; until then what comes must come again."""
    try:
        table.say_until(first, lambda: bool(table.acks))
    except AssertionError as error:
        raise AssertionError(desk.log) from error


def test_another_journal_and_a_changed_record_are_alarms_and_nothing_is_taken(
    tmp_path: Path, broker: Broker
) -> None:
    table, bodies = MadeUpTable(broker), stream(3)
    with Node(tmp_path / "desk", broker.port) as desk:
        table.wait(lambda: table.commands)
        wait_reply(desk, table, bodies[0])
        table.say(stream(2, epoch=6)[0])
        desk.wait_told("other_epoch")
        table.say(by(SIGNER, canonical(bodies[1]).replace(b'"prevhash":"', b'"prevhash":"f', 1)))
        desk.wait_told("broken_chain")
        table.say(bodies[1])
        table.wait(lambda: table.acks[-1]["sequence"] == 2)
        assert [line["epoch"] for line in desk.lines()] == [5, 5]
    table.stop()


def test_what_the_table_did_not_sign_is_refused_until_a_person_accepts_another_key(
    tmp_path: Path, broker: Broker
) -> None:
    table, bodies, thief = MadeUpTable(broker), stream(3), Signer(bytes(32))
    with Node(tmp_path / "desk", broker.port) as desk:
        table.wait(lambda: table.commands)
        wait_reply(desk, table, bodies[0])
        for forged in (
            canonical(bodies[1]),
            by(thief, canonical(bodies[1])),
            bodies[1].replace(b"burned", b"ended", 1),
        ):
            before = desk.codes().count("not_its_own")
            table.say(forged)
            desk.until(lambda before=before: desk.codes().count("not_its_own") > before, "it is refused")
        table.say(bodies[1])
        table.wait(lambda: table.acks[-1]["sequence"] == 2)
        assert [line["sequence"] for line in desk.lines()] == [1, 2]
    anew = stream(1, epoch=6, signer=thief)
    with Node(tmp_path / "desk", broker.port, "--accept-epoch", "--table-key", thief.key) as desk:
        table.say_until(anew[0], lambda: table.acks[-1]["epoch"] == 6)
        assert [(line["epoch"], line["sequence"]) for line in desk.lines()] == [(5, 1), (5, 2), (6, 1)]
    table.stop()


def test_a_line_that_was_torn_by_a_crash_never_happened(tmp_path: Path, broker: Broker) -> None:
    table, bodies = MadeUpTable(broker), stream(3)
    with Node(tmp_path / "desk", broker.port) as desk:
        table.wait(lambda: table.commands)
        wait_reply(desk, table, bodies[0])
        table.say(bodies[1])
        table.wait(lambda: table.acks[-1]["sequence"] == 2)
        desk.kill()
        ledger = tmp_path / "desk" / "ledger.jsonl"
        whole = ledger.read_bytes()
        ledger.write_bytes(whole[:-9])
        desk.start()
        table.wait(lambda: table.acks[-1]["sequence"] == 1)
        table.say(bodies[1])
        table.wait(lambda: table.acks[-1]["sequence"] == 2)
        assert ledger.read_bytes() == whole
    table.stop()


@pytest.mark.parametrize(
    ("pays", "stake", "back"),
    [
        ("1:1", 10, 20),
        ("0.95:1", 333, 649),
        ("0.95:1", 1, 1),
        ("3:2", 5, 12),
        ("11:1", 7, 84),
        ("0.54:1", 100, 154),
    ],
)
def test_a_ratio_is_exact_and_fractions_are_rounded_down(pays: str, stake: int, back: int) -> None:
    assert returned_by_node(stake, SpotOutcome("win", pays)) == back


@pytest.mark.parametrize("result", get_args(get_type_hints(SpotOutcome)["result"]))
def test_every_result_returns_what_settle_returns(
    result: Literal["win", "lose", "push", "not_placed"],
) -> None:
    spot = SpotOutcome(result, "0.95:1" if result == "win" else None)
    assert returned_by_node(333, spot) == returned_minor(333, spot)


def returned_by_node(stake: int, spot: SpotOutcome) -> int:
    return int(by_node("money.mjs", f"String(m.returned({stake}n, {msgspec.json.encode(spot).decode()}))"))


def by_node(module: str, expression: str) -> str:
    """What an expression gives; ``m`` is the module of the example."""
    where = (EXAMPLES / "settlement" / module).as_uri()
    call = [NODE, "--input-type=module", "--eval", f"import * as m from '{where}'; console.log({expression})"]
    return subprocess.run(call, check=True, capture_output=True, text=True).stdout.strip()


def said(sequence: int, name: str, **data: object) -> dict[str, object]:
    return {"id": f"5-{sequence}", "sequence": sequence, "type": f"dealertable.{name}.v1", "data": data}


CLOSED = said(8, "round.bets_closed", round="r1")
PAID = said(9, "round.result", round="r1", revision=1, bets={"tie": {"result": "win", "pays": "8:1"}})


@pytest.mark.parametrize(
    ("held", "round_", "word", "for_people", "balance"),
    [
        ([CLOSED], "r1", said(2, "round.void", round="r1", retracts=None), [], 0),
        ([CLOSED, PAID], "r1", said(2, "round.void", round="r1", retracts=None), [], 0),
        ([CLOSED, PAID], "r1", said(2, "round.final", round="r1", revision=1), [], 80),
        ([CLOSED, PAID], "r1", said(2, "round.final", round="r1", revision=2), ["r1"], 80),
        ([CLOSED], "r1", said(2, "round.final", round="r1", revision=1), ["r1"], -10),
        ([CLOSED], "r3", said(2, "round.void", round="r3", retracts="5-40"), ["r1"], -10),
        ([CLOSED, PAID], "r3", said(2, "round.final", round="r3", revision=1), ["r1"], 80),
        ([CLOSED, PAID], None, said(2, "shoe.started"), ["r1"], 80),
        (
            [CLOSED, PAID, said(10, "round.final", round="r1", revision=1)],
            None,
            said(2, "shoe.started"),
            [],
            80,
        ),
    ],
)
def test_a_round_that_a_dead_unit_took_along_is_for_people(
    held: list[dict[str, object]],
    round_: str | None,
    word: dict[str, object],
    for_people: list[str],
    balance: int,
) -> None:
    stream = json.dumps([*held, said(1, "epoch.started", round=round_), word])
    told, balances = json.loads(
        by_node(
            "book.mjs",
            f"""(() => {{
                const book = new m.Book([{{ account: 'bert', spot: 'tie', stake: 10 }}]);
                const told = {stream}.flatMap((message) => {{
                    const people = book.forPeople(message);
                    const {{ type, data: {{ round }} }} = message;
                    book.post({{ type, round, postings: book.judge(message) }});
                    return people;
                }});
                return JSON.stringify([told, book.balances()]);
            }})()""",
        )
    )
    assert (told, balances) == (for_people, {"bert": str(balance)})


def test_what_a_new_unit_leaves_open_is_an_alarm(tmp_path: Path, broker: Broker) -> None:
    table = MadeUpTable(broker)
    with Node(tmp_path / "desk", broker.port) as desk:
        table.wait(lambda: table.commands)
        wait_reply(desk, table, stream(1, name="round.bets_closed", round="r1")[0])
        desk.kill()
    begun = stream(1, 6, SIGNER, "epoch.started", round="r3")[0]
    with Node(tmp_path / "desk", broker.port, "--accept-epoch", "--table-key", SIGNER.key) as desk:
        table.say_until(begun, lambda: table.acks[-1]["epoch"] == 6)
        assert desk.codes().count("for_people") == 1
    table.stop()


def test_the_bets_of_the_example_are_within_the_limits_of_the_bench(tmp_path: Path) -> None:
    limits = demo_table(tmp_path, "baccarat", 1).configuration.limits
    bets = json.loads((EXAMPLES / "settlement" / "bets.json").read_text())
    assert limits is not None
    for bet in bets:
        check_limits(limits, {bet["spot"]: bet["stake"]})
