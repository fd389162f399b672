"""What no single key tells: keys that do not go together (problems), and what is worth a look (warnings)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from controller.games.registry import build_game, game_class
from controller.outbox.topics import NAMES, is_name
from controller.settings.broker import broker_problems
from controller.settings.devices import PLACES
from controller.settings.limits import limit_problems
from controller.settings.model import (
    EVERY_TABLE,
    LOOPBACK,
    Configuration,
    MqttSettings,
    Problem,
    own_user,
)
from controller.settings.shadow import shadow_problems, shadow_warnings
from controller.shoe.code_map import notices_substitution
from controller.vocabulary.configuration import (
    BadgeSettings,
    RoundSettings,
    ShoeSettings,
    TableSettings,
)
from drivers.registry import tag_of
from drivers.settings import DeviceSettings, PanelDevice, ShufflerDevice


def problems(tables: Mapping[str, object]) -> Iterator[Problem]:
    """What is wrong between the keys of a file: of the tables that could be read, also where another could
    not.
    """
    clock, mqtt = tables.get("round"), tables.get("mqtt")
    if isinstance(table := tables.get("table"), TableSettings):
        for key, name in (("table.site", table.site), ("table.id", table.id)):
            if not is_name(name):
                yield Problem(key, f'"{name}" is wrong; needed is a name of {NAMES}')
    if isinstance(clock, RoundSettings) and 0 < clock.bets_s <= clock.warn_s != RoundSettings().warn_s:
        # The default of ``warn_s`` gives way to a short clock.
        needed = f"less than round.bets_s = {clock.bets_s}, or 0 for no yellow light"
        yield Problem("round.warn_s", f"{clock.warn_s} is wrong; needed is {needed}")
    if isinstance(mqtt, MqttSettings):
        yield from broker_problems(mqtt, "mqtt")
    if isinstance(clock, RoundSettings) and isinstance(mqtt, MqttSettings | None):
        yield from _book_problems(clock, mqtt or MqttSettings())  # a file without [mqtt] names no consumer
    yield from limit_problems(tables)
    yield from shadow_problems(tables)
    yield from _badge_problems(tables)
    shoe, shuffler = tables.get("shoe"), tables.get("devices.shuffler")
    continuous = isinstance(shoe, ShoeSettings) and shoe.kind == "continuous"
    if continuous and isinstance(shuffler, ShufflerDevice) and shuffler.only_shuffles:
        message = (
            f'"{tag_of(type(shuffler))}" never says that cards went back; needed is one that does, as "line"'
        )
        yield Problem("devices.shuffler.driver", message)
    first: dict[str, str] = {}
    found = {place: tables.get(f"devices.{place}") for place in PLACES}
    for taken, key in _taken({place: one for place, one in found.items() if isinstance(one, DeviceSettings)}):
        if taken in first:
            kind = "pin" if taken.startswith("GPIO") else "port"
            yield Problem(key, f"{taken} is the {kind} of {first[taken]} as well; each has its own")
        first.setdefault(taken, key)


def _book_problems(clock: RoundSettings, mqtt: MqttSettings) -> Iterator[Problem]:
    """A book that nobody keeps, and a card that closes the bets: it is known before any book is closed."""
    key, book = "round.await_book", clock.await_book
    if book is None:
        return
    if book not in mqtt.consumers:
        yield Problem(key, f'"{book}" is not among mqtt.consumers: nobody would say that its book is closed')
    if clock.close == "first_card":
        message = 'the card that closes the bets is out before a book can be closed; needed is "button" or'
        yield Problem(key, f'not with round.close = "first_card": {message} "timer"')


def _badge_problems(tables: Mapping[str, object]) -> Iterator[Problem]:
    """A key switch that says a badge which the house has not listed."""
    badges, panel = tables.get("badges"), tables.get("devices.panel")
    listed = badges.supervisors if isinstance(badges, BadgeSettings) else None
    said = panel.says_badge() if isinstance(panel, PanelDevice) else None
    if listed is not None and said is not None and said not in listed:
        yield Problem("devices.panel.key_badge", f'"{said}" is not among badges.supervisors')


def warnings(configuration: Configuration) -> Iterator[Problem]:
    """What may be meant so, and is worth a look."""
    if configuration.shadow is not None:
        yield from shadow_warnings(configuration)
        return
    yield from _round_warnings(configuration)
    yield from _broker_warnings(
        configuration.mqtt, own_user(configuration.table.site, configuration.table.id)
    )
    yield from _device_warnings(configuration)


def _round_warnings(configuration: Configuration) -> Iterator[Problem]:
    settings, devices = configuration.round, configuration.devices
    if settings.close == "timer" and settings.bets_s == 0:
        yield Problem("round.bets_s", '0 is no clock: with round.close = "timer" only CLOSE ends the bets')
    if settings.open == "button" and devices.panel is None:
        yield Problem("devices.panel", 'missing, with round.open = "button": nobody can open a round')
    said = None if devices.panel is None else devices.panel.lines_said()
    loads = devices.shuffler is not None and not devices.shuffler.only_shuffles
    if said is not None and not loads and not any(line.startswith("SHOE ") for line in said):
        message = "no button says SHOE and the number of cards: nobody can say that a shoe is loaded"
        yield Problem("devices.panel.lines", message)
    yield from _price_warnings(configuration)
    if configuration.shoe.kind == "continuous" and devices.shuffler is None:
        message = "missing, with a continuous shoe: the table never hears of cards that went back"
        yield Problem("devices.shuffler", message)


def _price_warnings(configuration: Configuration) -> Iterator[Problem]:
    game = build_game(configuration.game.settings(), configuration.pay_table)
    live = game.live_spots(configuration.game.odds)
    for spot in configuration.game.margins:
        if spot not in live:
            yield Problem(f"game.margins.{spot}", "not used: the spot is paid by the pay table")
    if configuration.shoe.least_house_edge is not None:
        key = "shoe.least_house_edge"
        if game.shuffled_every_round:
            yield Problem(key, "nothing to watch: the pack is shuffled before every round")
        elif len(live) == len(game.spots()):
            yield Problem(key, "nothing to watch: live odds follow the cards")


def _broker_warnings(mqtt: MqttSettings, own: str) -> Iterator[Problem]:
    user = mqtt.username
    if user is not None and "/" in user and user != own:
        message = f'"{user}" is the user of another table, whose topics are all that it may write'
        yield Problem("mqtt.username", f'{message}; this table is "{own}"')
    away = [host for host, _ in mqtt.addresses if host not in LOOPBACK]
    if user == EVERY_TABLE and away:
        message = "may speak for every table at this broker, and so may whoever takes this unit"
        yield Problem("mqtt.username", f'"{user}" {message}; a table has a user of its own, "{own}"')
    if mqtt.tls is None and away:
        yield Problem("mqtt.tls", f"missing: who is on the way to {away[0]} can read and change what is sent")
    if not mqtt.consumers:
        message = "none: what the broker has acknowledged and then loses is not sent again"
        yield Problem("mqtt.consumers", message)


def _device_warnings(configuration: Configuration) -> Iterator[Problem]:
    shoe, code_map = configuration.devices.shoe, configuration.code_map
    devices, check_digit = configuration.devices.named(), notices_substitution(code_map)
    for place, device in devices.items():
        for key, message in device.advice(check_digit):
            yield Problem(f"devices.{place}.{key}", message)
    for port, key in _taken(devices):
        if port.startswith(("/dev/ttyUSB", "/dev/ttyACM")):
            yield Problem(key, f"{port} may be another device after a restart; use /dev/serial/by-id/...")
    game = game_class(configuration.game.name)
    doubles = shoe.doubles and configuration.devices.beam is None
    if doubles and not configuration.shoe.min_card_interval_ms and not game.shuffled_every_round:
        message = (
            "0 is off: a card that the reader says twice is two cards, a pair that is none; 300 holds then"
        )
        yield Problem("shoe.min_card_interval_ms", message)
    if shoe.knows_hands and configuration.shoe.burn_each_round:
        message = (
            "this shoe says where each card goes: set the burns of a round there, too, or each of them holds"
            " as wrong_position"
        )
        yield Problem("shoe.burn_each_round", message)
    if code_map.check != "none" and not check_digit:
        message = (
            f'"{code_map.check}" lets some single wrong characters of these codes pass, and one card is'
            ' another; "mod37" and "mod97" let none'
        )
        yield Problem("cards.check", message)
    if code_map.check == "none" and (risk := shoe.misreads()):
        yield Problem("cards.map", risk)


def _taken(devices: Mapping[str, DeviceSettings]) -> Iterator[tuple[str, str]]:
    """Each port and pin that is taken, with its key path."""
    for place, device in devices.items():
        for key, taken in device.taken():
            yield taken, f"devices.{place}.{key}"
