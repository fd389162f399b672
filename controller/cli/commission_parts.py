"""The parts of a commissioning that a person does at the table: cards, buttons, lamps, beam, lock."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from controller.cli.conversation import Conversation, Typed
from controller.cli.phrases import card_text
from controller.games.registry import build_game
from controller.settings.model import Configuration
from controller.shell.commissioning import CommissioningRecord, CommissioningStep, Verdict
from controller.shell.wiring.bench import Bench, Said
from controller.vocabulary.cards import Card, parse_card
from controller.vocabulary.errors import CardError, InputError

ANSWER_S = 5.0
SKIP, FAIL, END = "skip", "fail", "end"
ANSWERS = "y; n and what is wrong; skip and why"
MOST_LISTED = 20
SUPERVISOR = ("KEY", "NOKEY", "VOID", "ENTER", "RETURN", "CLEAR", "COUNT", "LEFT", "EMPTY")
LAMPS = ("red", "yellow", "green", "hold", "buzzer")


@dataclass(slots=True)
class Visit:
    """A part of a commissioning: the table, the person, the devices, and where every step is kept."""

    configuration: Configuration
    talk: Conversation
    bench: Bench
    progress: CommissioningRecord
    part: str

    def judge(
        self, name: str, right: bool, seen: str, card: str | None = None, code: str | None = None
    ) -> None:
        """Keep a step that is right or has failed."""
        self.note(name, "ok" if right else "failed", seen, card, code)

    def skip(self, name: str, why: str = "") -> None:
        """Keep a step that a person leaves out, and why; asked for where it was not said at once."""
        self.note(name, "skipped", why or self.talk.ask("Why is it skipped? (one line, for the report)"))

    def note(
        self, name: str, verdict: Verdict, seen: str, card: str | None = None, code: str | None = None
    ) -> None:
        """Keep a step, and say it where it is not well."""
        self.progress.note(CommissioningStep(self.part, name, verdict, seen, now(), card, code))
        if verdict != "ok":
            self.talk.tell(f"  {verdict.upper()}: {name}: {seen}")

    def asked(self, name: str, question: str) -> None:
        """A step that a person sees: y, n, or skip; behind n and skip may stand what is wrong, or why."""
        said, why = self.talk.choose_remark(f"{question} ({ANSWERS})", ("y", "n", SKIP))
        if said == SKIP:
            self.skip(name, why)
        else:
            self.judge(name, said == "y", f"{question} {said}" + (f": {why}" if why else ""))

    def awaited(self, name: str, what: str, right: Callable[[Said], bool]) -> None:
        """A step that a device shows: what it says, until it is right or the person gives up."""
        self.talk.forget(Said)
        self.talk.tell(f"{what} (or type: skip and why; fail and what is wrong)")
        while True:
            heard = self.talk.wait(Said, Typed)
            if isinstance(heard, Typed):
                if heard.line is None:
                    raise InputError(f"standard input ended at: {what}")
                said, _, why = heard.line.strip().partition(" ")
                if said.lower() == SKIP:
                    return self.skip(name, why.strip())
                if said.lower() == FAIL:
                    return self.note(name, "failed", f"{what}: {why.strip() or 'nothing right came'}")
                self.talk.tell(
                    "  the device has to say it, not the keyboard; where it cannot, type skip or fail"
                )
            elif isinstance(heard, Said) and right(heard):
                return self.note(name, "ok", heard.text)
            elif isinstance(heard, Said) and heard.what != "other":
                self.talk.tell(f"  {heard.device}: {heard.text}; that is not it")


def now() -> str:
    """UTC, RFC 3339, whole seconds."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def cards(visit: Visit, *, blind: bool = False) -> None:
    """A full shoe, every card named by a person: a code map with two suits exchanged passes every count."""
    talk, configuration = visit.talk, visit.configuration
    game = build_game(configuration.game.settings(), configuration.pay_table)
    total = len(game.deck) * game.decks
    shoe = visit.bench.lockable()
    visit.bench.start("shoe")
    if shoe is not None:
        shoe.unlock()
    drawn = sum(
        step.code is not None or step.name.startswith("card ") for step in visit.progress.of(visit.part)
    )
    talk.tell(f"Draw the whole shoe, {total} cards, one by one ({drawn} are done). For each card:")
    talk.tell(
        "type the card that you hold (10H, AS)" if blind else "Enter where it is the one that is shown,"
    )
    talk.tell("then it is compared" if blind else "else type the card that you hold (10H, AS), or ? for none")
    talk.tell("type end where the shoe is empty")
    while drawn < total:
        heard = talk.wait(Said, Typed)
        if isinstance(heard, Typed):
            if heard.line is None:
                raise InputError(
                    f"standard input ended after {drawn} of {total} cards; the rest is asked next time"
                )
            if heard.line.strip().lower() == END:
                break
        elif isinstance(heard, Said) and heard.what in ("card", "unread"):
            drawn += 1
            one_card(visit, heard, f"{drawn}/{total}", blind=blind)
        elif isinstance(heard, Said) and heard.what == "lost":
            talk.tell(f"  the shoe: {heard.text}")
    inventory(visit, Counter({str(card): game.decks for card in game.deck}))


