"""Which device takes which place: what was found, and what a person says about it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from controller.cli.conversation import Conversation, Typed
from controller.settings.devices import driver_names, settings_at, usual_baud_rate
from controller.settings.writing import Values, at, put
from controller.shell.wiring.finding import Heard, PinWatch, Search, can_be_found, holder_of

LINES = ("CLEAR continue", "CLEAR void", "EMPTY")
CONTACTS = {"running": True, "ready": True, "door": False, "jam": False, "count": False}
"""Of a shuffler, and whether it must have them."""
LIGHTS = ("red", "yellow", "green", "hold", "buzzer", "shoe_lock")
UNOPENED = "cannot be opened"
SKIP = ("", "skip", "-")
FIND = "find"
"""Stands for a port, or for the source of a camera, in an answers file."""
SOURCE = "devices.shoe.source"
ON_PORTS = ("shoe", "second_reader", "shuffler", "panel")
"""The places that may be taken by a device on a serial port."""


@dataclass(slots=True)
class Found:
    """The serial devices and cameras of this machine, and what is known of each."""

    ports: list[str]
    cameras: list[str]
    known: dict[str, Heard] = field(default_factory=dict)

    def note(self, heard: Heard) -> bool:
        """Remember who it is; False if that is no news."""
        before = self.known.get(heard.port)
        if before is not None and (before.driver is not None or before == heard):
            return False
        held = heard.words.startswith(UNOPENED) and holder_of(heard.port) is not None
        if held:
            return False  # whoever has it is named at the end
        self.known[heard.port] = heard
        return heard.driver is not None or not heard.words.startswith(UNOPENED) or before is None

    def of(self, driver: str) -> list[str]:
        """The ports where this device was heard."""
        return [port for port, heard in self.known.items() if heard.driver == driver]

    def lines(self) -> list[str]:
        """A line for each that was not told when it was heard."""
        said = [self._line(port) for port in self.ports if port not in self.known]
        return said + [f"{camera}: camera" for camera in self.cameras]

    def _line(self, port: str) -> str:
        holder = holder_of(port)
        return f"{port}: silent" if holder is None else f"{port}: in use by {holder}"


def listen(
    found: Found,
    is_card: Callable[[str], bool],
    talk: Conversation,
    enough: Callable[[], bool],
    listen_s: float | None,
) -> None:
    """Listen at all ports and tell who is heard, until ``enough``, for ``listen_s`` or to an empty line,
    however much a device has to say. What was said before that end counts.
    """
    search = Search(found.ports, talk.heard.put, is_card)
    search.start()
    ends = None if listen_s is None else time.monotonic() + listen_s

    def over() -> bool:
        return (ends is not None and time.monotonic() > ends) or talk.wait(Typed, within_s=0) is not None

    def noted(said: Heard) -> bool:
        """Tell it where it is news."""
        news = found.note(said)
        if news:
            talk.tell(f"{said.port}: {said.driver or 'not known'}, {said.words}")
        return news

    try:
        while not (enough() or over()):
            said = talk.wait(Heard, within_s=0.1)
            if said is not None and noted(said) and said.garbled:
                talk.tell(f"  listening at {search.next_rate(said.port)} baud now: once more, please")
    finally:
        search.stop()
    while (said := talk.wait(Heard, within_s=0)) is not None:
        noted(said)


def resolve(values: dict[str, object], found: Found) -> list[str]:
    """Put what was heard, or the camera that is there, where an answers file says ``find``; the places that
    stay unknown, in words.

    A device is taken where exactly one speaks as it does: nothing is guessed.
    """
    problems = []
    for place in wanted(values):
        driver = at(values, f"devices.{place}.driver")
        candidates = found.of(str(driver))
        if len(candidates) == 1:
            take(values, place, found.known[candidates[0]])
            continue
        mend = "press a key or draw a card while setup listens, or name the port"
        if candidates:
            seen = f"{len(candidates)} speak as {driver}: {', '.join(candidates)}"
        elif can_be_found(settings_at(place, str(driver))[0]):
            seen = f"no {driver} was heard"
        else:
            seen, mend = f"setup cannot tell a {driver} by what it says", "name the port"
        problems.append(f"devices.{place}.port: {seen}; {mend}")
    if at(values, SOURCE) == FIND:
        if len(found.cameras) == 1:
            put(values, SOURCE, found.cameras[0])
        else:
            seen = f"there are {', '.join(found.cameras)}" if found.cameras else "no camera was found"
            problems.append(f"{SOURCE}: {seen}; plug in the one that is meant, or name its path")
    return problems


def wanted(values: Values) -> list[str]:
    """The places whose port is to be found."""
    return [place for place in ON_PORTS if at(values, f"devices.{place}.port") == FIND]


def take(values: dict[str, object], place: str, heard: Heard) -> None:
    """A device at its place, with the speed at which it was heard where that is not the driver's own."""
    put(values, f"devices.{place}.port", heard.port)
    if (
        heard.baud_rate != usual_baud_rate(place, str(heard.driver))
        and at(values, f"devices.{place}.baud_rate") is None
    ):
        put(values, f"devices.{place}.baud_rate", heard.baud_rate)


