"""The private key of a table: made once, read at every start, and never written anywhere else.

PKCS #8 in PEM, as openssl reads it. ``replace`` makes a new one, which ``epoch.started`` introduces.
"""

from __future__ import annotations

import os
from base64 import b64decode, b64encode
from pathlib import Path

from controller.journal.files import beside, create_private, owned_as_folder, sync
from controller.outbox.signature import Signer
from controller.settings.broker import STORE, kept_credential
from controller.settings.model import Configuration
from controller.shell.commissioning import set_aside
from controller.vocabulary.errors import ConfigurationError, why

_BEGIN, _END = "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----"
_PKCS8 = bytes.fromhex("302e020100300506032b657004220420")
"""What stands before the 32 bytes of an Ed25519 key."""


def key_place(configuration: Configuration, store: Path = STORE) -> Path:
    """Where the key of this table lies, or will; a credential of the service, where the service gets it."""
    name = configuration.signing.key_file
    if name is None:
        return beside(Path(configuration.journal.path), ".key")
    place, kept = Path(name), kept_credential(name, store)
    return place if kept is None or os.path.exists(place) or not os.access(kept.parent, os.W_OK) else kept


def read_key(place: Path) -> Signer | None:
    """The key, None where there is none. ConfigurationError where it cannot be read or is none of ours."""
    try:
        text = place.read_text(encoding="ascii")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{place}: the table's key cannot be read: {why(error)}") from error
    lines = text.split()
    try:
        der = b64decode("".join(lines[3:-3]), validate=True)
    except ValueError:
        der = b""
    if " ".join(lines[:3]) != _BEGIN or " ".join(lines[-3:]) != _END or der[:-32] != _PKCS8:
        raise ConfigurationError(f"{place}: this is no Ed25519 key in PEM, as `openssl genpkey` writes it")
    return Signer(der[-32:])


def make_key(place: Path) -> Signer:
    """A new key for its owner's eyes only, whole or not at all; one that is there is kept under another name.

    ConfigurationError where it cannot be written.
    """
    while Signer(seed := os.urandom(32)).key.startswith("-"):
        pass  # a person types it behind an option: it would be taken for another one
    unfinished = beside(place, ".new")
    try:
        unfinished.unlink(missing_ok=True)
        create_private(unfinished)
        unfinished.write_text(f"{_BEGIN}\n{b64encode(_PKCS8 + seed).decode()}\n{_END}\n", encoding="ascii")
        sync(unfinished)
        owned_as_folder(unfinished)
        if place.exists():
            set_aside(place)
        os.rename(unfinished, place)
        sync(place.parent)
    except OSError as error:
        raise ConfigurationError(
            f"{place}: the table's key cannot be written: {why(error)}; `dealer-table setup` makes one as"
            " an administrator"
        ) from error
    return Signer(seed)
