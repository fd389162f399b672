"""``setup``: devices are found by what they say, a person says the rest, and only a right file is written."""

from __future__ import annotations

import subprocess
import threading
import tomllib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from controller.cli import setup as setup_command
from controller.cli.conversation import Conversation, Typed
from controller.cli.setup_devices import DeviceQuestions, Found, listen, resolve
from controller.cli.setup_questions import TableQuestions
from controller.settings.loader import load_configuration
from controller.settings.writing import toml_text
from controller.shell.wiring.finding import Heard, has_pins, holder_of
from drivers.angel_eye.simulator import SimulatedAngelEye
from drivers.gpio.simulator import SimulatedBoard
from drivers.keypad.simulator import Keypad
from drivers.line_simulator import SimulatedLineDevice
from tests.cli.person import Hands, parsed
from tests.cli.program import answered, dealer_table, started
from tests.harness.examples import EXAMPLES
from tests.harness.patience import PATIENCE_S

ANSWERS = """
table = { site = "north", id = "7" }
game.name = "baccarat"
mqtt = { port = 1, consumers = ["settlement"] }
devices.shoe = { driver = "angel-eye", port = "find" }
devices.panel = { driver = "keypad", port = "find" }
devices.shuffler = { driver = "line", port = "find" }
"""
SCANNER = """
table = { site = "north", id = "7" }
game.name = "baccarat"
mqtt.port = 1
journal.path = "/var/lib/dealer-table/7.db"
devices.shoe = { driver = "scanner", port = "/dev/serial/by-id/usb-scanner" }
"""


@contextmanager
def pressing(press: Callable[[], object], pause_s: float = 0.1) -> Iterator[None]:
    """A finger that presses again and again, as a person does until something happens."""
    enough = threading.Event()

    def again() -> None:
        while not enough.wait(pause_s):
            press()

    finger = threading.Thread(target=again)
    finger.start()
    try:
        yield
    finally:
        enough.set()
        finger.join()


class Plugs:
    """A shoe, a keypad and a shuffler under lasting names."""

    def __init__(self, stack: ExitStack, folder: Path) -> None:
        folder.mkdir()
        self.folder = folder
        self.shoe = stack.enter_context(SimulatedAngelEye(folder / "usb-A"))
        self.keypad = stack.enter_context(Keypad(folder / "usb-B"))
        self.shuffler = stack.enter_context(SimulatedLineDevice(folder / "usb-C"))

    def speak(self) -> None:
        self.keypad.send("HOLD")
        self.shuffler.send("VERSION 2.1")


@pytest.fixture
def plugs(tmp_path: Path) -> Iterator[Plugs]:
    with ExitStack() as stack:
        yield Plugs(stack, tmp_path / "by-id")


def asked(tmp_path: Path, text: str = SCANNER) -> list[str]:
    (tmp_path / "answers.toml").write_text(text)
    return f"setup --answers {tmp_path}/answers.toml --to {tmp_path}/etc --no-questions".split()


def said_until(program: subprocess.Popen[bytes], *words: str) -> str:
    """What the program says until it has said all of these."""
    told = ""
    while not all(word in told for word in words):
        line = program.stdout.readline().decode()
        assert line, (told, program.communicate())
        told += line
    return told


def ports_of(file: Path) -> dict[str, str]:
    devices = tomllib.loads(file.read_text())["devices"]
    return {place: Path(device["port"]).name for place, device in devices.items()}


def test_for_a_fleet_every_device_is_found_by_what_it_says(tmp_path: Path, plugs: Plugs) -> None:
    with pressing(plugs.speak):
        answered(*asked(tmp_path, ANSWERS), "--no-doctor", "--devices", str(plugs.folder))
    assert ports_of(tmp_path / "etc/7.toml") == {"shoe": "usb-A", "panel": "usb-B", "shuffler": "usb-C"}
    assert load_configuration(tmp_path / "etc/7.toml").journal.path == "/var/lib/dealer-table/7.db"


