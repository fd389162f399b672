"""Where the broker is, who we are to it, and the TLS between us."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec

from controller.vocabulary.errors import ConfigurationError, why
from controller.vocabulary.outside import secret_in

if TYPE_CHECKING:
    import ssl


Protocol = Literal["5", "3.1.1"]
"""Versions of MQTT."""


class BrokerSettings(msgspec.Struct, frozen=True):
    """Where the broker is and how we show who we are. The password is in a file, never here."""

    client_id: str
    host: str = "127.0.0.1"
    port: int = 1883
    username: str | None = None
    password_file: Path | None = None
    ca_file: Path | None = None
    """Turns TLS on; the broker's certificate must come from here."""
    cert_file: Path | None = None
    key_file: Path | None = None
    keepalive_s: int = 15
    protocol: Protocol = "5"
    """What each connection is tried with first; an older one follows where the broker rejects MQTT 5."""
    others: tuple[tuple[str, int], ...] = ()
    """Host and port of further brokers of the same cluster: where one does not answer the next is tried."""

    @property
    def each(self) -> list[BrokerSettings]:
        """The settings for each broker alone, in the order in which they are tried."""
        where = ((self.host, self.port), *self.others)
        return [msgspec.structs.replace(self, host=host, port=port, others=()) for host, port in where]

    @property
    def where(self) -> str:
        """The first one, for people."""
        return f"{self.host}:{self.port}"


class Will(msgspec.Struct, frozen=True):
    """What the broker publishes, retained, when it misses us."""

    topic: str
    payload: bytes
    expires_s: int = 0
    """After so long a broker of MQTT 5 forgets it; 0: never."""


def read_password(settings: BrokerSettings) -> str | None:
    """The password, without the line end. ConfigurationError where the file cannot be read."""
    if settings.password_file is None:
        return None
    return secret_in("mqtt.password_file", settings.password_file)


def tls_context(settings: BrokerSettings) -> ssl.SSLContext | None:
    """TLS as the settings have it, None without. ConfigurationError where a file is missing or wrong."""
    if settings.ca_file is None:
        if settings.cert_file or settings.key_file:
            raise ConfigurationError("mqtt.tls.ca_file: needed where a client certificate is given")
        return None
    import ssl

    with _needed("mqtt.tls.ca_file", settings.ca_file):
        context = ssl.create_default_context(cafile=settings.ca_file)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    if settings.cert_file is not None:
        with _needed("mqtt.tls.cert_file", settings.cert_file):
            context.load_cert_chain(settings.cert_file, settings.key_file)
    return context


@contextmanager
def _needed(key: str, file: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise ConfigurationError(f"{key}: cannot use {file}: {why(error)}") from error