def one_card(visit: Visit, heard: Said, number: str, *, blind: bool) -> None:
    """What the table read, and what the person holds."""
    shown = card_text(heard.card) if heard.card is not None else f"no card ({heard.text})"
    code = "" if heard.code is None else f", code {heard.code}"
    question = f"{number}  which card is it?" if blind else f"{number}  {shown}{code}"
    named = named_card(visit.talk, question, None if blind else heard.card)
    seen = f"{code.removeprefix(', ') or heard.text}: read as {heard.card or 'none'}, is {named or 'none'}"
    right = heard.card is not None and named == heard.card
    visit.judge(f"card {number}", right, seen, heard.card, heard.code)


def named_card(talk: Conversation, question: str, shown: str | None) -> str | None:
    """The card that the person holds; an empty line is the one that was shown, ? is none."""
    while True:
        said = talk.ask(question, "" if shown is not None else None).upper()
        if said == "" and shown is not None:
            return shown
        if said == "?":
            return None
        try:
            return str(parse_card(said.replace("10", "T")))
        except CardError:
            talk.tell(f"  {said!r} is no card; type rank and suit, as 10H or AS")


def inventory(visit: Visit, wanted: Counter[str]) -> None:
    """Every card as often as there are decks."""
    read = Counter(step.card for step in visit.progress.of(visit.part) if step.card is not None)
    seen = [f"{read.total()} of {wanted.total()} cards were read"]
    for what, cards in (("missing", wanted - read), ("too many", read - wanted)):
        if cards:
            listed = [
                card_text(card) + (f" {number} times" if number > 1 else "") for card, number in cards.items()
            ]
            more = f" and {len(listed) - MOST_LISTED} more" if len(listed) > MOST_LISTED else ""
            seen.append(f"{what}: {', '.join(listed[:MOST_LISTED])}{more}")
    visit.judge("inventory", read == wanted, "; ".join(seen))


def buttons(visit: Visit) -> None:
    """Every button of the panel, and the supervisor's key."""
    visit.bench.start("panel")
    panel = visit.configuration.devices.panel
    own = None if panel is None else panel.lines_said()
    for line in keypad_lines(visit.configuration) if own is None else own:
        word = line.split()[0]
        whole = own is not None and word not in ("KEY", "NOKEY")

        def right(said: Said, word: str = word, line: str = line, whole: bool = whole) -> bool:
            return said.what == "key" and (said.text == line if whole else said.word == word)

        press = {"KEY": "Turn the supervisor's key", "NOKEY": "Take the key out"}.get(word, f"Press {line}")
        visit.awaited(line, press, right)


def keypad_lines(configuration: Configuration) -> Sequence[str]:
    """What can be pressed at this table's keypad, which says any line."""
    game = build_game(configuration.game.settings(), configuration.pay_table)
    steps = ["OPEN", "CLOSE"]
    steps += ["DECIDED"] if game.decisions_after() is not None else []
    steps += ["REVEAL"] if game.has_reveal else []
    shuffler = configuration.devices.shuffler
    shoe = ["SHOE"] if shuffler is None or shuffler.only_shuffles else []
    return [*shoe, *steps, "SETTLED", "HOLD", *SUPERVISOR]