def test_a_list_says_where_it_looked_and_each_port_once(tmp_path: Path, plugs: Plugs) -> None:
    with pressing(plugs.speak):
        told = answered("setup", "--list", "--devices", str(plugs.folder), "--listen-s", "3")
    assert f"serial ports, looked for in {plugs.folder}: 3" in told
    lines = sorted(line.strip() for line in told.splitlines() if "/usb-" in line)
    assert [line.partition(": ")[0] for line in lines] == [f"{plugs.folder}/usb-{name}" for name in "ABC"]
    assert "angel-eye" in lines[0]
    assert "keypad" in lines[1]


def test_who_has_a_port_open_is_named(tmp_path: Path) -> None:
    port = tmp_path / "port"
    port.touch()
    assert holder_of(str(port)) is None
    with port.open() as held, subprocess.Popen(["sleep", "60"], stdin=held) as holder:
        assert f"(process {holder.pid})" in str(holder_of(str(port)))
        holder.kill()


def test_a_device_that_says_nothing_is_not_guessed(tmp_path: Path, plugs: Plugs) -> None:
    words = [*asked(tmp_path, ANSWERS), "--devices", str(plugs.folder), "--listen-s", "0.1"]
    done = dealer_table(*words)
    assert done.returncode == 2
    assert "devices.panel.port: no keypad was heard; press a key" in done.stderr
    assert "devices.shoe" not in done.stderr
    assert not (tmp_path / "etc").exists()


def test_a_device_that_cannot_be_told_by_what_it_says_is_not_waited_for() -> None:
    values: dict[str, object] = {"devices": {"shoe": {"driver": "camera", "port": "find"}}}
    (problem,) = resolve(values, Found([], []))
    assert problem == "devices.shoe.port: setup cannot tell a camera by what it says; name the port"


@pytest.mark.parametrize(
    ("cameras", "source", "says"),
    [
        ([], "find", ["devices.shoe.source: no camera was found; plug in the one"]),
        (["/dev/v4l/by-id/a"], "/dev/v4l/by-id/a", []),
        (["/dev/a", "/dev/b"], "find", ["devices.shoe.source: there are /dev/a, /dev/b; plug in the one"]),
    ],
)
def test_the_only_camera_is_taken_and_none_is_made_up(
    cameras: list[str], source: str, says: list[str]
) -> None:
    shoe = {"driver": "camera", "source": "find"}
    problems = resolve({"devices": {"shoe": shoe}}, Found([], cameras))
    assert [problem.partition(" that is meant")[0] for problem in problems] == says
    assert shoe["source"] == source


@pytest.mark.parametrize(
    ("lines", "listen_s"), [(None, 0.3), ([""], None)], ids=["its time is over", "a person presses Enter"]
)
def test_a_device_that_never_stops_talking_keeps_nobody_listening(
    plugs: Plugs, lines: list[str] | None, listen_s: float | None
) -> None:
    told: list[str] = []
    talk = Conversation(lines, told.append)
    found = Found([plugs.keypad.path], [])
    listening = threading.Thread(
        target=listen, args=(found, lambda code: False, talk, lambda: False, listen_s), daemon=True
    )
    with pressing(lambda: plugs.keypad.send("HOLD"), pause_s=0.01):
        listening.start()
        listening.join(PATIENCE_S)
    assert not listening.is_alive()


def test_what_was_said_before_the_end_counts() -> None:
    told: list[str] = []
    talk = Conversation(None, told.append)
    found = Found([], [])
    talk.heard.put(Heard("/dev/a", "keypad", 9600, "says 'HOLD'"))
    talk.heard.put(Heard("/dev/b", "line", 9600, "says 'VERSION 2.1'"))
    talk.heard.put(Typed(""))
    listen(found, lambda code: False, talk, lambda: False, None)
    assert (found.of("keypad"), found.of("line")) == (["/dev/a"], ["/dev/b"])
    assert len(told) == 2


