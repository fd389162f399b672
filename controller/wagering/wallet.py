"""The house's own wallet over HTTP: three calls, each with an id that makes it happen once.

``POST <url>/debit``, ``/credit`` and ``/rollback`` with ``{"id", "player", "amount"}`` answer 200
``{"balance"}``; 402 refuses a debit. Anything else, or nothing, leaves it open whether it happened. A
rollback names the id of a debit, and succeeds also where that never came: if it comes later it is refused.
"""

from __future__ import annotations

import http.client
import ssl
from typing import Literal
from urllib.parse import SplitResult, urlsplit

import msgspec

from controller.vocabulary.errors import ConfigurationError, read_json, why

Kind = Literal["debit", "credit", "rollback"]
PATIENCE_S = 5.0
REFUSED = 402


class Done(msgspec.Struct, frozen=True):
    """It has happened, now or before; ``balance`` of the player after it, minor units."""

    balance: int


class Declined(msgspec.Struct, frozen=True):
    """The player does not have so much: it has not happened, and will not under this id."""


class Unknown(msgspec.Struct, frozen=True):
    """Nobody can say whether it happened."""

    why: str


Told = Done | Declined | Unknown


def address(url: str) -> SplitResult:
    """Where the wallet is; ConfigurationError where this is no address."""
    try:
        where = urlsplit(url)
        if where.scheme in ("http", "https") and where.hostname and where.port != 0:
            return where
    except ValueError:  # brackets or a port that are none
        pass
    raise ConfigurationError(f"wallet.url: {url!r} is no address; needed is as http://127.0.0.1:9000/wallet")


class Wallet:
    """May be called from any thread; each call has a connection of its own."""

    def __init__(self, url: str, token: str | None = None, patience_s: float = PATIENCE_S) -> None:
        """ConfigurationError where the address is none."""
        self._where = address(url)
        self._token = token
        self._patience_s = patience_s

    def ask(self, kind: Kind, name: str, player: str, amount_minor: int) -> Told:
        """One call. It is the caller's to ask again with the same id where the answer is :class:`Unknown`."""
        body = msgspec.json.encode({"id": name, "player": player, "amount": amount_minor})
        headers = {"content-type": "application/json"}
        if self._token is not None:
            headers["authorization"] = f"Bearer {self._token}"
        connection = self._connection()
        try:
            connection.request("POST", f"{self._where.path.rstrip('/')}/{kind}", body, headers)
            response = connection.getresponse()
            said = response.read(65_536)
        except OSError as error:
            return Unknown(why(error))
        except http.client.HTTPException as error:
            return Unknown(f"no answer in HTTP ({type(error).__name__})")
        finally:
            connection.close()
        if response.status == REFUSED and kind == "debit":
            return Declined()
        done = read_json(said, Done) if response.status == http.client.OK else None
        return done if done is not None else Unknown(f"it answers {response.status}")

    def _connection(self) -> http.client.HTTPConnection:
        host, port = self._where.hostname or "", self._where.port
        if self._where.scheme == "https":
            context = ssl.create_default_context()
            return http.client.HTTPSConnection(host, port, timeout=self._patience_s, context=context)
        return http.client.HTTPConnection(host, port, timeout=self._patience_s)
