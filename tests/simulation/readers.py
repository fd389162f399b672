"""What the readers say of a card that passes: the shoe, a beam across its exit, a second reader.

Each of them may err, as the plan has it. An error that another witness, a number or the count of the cards
could reveal is no excuse; any other is written down as one, by its name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from drivers.readings import (
    BeamBroken,
    BeamRestored,
    CardNotRead,
    CardReported,
    CutCardReported,
    Reading,
    ResultGiven,
    StartReported,
)
from tests.simulation.course import Told
from tests.simulation.desk import WITHIN_NS
from tests.simulation.doubles import SOON_S
from tests.simulation.felt import Card, Out

if TYPE_CHECKING:
    from tests.simulation.world import World

SLOW_S = 1.0
"""Between two things that happen at a table."""


class Readers:
    """The readers of one table, and what goes wrong with the next card."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.errors: set[str] = set()
        """Of the next card, by their names in ``faults``."""
        self.number = 0
        self.heard = False
        """A numbered report came: from then on a gap is one."""
        self.late: list[tuple[Reading, int | None, Out]] = []
        """Reports of the shoe that have not arrived yet."""
        self.last: tuple[Reading, int] | None = None
        """The last report of a shoe that numbers them, where it has arrived."""
        self.alone: list[int] = []
        """When the beam was broken and nothing was read, or (negative) the other way round; a beam counts and
        knows no card, so that within its time the one makes up for the other."""

    def card(self, out: Out) -> tuple[Told, list[Out]]:
        """A card passes all readers; what the table said, and cards that were reported and are none."""
        world, errors, told = self.world, self.errors, Told()
        self.errors = set()
        assert out.card is not None
        code, true, marks = out.card.name, out.card.name, world.marks(out.card)
        if "misread" in errors and true in world.rules.deck:
            others = [name for name in world.rules.deck if name != true]
            code = world.plan.dice("misread", world.course.rounds, world.acts).choice(others)
        if world.drawn.beam and "beam blind" not in errors:
            told.add(self._say("beam", BeamBroken()))
            told.add(self._say("beam", BeamRestored(20)))
        beam_saw = world.drawn.beam and "beam blind" not in errors
        witnessed = beam_saw or (world.drawn.second and "second unseen" not in errors)
        phantoms: list[Out] = []
        if beam_saw:
            self._count(1)
        if not errors & {"lost", "unseen", "late"}:
            before, _ = list(self.alone), self._count(-1)
            if (
                before and not self.alone and not world.drawn.second
            ):  # the beam saw the one, and not the other
                self._made_up()
                world.excuses["beam blind"] += 1
        if "unread" in errors:
            told.add(self._shoe(out, CardNotRead("dirty")))
        elif "lost" in errors:
            self._next_number()
            self._excuse("lost", noticed=witnessed or (world.drawn.core.shoe_numbered and self.heard))
        elif "unseen" in errors:
            self._excuse("unseen", noticed=witnessed)
        elif "late" in errors:
            self._read(out, code, out.card)
            self.late.append((CardReported(code + marks, None, None), self._next_number(), out))
            self._excuse("late", noticed=False)
        else:
            self._read(out, code, out.card)
            told.add(self._shoe(out, CardReported(code + marks, self.destination(errors), None)))
            if code != true:
                second_tells = world.drawn.second and world.desk.hears("second_reader")
                self._excuse("misread", noticed=second_tells and "second misread" not in errors)
            if "doubled" in errors:
                if not world.course.settled:  # else the next round may open, and the card is in a hand still
                    world.hear(world.desk.wait(SOON_S))
                self._count(-1)
                watched = world.doubles.watched(out.card, errors)
                phantom = Out(None, twin=out if watched else None)
                self._read(phantom, code, out.card)
                again = self._shoe(phantom, CardReported(code + marks, None, None))
                told.add(again)
                if watched and again.named("round.void"):
                    world.complain("a double read voids at once", code)
                if phantom.draw is not None:
                    phantoms.append(phantom)
                    if not watched:
                        self._excuse("doubled", noticed=witnessed or bool(marks))
        if world.drawn.second and "second unseen" not in errors:
            second = code if "second misread" in errors else true
            told.add(self._say("second_reader", CardReported(second + marks, None, None)))
        return told, phantoms

    def _read(self, out: Out, name: str, card: Card) -> None:
        """What the shoe has read of a card."""
        out.said, out.serial = name, card.serial if self.world.marks(card) else None

    def destination(self, errors: set[str]) -> str | None:
        """Where a shoe that knows the game believes that the card goes."""
        world = self.world
        place = world.next_place()
        if not world.rules.has_bank or "other hand" not in errors or world.meant() != "lay":
            return None
        self.world.reveals.add("a card for another hand")
        return "banker" if place == "player" else "player"

    def opinion(self, winner: str) -> Told:
        """The shoe says what it believes the result to be."""
        return self._say("shoe", ResultGiven(winner, False, False), self._next_number())

    def start_anew(self) -> Told:
        """The shoe was switched off and on: it counts from anywhere, as it happens the next number."""
        return self._say("shoe", StartReported(), self._next_number())

    def cut_card(self) -> Told:
        """The cut card passes; it breaks the beam like any other."""
        told = Told()
        if self.world.drawn.beam:
            told.add(self._say("beam", BeamBroken()))
        if self.world.drawn.core.shoe.cut_card_behind == 0:
            told.add(self._say("shoe", CutCardReported(), self._next_number()))
        return told

    def arrive(self) -> Told:
        """What was late arrives."""
        told = Told()
        late, self.late = self.late, []
        for reading, number, out in late:
            self._count(-1)
            self.world.felt.miscounted = True  # it may be a card of the shoe before
            told.add(self._shoe(out, reading, number))
        return told

    def say_again(self) -> Told:
        """A shoe whose cable or host was away may say its last report once more; that is no other card."""
        likely = self.world.plan.dice("again", self.world.course.rounds, self.world.acts).random() < 0.7
        if self.last is None or not likely:
            return Told()
        before = self.world.screen.draws
        told = self._say("shoe", *self.last)
        if self.world.screen.draws > before:
            self.world.complain("a report that is said again is taken for another card", str(self.last))
        return told

    def missed(self) -> None:
        """The shoe counts a report that nobody hears."""
        self._next_number()

    def other_shoe(self) -> None:
        """Another unit stands there: it counts from anywhere."""
        self.number, self.heard, self.last = (self.number + 37) % 100, False, None

    def _count(self, side: int) -> None:
        """The beam (1) or the shoe (-1) has told of a card."""
        now_ns = self.world.desk.now_ns
        self.alone = [at for at in self.alone if now_ns - abs(at) <= WITHIN_NS]
        if self.alone and self.alone[0] * side < 0:
            self.alone.pop(0)
        else:
            self.alone.append(side * now_ns)

    def _made_up(self) -> None:
        """A break without a card and a card without a break, within the beam's time: as one that is whole."""
        self.world.reveals -= {"a card lost", "a card unseen", "a card doubled"}

    def _next_number(self) -> int | None:
        if not self.world.drawn.core.shoe_numbered:
            return None
        self.number, self.last = (self.number + 1) % 100, None
        return self.number

    def _shoe(self, out: Out, reading: Reading, number: int | None = None) -> Told:
        if self.late and self.world.drawn.core.shoe_numbered and all(out is not one[2] for one in self.late):
            self.world.reveals.add("numbers out of order")
        before = self.world.felt.draws
        told = self._say("shoe", reading, number if number is not None else self._next_number())
        self.heard = True
        self.world.felt.draws = self.world.screen.draws
        if self.world.felt.draws > before:
            out.draw = self.world.felt.draws
            self.world.felt.outs[out.draw] = out
            self.world.count(out)
        else:
            self.last = None  # nobody has heard it yet
        return told

    def _say(self, device: str, reading: Reading, number: int | None = None) -> Told:
        if device == "shoe" and number is not None:
            self.last = reading, number
        return self.world.hear(self.world.desk.say(device, reading, number))

    def _excuse(self, name: str, *, noticed: bool) -> None:
        """What the table was told wrongly; in a round somebody must notice, or it is an excuse."""
        self.world.wrong = self.world.felt.miscounted = True
        self.world.wrong_later |= self.world.between
        shoe = self.world.felt.shoe
        if shoe and shoe[-1].seen:
            self.world.felt.tampered = True  # which of these are still in it, nobody knows
        if self.world.drawn.beam and not self.world.drawn.second and not self.alone and noticed:
            noticed = self.world.drawn.core.shoe_numbered and name == "lost"  # its number is missing
            self._made_up()
        if not noticed:
            self.world.excuses[name] += 1
            self.world.excuses_later[name] += self.world.between
        elif self.world.between or (name == "lost" and self.world.drawn.core.shoe_numbered):
            return  # numbers tell with the next report
        elif name == "misread" or self.world.course.result is None:  # else it may be said in the next round
            self.world.reveals.add(f"a card {name}")
