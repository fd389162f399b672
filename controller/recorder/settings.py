"""``record --config``: the broker, the tables' sites, the database; TOML."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

import msgspec

from controller.settings.broker import broker_problems
from controller.settings.loader import settings_of_file
from controller.settings.log import LogKeys
from controller.settings.model import FilePath, MqttSettings, NetworkPort, Problem
from controller.vocabulary.configuration import PlainName
from controller.vocabulary.messages import MESSAGES

DatabaseAddress = Annotated[
    str,
    msgspec.Meta(
        pattern=r"^postgres(ql)?://\S*$(?!\n)",
        description="as postgresql://recorder@127.0.0.1:5432/floor, several hosts with commas",
    ),
]

WebAddress = Annotated[
    str,
    msgspec.Meta(pattern=r"^https?://[^\s/]+(/\S*)?$(?!\n)", description="as https://house.example/floor"),
]
MessageName = Annotated[
    str, msgspec.Meta(pattern=r"^[a-z]+\.[a-z_]+$(?!\n)", description='a message, as "round.result"')
]


class RecorderKeys(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``[recorder]``."""

    name: PlainName = "recorder"
    """The consumer that the tables name under ``mqtt.consumers``."""
    metrics_port: NetworkPort | None = None
    """Metrics for Prometheus at http://127.0.0.1:<port>/metrics; left out: no such page."""


class DatabaseKeys(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``[database]``: PostgreSQL."""

    url: DatabaseAddress
    """Of several hosts the one is taken that may be written to."""
    password_file: FilePath | None = None
    """Holds the password and nothing else."""


class RetentionKeys(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``[retention]``: what the record forgets."""

    months: Annotated[int, msgspec.Meta(ge=0, le=1200)] = 0
    """So many whole months stay beside the present one; what was recorded before is dropped. 0: all stays."""


class WebhookKeys(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``[[webhooks]]``: another system that is told of what is recorded."""

    name: PlainName
    """How far it is stands in the database under this name."""
    url: WebAddress
    """Each message is POSTed here."""
    secret_file: FilePath
    """Holds the secret that signs what is sent, `whsec_` and base64, and nothing else."""
    types: tuple[MessageName, ...] = ()
    """Only these messages, as `["round.result", "round.void"]`; none named: all."""


class RecorderSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The whole file."""

    sites: tuple[PlainName, ...]
    """All tables of these sites are recorded."""
    database: DatabaseKeys
    broker: MqttSettings = MqttSettings()
    recorder: RecorderKeys = RecorderKeys()
    retention: RetentionKeys = RetentionKeys()
    webhooks: tuple[WebhookKeys, ...] = ()
    observe: LogKeys = LogKeys()


def load_recorder_settings(path: str | Path) -> RecorderSettings:
    """The settings from a file; :class:`ConfigurationError` says all that is wrong, with key paths."""
    return settings_of_file(
        Path(path).absolute(), RecorderSettings, "the configuration of the recorder", _problems
    )


def _problems(settings: RecorderSettings) -> Iterator[Problem]:
    yield from broker_problems(settings.broker, "broker")
    if not settings.sites:
        yield Problem("sites", 'missing; needed is at least one, as ["north"]')
    for place, site in enumerate(settings.sites):
        if site in settings.sites[:place]:
            yield Problem(f"sites[{place}]", f"{site} stands there twice")
    names = [webhook.name for webhook in settings.webhooks]
    for place, webhook in enumerate(settings.webhooks):
        if webhook.name in names[:place]:
            yield Problem(f"webhooks[{place}].name", f"{webhook.name} stands there twice")
        if not _has_port(webhook.url):
            yield Problem(f"webhooks[{place}].url", f"{webhook.url} is no address of the web")
        for name in webhook.types:
            if name not in MESSAGES:
                yield Problem(f"webhooks[{place}].types", f'there is no message "{name}"')


def _has_port(url: str) -> bool:
    """Whether it names a host, and a port that can be one or none."""
    try:
        where = urlsplit(url)
        return bool(where.hostname) and where.port != 0
    except ValueError:
        return False
