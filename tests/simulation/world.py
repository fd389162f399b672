"""The physical world around a table: cards move by hands, readers speak, people hear what the table says.

People do what the house's procedures and a supervisor's ruling say, by what they see on the felt. What the
table believes is never asked here, but for the hold and the lamps that it shows."""

from __future__ import annotations

from collections import Counter
from typing import Literal

from tests.simulation.course import Course, Message, Screen, Told
from tests.simulation.desk import Desk
from tests.simulation.doubles import Doubles
from tests.simulation.felt import CUT, Card, Felt, Out
from tests.simulation.oracles import Oracle
from tests.simulation.plan import Fault, Plan
from tests.simulation.readers import Readers
from tests.simulation.rules import Rules, points
from tests.simulation.seats import seat
from tests.simulation.violation import Violation

Meant = Literal["turn up", "burn", "lay", "aside"]
OWN_MARK = "a card with the mark of this set"
MOST_ACTS = 160
"""Acts without a new round after which a table goes nowhere."""


class World:
    """One history of one table."""

    def __init__(self, plan: Plan, desk: Desk, oracles: list[Oracle] | None = None) -> None:
        self.plan, self.desk, self.oracles = plan, desk, oracles or []
        self.drawn = plan.drawn
        self.rules = Rules(plan.drawn.core.game, plan.drawn.house)
        self.felt, self.course, self.readers = Felt(), Course(), Readers(self)
        self.doubles = Doubles(self)
        self.armed: list[Fault] = []
        """Mishaps that wait for their moment."""
        self.burned_down = 0
        """The shoe of which most was burned."""
        self.owed_shoe = self.owed_keys = self.owed_round = 0
        """Burns that are due: after the loading, by the dealer's key, before the deal."""
        self.turn_up = False
        """The next card tells how many are burned."""
        self.revealed: set[int] = set()
        """Which cards of the round were turned up, by their place in the deal."""
        self.excuses: Counter[str] = Counter()
        """Why the table may believe something else of this round than lies on the felt."""
        self.wrong = self.wrong_later = False
        """Something of this round, or of the cards that are burned before the next one, was told wrongly,
        noticed or not."""
        self.excuses_later: Counter[str] = Counter()
        """The same of the next round, from the cards that are burned before it."""
        self.reveals: set[str] = set()
        """Irregularities that the inputs have shown and the table has not answered."""
        self.said: Counter[str] = Counter()
        """How often each card of this shoe was reported and is out."""
        self.acts = 0
        """Acts since the round opened."""
        self.in_hand: Out | None = None
        """A card on its way from the shoe to its hand."""
        self.misplace = self.skip_burn = False
        self.coming_back: list[tuple[int, str]] = []
        """Devices that were unplugged, with the acts until they come back."""
        self.plugs: Counter[str] = Counter()
        """How often each device was plugged in."""
        self.units: Counter[str] = Counter()
        """Which unit of its make it is: how many have stood there before."""
        self.said_seats = -1
        """The round in which it was said who plays."""
        self.said_to_play = [tuple(range(1, plan.drawn.core.game.seats + 1))]
        """The seats that were dealt to last, and what was said since."""
        self.shuffled: str | None = None
        """What the shuffler says of the next shoe; None: that it is whole."""
        self.broken: list[Violation] = []
        """Rules that were broken, where the history can go on."""
        self.unnoticed: Counter[str] = Counter()
        """Why nobody could notice -> finals that differ from the felt."""
        self.happened: Counter[tuple[str, str, str]] = Counter()
        """Fault, phase, game: how often it came."""

    # --- what the table says

    @property
    def screen(self) -> Screen:
        """The dealer's page."""
        return self.desk.screen()

    def key(self, *lines: str) -> Told:
        """Keys of the panel, one after the other."""
        told = Told()
        for line in lines:
            told.add(self.hear(self.desk.key(line)))
        return told

    def supervisor(self, *lines: str, badge: str = "4711") -> Told:
        """The same with the supervisor's key turned."""
        self.key(f"KEY {badge}")
        told = self.key(*lines)
        self.key("NOKEY")
        return told

    def void(self, reason: str) -> None:
        """A supervisor voids the round, and a second one confirms it where the house wants two."""
        if "second_badge" in self.supervisor(f"VOID {reason}").refused:
            self.supervisor(f"VOID {reason}", badge="4712")

    def hear(self, told: Told) -> Told:
        """Everybody hears what the table says."""
        if told.failure is not None:
            raise Violation(f"failure {told.failure.partition(':')[0]}", told.failure)
        for message in told.messages:
            for oracle in self.oracles:
                oracle.message(self, message)
            self.course.hear(message)
            self._follow(message)
        for oracle in self.oracles:
            oracle.answered(self, told)
        return told

    def complain(self, kind: str, text: str) -> None:
        """A rule was broken, and felt and table still agree: the history goes on."""
        if all(kind != violation.kind for violation in self.broken):
            self.broken.append(Violation(kind, text))

    def _follow(self, message: Message) -> None:
        """What hands do when the table says this."""
        self.doubles.hear(message)
        match message.name:
            case "shoe.started":
                self.felt.miscounted, self.felt.outs = True, {}
                self.felt.discard(*self.felt.aside)
                self.felt.aside, self.felt.reserved, self.felt.draws = [], None, 0
                self.said.clear()
                burn = self.drawn.core.shoe.burn
                self.owed_shoe, self.owed_keys, self.turn_up = int(burn == "one"), 0, burn == "count"
            case "round.opened":
                self.felt.sweep()
                self.revealed, self.acts, self.owed_round = set(), 0, 0
                self.wrong, self.wrong_later = self.wrong_later, False
                kept = self.felt.reserved
                self.excuses, self.excuses_later = +self.excuses_later, Counter()
                self.excuses["kept"] += kept is not None and kept.lied
                self.excuses = +self.excuses
            case "round.bets_closed" if self.course.closed == 1:
                seat(self, tuple(message.data.get("seats", ())))
                self.owed_round += self.drawn.core.shoe.burn_each_round
                if not self.screen.awaits and message.data["by"] != "void":
                    self._lay_reserved()
            case "round.card":
                if getattr(self.drawn.core.round, "await_book", None) is not None:
                    self._lay_reserved()  # the book is closed
                self.lay_accepted(message.data["draw"])
            case "round.result" if self.in_hand is not None:
                out, self.in_hand = self.in_hand, None  # it lies before the next round opens by itself
                self.place(out, "lay")
            case "round.void":
                self.felt.sweep(self.screen.waiting)  # cards of the next shoe go on waiting
                self.owed_round = 0
                if self.wrong:  # people know that something was told wrongly, and look
                    self.look_up_burns()
            case "round.revealed":
                up = {self._lying(card["index"] - 1) for card in message.data["cards"]}
                self.revealed |= up - {-1}

    def _lying(self, at: int) -> int:
        """Which of the cards that lie is that one of the screen, where reports of no card lie among them."""
        draw = self.course.draws[at] if self.doubles.open else None
        lying = (here for here, (_, out) in enumerate(self.felt.laid) if out.draw == draw)
        return at if draw is None else next(lying, -1)

    def _lay_reserved(self) -> None:
        """The card that was kept for this round is its first."""
        if self.felt.reserved is not None:
            out, self.felt.reserved = self.felt.reserved, None
            self.felt.lay(self.next_place() or "", out)

    def lay_accepted(self, draw: int | None = None) -> bool:
        """A card that came too early and counts is the next one, where one is due; whether it was laid."""
        waiting = (out for out in self.felt.aside if out.accepted and draw in (None, out.draw))
        out, place = next(waiting, None), self.next_place()
        if out is None or place is None or self.course.over:
            return False
        self.take_up(out)
        out.accepted = False
        self.felt.lay(place, out)
        return True

    # --- cards

    def next_place(self) -> str | None:
        """Where the next card goes, by what lies."""
        lying = [(place, out.card.name) for place, out in self.felt.laid if out.card is not None]
        return self.rules.next_place(lying, self.revealed)

    @property
    def between(self) -> bool:
        """Whether no round runs."""
        return self.course.over or self.course.settled

    @property
    def differs(self) -> bool:
        """Whether the table may believe something else than lies on the felt."""
        return (
            self.wrong
            or bool(self.excuses or self.doubles.open)
            or any(out.draw is None or out.lied for _, out in self.felt.laid)
        )

    @property
    def hidden(self) -> list[str]:
        """The hands of which cards lie face down that are turned up in the end."""
        lying = enumerate(place for place, _ in self.felt.laid)
        down = [place for at, place in lying if self.rules.face_down(place) and at not in self.revealed]
        return sorted({*down} - {"burn"})

    @property
    def owed(self) -> int:
        """Burns that are due; less than none where one came before the bell."""
        return self.owed_shoe + self.owed_keys + self.owed_round

    def draw(self, meant: Meant | None = None) -> Out | None:
        """A card comes out of the shoe, the readers say what they saw, and it is put where it belongs."""
        if not self.felt.shoe:
            if not self.supervisor("EMPTY").messages and not self.between:
                self.void("supervisor")  # a card is missing, and there is none
            return None
        meant = meant or self.meant()
        card = self.felt.shoe.pop()
        if card.name == CUT:
            self.readers.cut_card()
            return None
        out, card.back = Out(card), False
        self.in_hand = out if meant == "lay" else None
        told, phantoms = self.readers.card(out)
        laid, self.in_hand = meant == "lay" and self.in_hand is None, None
        waiting = self.screen.waiting
        for one in (out, *phantoms):
            held = one.draw is not None and one.draw in waiting
            if one.twin is not None:
                self.doubles.open.append(one)
                if told.named("round.void"):
                    self.doubles.pass_for_cards(one)
            elif one.draw is not None and not held and not told.named("round.void"):
                self._reveal(one, meant)
            if held:
                self.felt.aside.append(one)
                card.seen = True
            elif one.card is not None and not (laid and one is out):
                self.place(one, meant)
        for oracle in self.oracles:
            oracle.drawn(self, out, told)
        return out

    def _reveal(self, out: Out, meant: Meant) -> None:
        """What a report shows that the table let pass."""
        if out.said is None:
            self.reveals.add("an unread card")
        elif out.said not in self.rules.deck:
            self.reveals.add("a foreign card")
        elif self.said[out.said] > self.rules.decks:
            self.reveals.add("a card too often")
        elif out.serial is not None and self.said[f"#{out.serial}"] > 1:
            self.reveals.add("a serial number twice")
        elif out.serial is not None and out.card is not None and out.card.mark != "a" and self.marks_known:
            self.reveals.add("a card of another set")
        elif meant == "aside" and out.card is not None and not self.differs:
            self.reveals.add("a card that no rule asks for")

    def marks(self, card: Card) -> str:
        """What is printed behind the name of a card."""
        ours = self.drawn.marked and card.name in self.rules.deck
        return f".{card.serial}.{card.mark}" if ours else ""

    @property
    def marks_known(self) -> bool:
        """Whether a card of this shoe's own set is out, by the mark that was read."""
        return self.said[OWN_MARK] > 0

    def count(self, out: Out, by: int = 1) -> None:
        """What was said of a card that is out now, or (-1) back in the shoe; one that its mark shows to be of
        another set is no copy of a card of this one."""
        other = out.serial is not None and out.card is not None and out.card.mark != "a"
        own = out.serial is not None and not other and not out.lied
        self.said.update({out.said: by} if out.said is not None and not other else {})
        self.said.update({OWN_MARK: by} if own else {})
        self.said.update({f"#{out.serial}": by} if out.serial is not None else {})

    def meant(self) -> Meant:
        """What the next card is for, as people see it."""
        first = self.drawn.core.round.close == "first_card" and self.course.betting
        burns = self.owed > 0
        if first and not self.course.closed:
            burns = burns or self.drawn.core.shoe.burn_each_round > 0
        if self.skip_burn and (burns or self.turn_up):
            self.skip_burn = False
            self.excuses["burn forgotten"] += 1
        elif self.turn_up:
            return "turn up"
        elif burns:
            return "burn"
        if (first or self.course.dealing) and self.next_place() is not None:
            return "lay"
        return "burn" if self.between and self.screen.burns else "aside"  # a card that people saw is burned

    def meant_by(self, before: Meant) -> Meant:
        """What a card of a hold is for; ``before``: in it, since the result may come with the ruling."""
        now = self.meant()
        completed = before == "lay" and self.course.settled
        return before if now == "aside" or completed else now

    def place(self, out: Out, meant: Meant) -> None:
        """Put a card where people think it belongs."""
        place = self.next_place()
        if out.card is not None and (out.card.name not in self.rules.deck or self.lies_already(out)):
            self.felt.aside.append(out)  # nobody lays a card of another game, or one that lies there
        elif meant == "turn up":
            assert out.card is not None
            self.turn_up = False
            self.owed_shoe += points(out.card.name)
            self.felt.discard(out)
        elif meant == "burn":
            self.burn(out)
        elif meant == "lay" and place is not None and not self.course.over:
            if self.misplace:
                places = sorted({*self.rules.plan} - {place})
                place = places[0] if places else place
                self.misplace = False
                self.excuses["wrong hand"] += 1
            self.felt.lay(place, out)
            self.see(out, face_up=not self.rules.face_down(place))
        else:
            self.felt.aside.append(out)
            self.see(out, face_up=True)

    def lies_already(self, out: Out) -> bool:
        """Whether this card lies in the round as often as there are decks."""
        names = [one.card.name for _, one in self.felt.laid if one.card is not None and one is not out]
        return out.card is not None and names.count(out.card.name) >= self.rules.decks

    def see(self, out: Out, *, face_up: bool) -> None:
        """People see a card that lies face up."""
        if face_up and out.card is not None:
            out.card.seen = True

    def burn(self, out: Out) -> None:
        """A burn card."""
        for name in ("owed_shoe", "owed_keys", "owed_round"):
            if getattr(self, name) > 0:
                setattr(self, name, getattr(self, name) - 1)
                break
        else:
            self.owed_round -= self.course.betting  # the first card closes the bets, and is a burn
        out.burned = True
        self.felt.discard(out)

    def look_up_burns(self) -> None:
        """What is left to burn is as the screen says."""
        seen = self.screen
        self.owed_shoe, self.owed_keys, self.turn_up = seen.burns, 0, seen.burn_count

    def take_up(self, out: Out) -> None:
        """Take a card from wherever it lies into the hand; a result that counted it does not stand."""
        for at, (_, one) in enumerate(self.felt.laid):
            if one is out:
                self.course.result, self.course.settled = None, False
                self.revealed.discard(at)
                self.look_up_burns()  # the deal is open again, and what was to burn after it waits
        self.felt.laid = [(place, one) for place, one in self.felt.laid if one is not out]
        self.felt.aside = [one for one in self.felt.aside if one is not out]
        if self.felt.reserved is out:
            self.felt.reserved = None

    def agrees(self, screen: Screen) -> bool:
        """Whether the felt is as the screen shows it, to a person who compares them."""
        lying = [
            (
                place,
                None
                if self.rules.face_down(place) and at not in self.revealed
                else out.card and out.card.name,
            )
            for at, (place, out) in enumerate(self.felt.laid)
        ]
        loose = [out for out in self.felt.aside if out.draw not in screen.waiting and not out.accepted]
        burns = screen.burns == self.owed or not self.course.dealing
        return lying == list(screen.cards) and burns and not loose

    def answered(self, told: Told) -> bool:
        """Whether the table did something about it."""
        names = {message.name for message in told.messages}
        return bool(names & {"table.held", "round.void", "shoe.ended"}) or self.screen.held is not None

    @property
    def phase(self) -> str:
        """Where the round is, or that the table holds."""
        seen = self.screen
        return "hold" if seen.held is not None else seen.phase
