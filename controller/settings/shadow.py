"""``[shadow]``: a table that only listens, beside another system, and what its configuration becomes then."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec.structs import replace

from controller.games.registry import game_class
from controller.settings.devices import Devices
from controller.settings.model import Configuration, MqttSettings, Problem, ShadowSettings
from controller.vocabulary.configuration import BadgeSettings, RoundSettings
from drivers.no_shoe import NoShoe

LISTENED_TO = ("shoe", "second_reader", "beam")
"""Places whose devices see cards. What people press or see at the other system's table is its own."""


def follows_export(configuration: Configuration) -> bool:
    """Whether the cards are those of the other system's list, since no shoe is listened to."""
    return isinstance(configuration.devices.shoe, NoShoe)


def listening(configuration: Configuration) -> Configuration:
    """The same table as one that asks nothing of anybody: no lock, no lamps, no broker, no person with a key.

    Devices that are listened to send nothing (``drivers_of``). A round opens as the last one is over and its
    first card closes the bets, unless the other system's list is followed; no clock runs.
    """
    shoe = replace(
        configuration.shoe, kind="shoe", burn="none", burn_each_round=0, cut_card_behind=0, free_hand=False
    )
    heard: dict[str, Any] = {
        place: device.listened_to()
        for place, device in configuration.devices.named().items()
        if place in LISTENED_TO
    }
    return replace(
        configuration,
        table=replace(configuration.table, session="none"),
        game=replace(
            configuration.game,
            betting_rounds=("deal",),
            burn_before=(),
            seats_from="panel",
            squeeze=False,
        ),
        badges=BadgeSettings(),
        round=RoundSettings(
            close="button" if follows_export(configuration) else "first_card",
            settle="button" if follows_export(configuration) else "auto",
            bets_s=0,
            decision_s=0,
            exposed_card="play",
        ),
        shoe=shoe,
        mqtt=MqttSettings(),
        devices=Devices(**heard),
    )


def shadow_problems(tables: Mapping[str, object]) -> Iterator[Problem]:
    """A table that would listen to nobody; a device that has no say here."""
    shadow = tables.get("shadow")
    if not isinstance(shadow, ShadowSettings):
        return
    shoe = tables.get("devices.shoe")
    if shadow.export is None and (shoe is None or isinstance(shoe, NoShoe)):
        message = "missing, and so is devices.shoe: needed is the other system's list, or a shoe to listen to"
        yield Problem("shadow.export", message)


def shadow_warnings(configuration: Configuration) -> Iterator[Problem]:
    """Devices that a table which only listens leaves alone, and pauses that cannot be right."""
    shadow = configuration.shadow
    if shadow is None:
        return
    for place in configuration.devices.named():
        if place not in LISTENED_TO:
            yield Problem(f"devices.{place}", "not used: a table with [shadow] only listens")
    if shadow.export is None:
        message = "missing: only the shoe's own results are compared, where it gives any"
        yield Problem("shadow.export", message)
    game = game_class(configuration.game.name)
    if game.shuffled_every_round and shadow.shoes == "named":
        yield Problem("shadow.shoes", "not used: the pack of this game is shuffled before every round")