def test_two_devices_that_say_the_same_are_not_guessed(tmp_path: Path, plugs: Plugs) -> None:
    with (
        Keypad(plugs.folder / "usb-D") as second,
        pressing(plugs.speak),
        pressing(lambda: second.send("OPEN")),
    ):
        text = ANSWERS.replace('"line", port = "find"', '"line", port = "/dev/no"')
        text += 'devices.second_reader = { driver = "scanner", port = "find" }\n'
        words = [*asked(tmp_path, text), "--devices", str(plugs.folder), "--listen-s", "4"]
        done = dealer_table(*words)
    assert done.returncode == 2
    assert "devices.panel.port: 2 speak as keypad" in done.stderr


def test_a_person_is_asked_for_what_no_device_can_tell(tmp_path: Path, plugs: Plugs) -> None:
    words = f"setup --to {tmp_path}/etc --devices {plugs.folder} --no-doctor --listen-s 60"
    with started(words.split()) as program, pressing(plugs.speak):
        said_until(program, ": keypad, ", ": line, ", ": angel-eye, ")
        typed = ["", "north", "no slash/es", "7", "baccarat", "", *[""] * 13, "y"]
        said, complaint = program.communicate("\n".join([*typed, ""]).encode(), timeout=PATIENCE_S)
    assert (program.returncode, complaint.decode()) == (0, "")
    assert "a name of 1 to 40 letters" in said.decode()
    assert ports_of(tmp_path / "etc/7.toml") == {"shoe": "usb-A", "panel": "usb-B", "shuffler": "usb-C"}
    assert tomllib.loads((tmp_path / "etc/7.toml").read_text())["mqtt"]["consumers"] == ["settlement"]


def test_a_line_at_another_speed_is_tried_at_the_next(tmp_path: Path, plugs: Plugs) -> None:
    words = f"setup --list --devices {plugs.folder} --listen-s 60 --to {tmp_path}"
    with started(words.split()) as program, pressing(lambda: plugs.keypad.send_raw(b"\xff\x81\x93\n")):
        told = said_until(program, "listening at 19200 baud now")
        program.kill()
    assert "listening at 4800 baud now" in told
    assert f"{plugs.folder}/usb-A: angel-eye, answers a question as this device does" in told


def test_what_is_missing_is_named_and_nothing_is_written(tmp_path: Path) -> None:
    done = dealer_table(*asked(tmp_path, SCANNER.replace(', id = "7"', "")))
    assert done.returncode == 2
    assert "table.id: missing" in done.stderr
    assert list((tmp_path / "etc").iterdir()) == []


def test_set_goes_over_the_answers(tmp_path: Path) -> None:
    words = "--set table.id=9 --set mqtt.host=broker.example --set mqtt.port=8883 --no-doctor"
    assert dealer_table(*asked(tmp_path), *words.split()).returncode == 0
    configuration = load_configuration(tmp_path / "etc/9.toml")
    assert (configuration.mqtt.host, configuration.mqtt.port) == ("broker.example", 8883)


def test_a_configuration_that_is_there_stays_or_is_kept_beside(tmp_path: Path) -> None:
    assert dealer_table(*asked(tmp_path), "--no-doctor").returncode == 0
    file = tmp_path / "etc/7.toml"
    first = file.read_text() + "# by hand\n"
    file.write_text(first)
    done = dealer_table(*asked(tmp_path), "--no-doctor")
    assert (done.returncode, file.read_text()) == (2, first)
    assert "is there already and stays" in done.stderr
    assert dealer_table(*asked(tmp_path), "--no-doctor", "--replace").returncode == 0
    assert (tmp_path / "etc/7.toml.1").read_text() == first
    assert file.read_text() != first


