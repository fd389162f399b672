"""Two histories that differ only in a card nobody may know are the same in every public byte, lamp and lock.

A card is secret while it lies face down, or out of the shoe with its fate undecided. Now and then one of them
is exchanged for another card in all that came in, and the table is folded once more beside itself.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import msgspec

from controller.round.secrecy import under_key
from controller.round.view import lock_wanted
from controller.shell.announcer import retained_payloads
from controller.table import Table
from controller.vocabulary.effects import Say
from controller.vocabulary.events import CardEntered, CardRead, CardReturned
from tests.simulation.course import Told
from tests.simulation.desk import CoreDesk, Recorded
from tests.simulation.felt import Out
from tests.simulation.oracles import Oracle
from tests.simulation.world import World

ONE_IN = 5
"""Rounds in which a card is exchanged."""
HASH = re.compile(rb'"commitment":"[0-9a-f]{64}"')


@dataclass
class Secret:
    """A card that nobody may know: what was read, and until which record nobody might."""

    out: Out
    read: int
    until: int
    loose: bool
    """It lay aside, its fate undecided."""


class Secrecy(Oracle):
    """Keeps the table of each opening, and the cards that came since."""

    def __init__(self) -> None:
        self.table: Table | None = None
        self.start = self.mark = self.rounds = 0
        self.secrets: list[Secret] = []
        self.excused = False
        """Felt and table may differ: what is secret on the one is not on the other."""

    def drawn(self, world: World, out: Out, told: Told) -> None:
        known = out.card is not None and out.said == out.card.name and out.said in world.rules.deck
        loose = out in world.felt.aside
        if (
            not isinstance(world.desk, CoreDesk)
            or not known
            or (loose and out.draw not in world.screen.waiting)
        ):
            return
        record = world.desk.record
        reads = range(self.mark, len(record))
        found = [
            at for at in reads if isinstance(read := record[at][0], CardRead) and read.code[:2] == out.said
        ]
        if found and is_secret(world, out):
            self.secrets.append(Secret(out, found[0], len(record), loose))

    def acted(self, world: World) -> None:
        desk = world.desk
        if not isinstance(desk, CoreDesk):
            return
        over = self.rounds != world.course.rounds
        for secret in list(self.secrets):
            if not over and is_secret(world, secret.out):
                secret.until = len(desk.record)
        if over or world.course.over:
            if not (self.excused or world.wrong):
                self._exchange(world, desk)
            self.table, self.start, self.secrets = desk.table, len(desk.record), []
        self.mark, self.rounds = len(desk.record), world.course.rounds
        self.excused = world.differs

    def _exchange(self, world: World, desk: CoreDesk) -> None:
        """One of the secret cards of the round for another one."""
        dice = world.plan.dice("secret", self.rounds)
        if self.table is None or not self.secrets or (self.rounds % ONE_IN and not self.secrets[0].loose):
            return
        secret = dice.choice([one for one in self.secrets if one.loose] or self.secrets)
        record = desk.record[self.start : secret.until]
        said = [name for event, _ in record if (name := named(event)) is not None]
        others = [name for name in world.rules.deck if name not in said and world.said[name] <= 0]
        true = secret.out.said
        reads = sum(named(event) == true and not isinstance(event, CardReturned) for event, _ in record)
        if true is None or reads != 1 or not others:
            return
        difference = compare(self.table, record, true, dice.choice(others), loose=secret.loose)
        if difference is not None:
            what = "a card that may still come into play" if secret.loose else "a face-down card"
            world.complain(f"{what} shows in {difference[0]}", difference[1])


def is_secret(world: World, out: Out) -> bool:
    """Whether nobody may know this card now."""
    if out in world.felt.aside:
        return out.draw in world.screen.waiting and not counts_next(world)
    for at, (place, one) in enumerate(world.felt.laid):
        if one is out:
            return world.rules.face_down(place) and at not in world.revealed
    return False


def counts_next(world: World) -> bool:
    """Whether a card that waits in a hold is neither early nor extra: it is laid when the hold is over."""
    held, rules = world.screen.held, world.rules
    about_it = held is None or held.reason in ("early_card", "extra_card")
    return not about_it and not rules.reveals and world.course.dealing and world.next_place() is not None


def named(event: object) -> str | None:
    """The card that an event names."""
    match event:
        case CardRead(code=code):
            return code[:2]  # marks of the card may follow
        case CardEntered(card=name) | CardReturned(card=name):
            return name
    return None


def compare(
    table: Table, record: list[Recorded], true: str, other: str, *, loose: bool
) -> tuple[str, str] | None:
    """Where the two histories first differ in public, and how; None if nowhere. A card that lies face down
    (not ``loose``) shows under the supervisor's key as little.
    """
    here = there = table
    for event, stamp in record:
        twin = event
        if named(event) == true:
            if isinstance(event, CardRead):
                twin = msgspec.structs.replace(event, code=other + event.code[2:])
            else:
                twin = msgspec.structs.replace(event, card=other)
        here, said = here.handle(event, stamp)
        try:
            there, twin_said = there.handle(twin, stamp)
        except Exception as error:
            return f"a failure {type(event).__name__}", f"{true} or {other}: {error!r}"
        if found_in(said) or found_in(twin_said):
            return None
        ones, twos = public(here, said), public(there, twin_said)
        if not loose:
            ones, twos = ones + opened(here), twos + opened(there)
        for one, two in zip(ones, twos, strict=False):
            if one != two:
                return one[0], f"{true} or {other} at {type(event).__name__}: {shown(one[1], two[1])}"
    return None


def opened(table: Table) -> list[tuple[str, bytes]]:
    """What a turned key would show now."""
    assert table.state is not None
    return [("what the key opens", msgspec.json.encode(under_key(table.state)))]


FINDINGS = frozenset(
    {"foreign_card", "excess", "duplicate_serial", "not_shuffled", "rapid_repeat", "reread_mismatch"}
)
"""A card that seems one too many may be held for a double read of before."""


def found_in(effects: tuple[object, ...]) -> bool:
    """Whether something is said about a card that is wrong: then it may be named."""
    evidence = [
        item for one in effects if isinstance(one, Say) for item in getattr(one.message, "evidence", ())
    ]
    return any(item.code in FINDINGS for item in evidence)


def public(table: Table, effects: tuple[object, ...]) -> list[tuple[str, bytes]]:
    """What is told, shown and locked: name and bytes."""
    state = table.state
    assert state is not None
    told = [(one.message.name, masked(one.message)) for one in effects if isinstance(one, Say)]
    retained = [
        (name.split("/", 4)[4], HASH.sub(b"", body)) for name, body in retained_payloads(state).items()
    ]
    return [
        *told,
        *retained,
        ("the lock", str(lock_wanted(state)).encode()),
        ("the light", state.light.encode()),
    ]


def masked(message: object) -> bytes:
    """A message without the hashes of cards."""
    return HASH.sub(b"", msgspec.json.encode(message))


def shown(one: bytes, two: bytes) -> str:
    """Where two texts differ."""
    at = next((at for at, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), 0)
    return f"{one[max(0, at - 60) : at + 30]!r} against {two[max(0, at - 60) : at + 30]!r}"