class DeviceQuestions:
    """Asks for the devices, place by place, and offers what was found."""

    def __init__(self, talk: Conversation, values: dict[str, object], found: Found) -> None:
        self._talk, self._values, self._found = talk, values, found
        self._on_pins = PinQuestions(talk, values)

    def ask(
        self,
        needs_shuffler: bool,
        buttons: tuple[str, ...],
        cards: int | None,
        pins: Callable[[], PinWatch] | None,
    ) -> None:
        """All places; ``buttons``: those that the game needs; ``cards``: of a whole shoe, where known.
        ``pins``: None on a machine without any, which is then offered nothing on pins.
        """
        self._shoe()
        self._shuffler(needs_shuffler, on_pins=pins is not None)
        if at(self._values, "devices.panel") is None:
            default = "keypad" if self._found.of("keypad") or pins is None else "gpio"
            self._talk.tell("The dealer's panel:")
            kinds = ("keypad", "none") if pins is None else ("keypad", "gpio", "none")
            kind = self._talk.choose("Which?", kinds, default)
            if kind == "keypad":
                put(self._values, "devices.panel.driver", "keypad")
                self._port("panel", "keypad")
            elif kind == "gpio" and pins is not None:
                loads = at(self._values, "devices.shuffler.driver") == "line"
                lines = LINES if loads or cards is None else (f"SHOE {cards}", *LINES)
                self._on_pins.ask(buttons, lines, pins())

    def _shoe(self) -> None:
        if at(self._values, "devices.shoe.driver") is None:
            shoes = driver_names("shoe")
            heard = [name for name in shoes if self._found.of(name)]
            default = heard[0] if len(heard) == 1 else None
            self._talk.tell("The shoe:")
            put(self._values, "devices.shoe.driver", self._talk.choose("Which?", shoes, default))
        driver = str(at(self._values, "devices.shoe.driver"))
        if settings_at("shoe", driver)[0].address_key != "source":
            self._port("shoe", driver)
        elif at(self._values, SOURCE) is None:
            put(self._values, SOURCE, self._pick("camera", self._found.cameras, None))

    def _shuffler(self, needed: bool, *, on_pins: bool) -> None:
        """One with the line protocol, one on pins, or none."""
        if at(self._values, "devices.shuffler") is None:
            default = needed or bool(self._found.of("line"))
            if self._talk.agrees("Is there a shuffler on a serial port (line protocol)?", default=default):
                put(self._values, "devices.shuffler.driver", "line")
            elif on_pins and self._talk.agrees("Is there a shuffler on pins?", default=False):
                self._on_pins.ask_shuffler()
        if at(self._values, "devices.shuffler.driver") == "line":
            self._port("shuffler", "line")

    def _port(self, place: str, driver: str) -> None:
        if at(self._values, f"devices.{place}.port") not in (None, FIND):
            return
        taken = [at(self._values, f"devices.{other}.port") for other in ON_PORTS if other != place]
        free = [port for port in self._found.ports if port not in taken]
        heard = [port for port in self._found.of(driver) if port in free]
        port = self._pick(place, free, heard[0] if len(heard) == 1 else None)
        known = self._found.known.get(port)
        if known is not None and known.driver == driver:
            take(self._values, place, known)
        put(self._values, f"devices.{place}.port", port)

    def _pick(self, place: str, offered: list[str], default: str | None) -> str:
        for number, one in enumerate(offered, 1):
            self._talk.tell(f"  {number}  {one}")
        how = "A number, or a path" if offered else "None was found here; type its path,"
        said = self._talk.ask(f"Where is the {place.replace('_', ' ')}? {how} as /dev/...", default)
        if said.isdigit() and 0 < int(said) <= len(offered):
            return offered[int(said) - 1]
        if said.startswith("/") and not Path(said).exists():
            self._talk.tell(f"  there is no {said} now; it stands in the file all the same")
        return said