def test_the_doctor_looks_before_the_service_is_started(tmp_path: Path) -> None:
    done = dealer_table(*asked(tmp_path), "--set", f"journal.path={tmp_path}/7.db")
    assert done.returncode == 1
    assert "/dev/serial/by-id/usb-scanner is not there" in done.stdout
    assert "the service is left as it is" in done.stderr
    assert (tmp_path / "etc/7.toml").exists()


def test_pins_are_found_by_pressing(tmp_path: Path) -> None:
    board = SimulatedBoard()
    tried = iter(["skip", "9", "10"])  # it must have one, and 9 is taken
    wired = {"OPEN": 5, "CLOSE": 6, "SETTLED": 19, "HOLD": 26, "'SHOE 416'": 4, "'CLEAR continue'": 17}
    answers: dict[str, Any] = {
        f"Press {name} and": (lambda pin=pin: board.press(pin)) for name, pin in wired.items()
    }
    person = Hands(answers)
    answers |= {f"GPIO{pin}; let it go": (lambda pin=pin: board.let_go(pin)) for pin in wired.values()}
    answers |= {"Press REVEAL": "skip", "Press 'CLEAR void'": "22", "Press 'EMPTY'": "skip"}
    answers |= {"Turn the supervisor's key": lambda: board.press(25), "GPIO25; let": lambda: board.let_go(25)}
    answers |= {"Is there a light beam": "y", "Put a card into the beam": lambda: board.press(24)}
    answers |= {"GPIO24; let it go": lambda: board.let_go(24), "Are there lights": "y"}
    answers |= {"GPIO number of red": "16", "GPIO number of": "skip"}
    answers |= {"Is there a shuffler on a serial port": "n", "Is there a shuffler on pins": "y"}
    answers |= {
        "GPIO number of the shuffler's ready": lambda: person.type(next(tried)),
        "GPIO number of the shuffler's": "skip",
    }
    answers |= {
        f"GPIO number of the shuffler's {name}": pin for name, pin in (("running", "9"), ("count", "15"))
    }
    answers |= {"The supervisors' badges": "", "The currency": "", "The dealer's panel": "gpio"}
    answers |= {"The codes": "", "The broker's": ""}
    answers |= {"Its port": "", "Our user": "", "Who must": "", "Which of them": "", "Decks": ""}
    answers |= {"Write this": "y"}
    (tmp_path / "answers.toml").write_text(SCANNER)
    words = f"--answers {tmp_path}/answers.toml --to {tmp_path} --no-doctor --devices /no"
    called = parsed("setup", *words.split())
    assert setup_command.run(called, Conversation(person.lines(), person.tell), board.factory) == 0
    devices = tomllib.loads((tmp_path / "7.toml").read_text())["devices"]
    assert devices["panel"]["buttons"] == {"open": 5, "close": 6, "settled": 19, "hold": 26}
    assert devices["panel"]["lines"] == {"SHOE 416": 4, "CLEAR continue": 17, "CLEAR void": 22}
    assert devices["shuffler"] == {"driver": "gpio", "running": 9, "ready": 10, "count": 15}
    assert (devices["panel"]["key_switch"], devices["panel"]["active"]) == (25, "low")
    assert (devices["beam"]["pin"], devices["lights"]["red"]) == (24, 16)


def test_a_machine_without_pins_is_offered_nothing_on_pins(tmp_path: Path) -> None:
    person = Hands({"The shoe": "scanner", "Where": "/dev/shoe", "Is there": "n", "The dealer's": "none"})
    talk = Conversation(person.lines(), person.tell)
    DeviceQuestions(talk, {}, Found([], [])).ask(False, (), None, None)
    assert not any("gpio" in line or "pins" in line for line in person.told)
    (tmp_path / "gpiochip0").touch()
    assert (has_pins(tmp_path), has_pins(tmp_path / "without")) == (True, False)


