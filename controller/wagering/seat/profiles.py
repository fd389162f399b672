"""What a player has chosen in SETTINGS: kept with the player, and the same on every device."""

from __future__ import annotations

from typing import Annotated

import msgspec
import sqlalchemy as sql
from sqlalchemy.engine import Connection

from controller.wagering.tables import PROFILES

Volume = Annotated[int, msgspec.Meta(ge=0, le=100)]


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All of them; a member that is left out is as it was made."""

    language: Annotated[str, msgspec.Meta(pattern=r"^[a-z]{2,3}$(?!\n)")] | None = None
    """None: the house's."""
    sound: bool = True
    """Everything that is to be heard."""
    game_volume: Volume = 60
    """Percent."""
    voice_volume: Volume = 60
    """Of the dealer, in the house's video; percent."""
    video: Annotated[str, msgspec.Meta(pattern=r"^(auto|high|medium|low|off)$(?!\n)")] = "auto"
    """Quality of the house's video."""
    chat: bool = True
    """Whether other players' messages are shown."""


def settings_of(connection: Connection, player: str) -> Settings:
    """As they were last chosen."""
    kept = connection.scalar(sql.select(PROFILES.c.settings).where(PROFILES.c.player == player))
    return Settings() if kept is None else msgspec.json.decode(kept, type=Settings)


def choose(connection: Connection, player: str, settings: Settings) -> None:
    """Keep them."""
    kept = msgspec.json.encode(settings).decode()
    changed = sql.update(PROFILES).where(PROFILES.c.player == player).values(settings=kept)
    if not connection.execute(changed).rowcount:
        connection.execute(sql.insert(PROFILES), {"player": player, "settings": kept})