def freed(watch: PinWatch, pin: int) -> bool | None:
    """True when the line is at rest again, None until then."""
    return watch.free(pin) or None


class PinQuestions:
    """Finds buttons, key and beam by having them pressed; lamps are named, since a lamp cannot press."""

    def __init__(self, talk: Conversation, values: dict[str, object]) -> None:
        self._talk, self._values = talk, values
        self._taken: set[int] = set()
        self._watch: PinWatch | None = None

    def ask_shuffler(self) -> None:
        """Its contacts by their numbers: as it starts, more than one changes at once."""
        put(self._values, "devices.shuffler.driver", "gpio")
        for name, needed in CONTACTS.items():
            self._number(f"devices.shuffler.{name}", f"the shuffler's {name}", needed=needed)

    def ask(self, buttons: tuple[str, ...], lines: tuple[str, ...], watch: PinWatch) -> None:
        """Buttons, those that say whole lines, key switch, beam and lamps."""
        problem = watch.start()
        self._watch = watch if problem is None else None
        if problem is not None:
            self._talk.tell(f"the pins cannot be watched here ({problem}): type their numbers")
        try:
            put(self._values, "devices.panel.driver", "gpio")
            for name in buttons:
                self._input(
                    f"devices.panel.buttons.{name}", f"Press {name.upper()} and hold it", "devices.panel"
                )
            found = {
                line: pin
                for line in lines
                if (pin := self._pressed(f"Press {line!r} and hold it", "devices.panel"))
            }
            if found:
                put(self._values, "devices.panel.lines", found)
            self._input("devices.panel.key_switch", "Turn the supervisor's key", "devices.panel")
            if self._talk.agrees("Is there a light beam across the shoe's exit?", default=False):
                put(self._values, "devices.beam.driver", "gpio")
                self._input("devices.beam.pin", "Put a card into the beam", "devices.beam")
        finally:
            watch.stop()
        if self._talk.agrees("Are there lights or a lock on pins?", default=False):
            put(self._values, "devices.lights.driver", "gpio")
            for name in LIGHTS:
                self._number(f"devices.lights.{name}", name)

    def _input(self, key: str, question: str, device: str) -> None:
        pin = self._pressed(question, device)
        if pin is not None:
            put(self._values, key, pin)

    def _pressed(self, question: str, device: str) -> int | None:
        """The pin that changes, or whose number is typed; None if there is none."""
        watch = self._watch
        self._talk.tell(f"{question}; or type its GPIO number, or skip")
        while True:
            if watch is None:
                said: object = self._talk.typed(question)
            else:
                said = self._talk.wait_for(lambda: watch.pressed(self._taken))
            if not isinstance(said, str) and watch is not None:
                pin, active = said.number, said.active  # type: ignore[attr-defined]  # a Pressed
                if active != (at(self._values, f"{device}.active") or active):
                    self._talk.tell(
                        f"GPIO{pin} rests at the other level than the buttons before: look at its wires"
                    )
                put(self._values, f"{device}.active", active)
                self._taken.add(pin)
                self._talk.tell(f"GPIO{pin}; let it go, please")
                self._talk.wait_for(partial(freed, watch, pin))
                return int(pin)
            if isinstance(said, str) and said.lower() in SKIP:
                return None
            if (number := self._free(said)) is not None:
                return number

    def _number(self, key: str, name: str, *, needed: bool = False) -> None:
        question = f"GPIO number of {name}" + ("" if needed else ", or skip")
        while (said := self._talk.ask(question, None if needed else "skip")).lower() not in SKIP or needed:
            if (number := self._free(said)) is not None:
                put(self._values, key, number)
                return

    def _free(self, said: object) -> int | None:
        """The number that was typed, which is taken now; None, and a word, where it is none or not free."""
        if isinstance(said, str) and said.isdigit() and int(said) not in self._taken:
            self._taken.add(int(said))
            return int(said)
        self._talk.tell("a number that is free")
        return None
