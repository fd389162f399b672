"""What no single key tells: keys that do not go together (problems), and what is worth a look (warnings)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from msgspec.structs import asdict

from controller.games.registry import game_class
from controller.settings.devices import (
    AngelEyeShoe,
    CameraShoe,
    GpioBeam,
    GpioLights,
    GpioPanel,
    SerialDevice,
)
from controller.settings.measured import WITHOUT_CHECK_DIGIT
from controller.settings.model import EVERY_TABLE, LOOPBACK, Configuration, MqttSettings, Problem, own_user
from controller.shoe.code_map import notices_substitution
from controller.vocabulary.configuration import RoundSettings

Devices = Mapping[str, object]
"""The devices by the place they take, those that could be read."""


def check_round(settings: RoundSettings) -> list[Problem]:
    """A yellow light before the clock begins; the default of ``warn_s`` gives way to a short clock."""
    if settings.warn_s != RoundSettings().warn_s and 0 < settings.bets_s <= settings.warn_s:
        needed = f"less than round.bets_s = {settings.bets_s}, or 0 for no yellow light"
        return [Problem("round.warn_s", f"{settings.warn_s} is wrong; needed is {needed}")]
    return []


def check_mqtt(settings: MqttSettings) -> list[Problem]:
    """Credentials in pairs, consumers named once."""
    problems = []
    if settings.password_file is not None and settings.username is None:
        problems.append(Problem("mqtt.username", "missing; mqtt.password_file is the password of somebody"))
    if settings.tls is not None and settings.tls.cert_file is not None and settings.tls.key_file is None:
        problems.append(Problem("mqtt.tls.key_file", "missing; a certificate needs its key"))
    if settings.tls is not None and settings.tls.key_file is not None and settings.tls.cert_file is None:
        problems.append(Problem("mqtt.tls.cert_file", "missing; a key needs its certificate"))
    for name, times in Counter(settings.consumers).items():
        if times > 1:
            message = f'"{name}" stands there {times} times; name each consumer once'
            problems.append(Problem("mqtt.consumers", message))
    return problems


def check_devices(devices: Devices) -> list[Problem]:
    """Nothing is used twice: no serial port, no pin. The numbers of an Angel Eye run upwards."""
    problems = [
        *_used_twice(_ports(devices), "is the port of {} as well; each device has its own"),
        *_used_twice(_pins(devices), "is the pin of {} as well; each has its own"),
    ]
    shoe, panel = devices.get("shoe"), devices.get("panel")
    if isinstance(shoe, AngelEyeShoe) and shoe.first_report_number >= shoe.last_report_number:
        needed = f"more than first_report_number = {shoe.first_report_number}"
        message = f"{shoe.last_report_number} is wrong; needed is {needed}"
        problems.append(Problem("devices.shoe.last_report_number", message))
    buttons = [*asdict(panel.buttons).values(), *panel.lines.values()] if isinstance(panel, GpioPanel) else []
    if isinstance(panel, GpioPanel) and all(pin is None for pin in buttons):
        problems.append(Problem("devices.panel.buttons", "no button has a pin; needed is at least one"))
    return problems


def warnings(configuration: Configuration) -> list[Problem]:
    """What may be meant so, and is worth a look."""
    return [
        *_round_warnings(configuration),
        *_broker_warnings(configuration.mqtt, own_user(configuration.table.site, configuration.table.id)),
        *_device_warnings(configuration),
    ]


def _round_warnings(configuration: Configuration) -> Iterator[Problem]:
    settings, devices = configuration.round, configuration.devices
    if settings.close == "timer" and settings.bets_s == 0:
        yield Problem("round.bets_s", '0 is no clock: with round.close = "timer" only CLOSE ends the bets')
    if settings.open == "button" and devices.panel is None:
        yield Problem("devices.panel", 'missing, with round.open = "button": nobody can open a round')
    game = game_class(configuration.game.name)
    if configuration.shoe.least_house_edge is not None:
        key = "shoe.least_house_edge"
        if game.shuffled_every_round:
            yield Problem(key, "nothing to watch: the pack is shuffled before every round")
        elif configuration.game.odds == "live":
            yield Problem(key, "nothing to watch: live odds follow the cards")
    if configuration.shoe.kind == "continuous" and devices.shuffler is None:
        message = "missing, with a continuous shoe: the table never hears of cards that went back"
        yield Problem("devices.shuffler", message)


def _broker_warnings(mqtt: MqttSettings, own: str) -> Iterator[Problem]:
    user = mqtt.username
    if user is not None and "/" in user and user != own:
        message = f'"{user}" is the user of another table, whose topics are all that it may write'
        yield Problem("mqtt.username", f'{message}; this table is "{own}"')
    if user == EVERY_TABLE and mqtt.host not in LOOPBACK:
        message = "may speak for every table at this broker, and so may whoever takes this unit"
        yield Problem("mqtt.username", f'"{user}" {message}; a table has a user of its own, "{own}"')
    if mqtt.tls is None and mqtt.host not in LOOPBACK:
        yield Problem(
            "mqtt.tls", f"missing: who is on the way to {mqtt.host} can read and change what is sent"
        )
    if not mqtt.consumers:
        message = "none: what the broker has acknowledged and then loses is not sent again"
        yield Problem("mqtt.consumers", message)


def _device_warnings(configuration: Configuration) -> Iterator[Problem]:
    shoe, code_map = configuration.devices.shoe, configuration.code_map
    panel = configuration.devices.panel
    if isinstance(panel, GpioPanel) and not any(line.startswith("CLEAR ") for line in panel.lines):
        message = 'no button clears a hold; name at least "CLEAR continue" and "CLEAR void"'
        yield Problem("devices.panel.lines", message)
    for port, key in _ports(asdict(configuration.devices)):
        if port.startswith(("/dev/ttyUSB", "/dev/ttyACM")):
            yield Problem(key, f"{port} may be another device after a restart; use /dev/serial/by-id/...")
    game = game_class(configuration.game.name)
    doubles = not shoe.numbered and not isinstance(shoe, CameraShoe) and configuration.devices.beam is None
    if doubles and not configuration.shoe.min_card_interval_ms and not game.shuffled_every_round:
        message = (
            "0 is off: a card that the reader says twice is two cards, a pair that is none; 300 holds then"
        )
        yield Problem("shoe.min_card_interval_ms", message)
    if code_map.check != "none" and not notices_substitution(code_map):
        message = (
            f'"{code_map.check}" lets some single wrong characters of these codes pass, and one card is'
            ' another; "mod37" and "mod97" let none'
        )
        yield Problem("cards.check", message)
        if isinstance(shoe, CameraShoe) and shoe.rescue:
            yield Problem("devices.shoe.rescue", f'needs another check than "{code_map.check}"; it stays off')
    if isinstance(shoe, CameraShoe) and code_map.check == "none":
        message = (
            "without a check digit in the codes a camera may take one card for another: measured in degraded"
        )
        yield Problem("cards.map", f"{message} pictures, {WITHOUT_CHECK_DIGIT}")
        if shoe.rescue:
            yield Problem("devices.shoe.rescue", "needs a check digit in the codes; without one it stays off")


def _used_twice(uses: Iterator[tuple[str, str]], message: str) -> list[Problem]:
    first: dict[str, str] = {}
    problems = []
    for used, key in uses:
        if used in first:
            problems.append(Problem(key, f"{used} {message.format(first[used])}"))
        first.setdefault(used, key)
    return problems


def _ports(devices: Devices) -> Iterator[tuple[str, str]]:
    for name, device in devices.items():
        if isinstance(device, SerialDevice):
            yield device.port, f"devices.{name}.port"


def _pins(devices: Devices) -> Iterator[tuple[str, str]]:
    places: list[tuple[str, object]] = []
    for name, device in devices.items():
        match device:
            case GpioPanel():
                buttons = asdict(device.buttons)
                places += [(f"{name}.buttons.{button}", pin) for button, pin in buttons.items()]
                places += [(f'{name}.lines."{line}"', pin) for line, pin in device.lines.items()]
                places.append((f"{name}.key_switch", device.key_switch))
            case GpioBeam():
                places.append((f"{name}.pin", device.pin))
            case GpioLights():
                lamps = ("red", "yellow", "green", "hold", "buzzer", "shoe_lock")
                places += [(f"{name}.{lamp}", getattr(device, lamp)) for lamp in lamps]
    for place, pin in places:
        if pin is not None:
            yield f"GPIO{pin}", f"devices.{place}"