def test_a_person_says_who_may_rule_and_what_may_be_staked() -> None:
    answers: dict[str, Any] = {
        "The supervisors' badges": "4711 S/1",
        "The currency": "euro",
        "The least stake": "",
        "The most of one player": "500000",
    }
    person = Hands(answers)
    better = {"The supervisors' badges": "4711 S1", "The currency": "EUR"}

    def tell(text: str) -> None:
        """Shown to a person who does not make the same slip twice."""
        person.tell(text)
        answers.update({begin: word for begin, word in better.items() if text.startswith(begin)})

    values: dict[str, object] = {}
    TableQuestions(Conversation(person.lines(), tell), values).house()
    assert values["badges"] == {"supervisors": ["4711", "S1"]}
    assert values["limits"] == {"currency": "EUR", "table": {"min": 100, "max": 500_000}}


def test_a_house_that_says_nothing_of_badges_and_limits_is_asked_no_further() -> None:
    person = Hands({"The supervisors' badges": "", "The currency": "none"})
    values: dict[str, object] = {}
    TableQuestions(Conversation(person.lines(), person.tell), values).house()
    assert not tomllib.loads(toml_text(values))
    assert len(person.told) == 2


@pytest.mark.parametrize("driver", ["angel-eye", "bee-tek"])
def test_a_shoe_that_names_the_cards_needs_no_code_map(driver: str) -> None:
    values: dict[str, object] = {"devices": {"shoe": {"driver": driver}}}
    TableQuestions(Conversation(iter(()), pytest.fail), values).cards()
    assert "cards" not in values


def test_a_shoe_that_says_codes_is_asked_how_they_read() -> None:
    values: dict[str, object] = {"devices": {"shoe": {"driver": "scanner"}}}
    person = Hands({"The codes": "four-digit"})
    TableQuestions(Conversation(person.lines(), person.tell), values).cards()
    assert values["cards"] == {"map": "four-digit"}


def test_a_person_says_whose_book_the_deal_waits_for() -> None:
    tried = iter(["cashier", "bets"])  # the first is no consumer
    person = Hands(
        {
            "The broker's": "",
            "Its port": "",
            "Our user": "",
            "Who must": "bets cms",
            "Which of them (bets, cms)": lambda: person.type(next(tried)),
        }
    )
    values: dict[str, object] = {"table": {"site": "north", "id": "7"}}
    TableQuestions(Conversation(person.lines(), person.tell), values).broker()
    assert values["round"] == {"await_book": "bets"}
    assert "cashier is none of them" in person.told


@pytest.mark.parametrize("answered", [{"mqtt": {"consumers": []}}, {"round": {"close": "first_card"}}])
def test_a_table_that_can_wait_for_no_book_is_not_asked_for_one(answered: dict[str, object]) -> None:
    answers = {"The broker's": "", "Its port": "", "Our user": "", "Who must": "bets"}
    person = Hands(answers)
    values: dict[str, object] = {"table": {"site": "north", "id": "7"}, **answered}
    TableQuestions(Conversation(person.lines(), person.tell), values).broker()
    assert not any(text.startswith("Which of them") for text in person.told)


def test_the_doctor_is_shown_the_credentials_that_the_service_will_have(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(setup_command, "STORE", f"{tmp_path}/dealer-table-")
    (tmp_path / "dealer-table-7.mqtt-password").write_text("secret")
    file, folder = tmp_path / "7.toml", tmp_path / "private"
    folder.mkdir()
    secret = 'mqtt.password_file = "/run/credentials/dealer-table@7.service/mqtt-password"'
    file.write_text(f'{SCANNER}mqtt.username = "controller"\n{secret}\n')
    shown = load_configuration(setup_command.as_the_service_sees_it(file, "7", folder))
    assert shown.mqtt.password_file == f"{folder}/mqtt-password"
    assert (folder / "mqtt-password").read_text() == "secret"


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_what_is_written_reads_as_it_was_meant(example: Path) -> None:
    values = {key: value for key, value in tomllib.loads(example.read_text()).items() if value}
    assert tomllib.loads(toml_text(values)) == values