def lamps(visit: Visit) -> None:
    """Each lamp by itself, the buzzer, and the safe state."""
    lights = visit.configuration.devices.lights
    outputs = visit.bench.outputs
    if lights is None or outputs is None:
        return
    outputs.start()
    for name in LAMPS:
        if lights.has(name):
            visit.bench.show(name)
            lit = f"Is {name} lit, and nothing else?"
            visit.asked(name, "Did the buzzer sound three times?" if name == "buzzer" else lit)
    outputs.safe()
    hold = "lit" if lights.safe_hold else "dark"
    visit.asked("safe state", f"Is the light {lights.safe_light} now, and the hold lamp {hold}?")


def beam(visit: Visit) -> None:
    """The beam at the shoe's exit, broken and free."""
    visit.bench.start("beam")
    visit.awaited("broken", "Hold a card into the beam", lambda said: said.what == "broken")
    visit.awaited("free", "Take it out", lambda said: said.what == "free")


def lock(visit: Visit) -> None:
    """The lock of the shoe, told by cable and by pin."""
    shoe, outputs = visit.bench.lockable(), visit.bench.outputs
    if shoe is not None:
        visit.bench.start("shoe")
        for name, tell, command, question in (
            ("cable: lock", shoe.lock, "LK 02", HELD),
            ("cable: unlock", shoe.unlock, "LK 01", FREE),
        ):
            visit.talk.forget(Said)
            tell()
            if answered(visit, name, command):
                visit.asked(name, question)
    if outputs is not None and outputs.has_lock:
        outputs.start()
        outputs.lock()
        visit.asked("pin: lock", HELD)
        outputs.unlock()
        visit.asked("pin: unlock", FREE)


HELD = "Try to draw a card: does the lock keep it in?"
FREE = "Try again: does a card come out?"


def answered(visit: Visit, name: str, command: str) -> bool:
    """Whether the shoe confirms a command in ``ANSWER_S``, whatever else it says; noted where it does not."""
    ends = time.monotonic() + ANSWER_S
    while (left_s := ends - time.monotonic()) > 0:
        said = visit.talk.wait(Said, within_s=left_s)
        if said is None:
            continue
        lost, its = said.what == "lost", said.text.startswith(command)  # the shoe is asked other things, too
        if lost or (its and said.what == "refused"):
            visit.note(name, "failed", f"{said.what}: {said.text}")
            return False
        if its and said.what == "answered":
            return True
    visit.note(name, "failed", "the shoe does not answer")
    return False


def shuffler(visit: Visit) -> None:
    """The shuffler says something that is understood; one on contacts begins, finishes and fails."""
    device = visit.configuration.devices.shuffler
    visit.bench.start("shuffler")
    if device is None or not device.only_shuffles:
        visit.awaited(
            "says", "Let the shuffler shuffle, or switch it off and on", lambda said: said.what == "shuffler"
        )
        return
    game = build_game(visit.configuration.game.settings(), visit.configuration.pay_table)
    cards = len(game.deck) * game.decks
    for name, what, lines in (
        ("starts", f"Let the shuffler shuffle {cards} cards", ("START",)),
        ("finishes", "Wait until it has finished", ("DONE", f"DONE {cards}")),
        ("fails", "Start it again, and stop it in the middle: open its door, or hold a card back", ("FAIL",)),
    ):

        def right(said: Said, lines: tuple[str, ...] = lines) -> bool:
            heard = said.text if "DONE" in lines else said.text.partition(" ")[0]
            return said.what == "shuffler" and heard in lines

        visit.awaited(name, what, right)


def second_reader(visit: Visit) -> None:
    """Both readers name the same card."""
    visit.bench.start("shoe")
    visit.bench.start("second_reader")
    read: dict[str, Card | str | None] = {}

    def right(said: Said) -> bool:
        if said.what == "card":
            read[said.device] = said.card
        return len(read) == 2 and len(set(read.values())) == 1

    visit.awaited("same card", "Draw one card past both readers", right)
