"""``setup``: from a box with cables to a configuration that is right, examined, and running."""

from __future__ import annotations

import argparse
import contextlib
import errno
import os
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

from controller.cli.telling import FAILED, complain
from controller.vocabulary.errors import ConfigurationError, InputError

if TYPE_CHECKING:  # a key is made without a driver
    from controller.cli.conversation import Conversation
    from controller.cli.setup_devices import Found
    from controller.shell.wiring.devices import PinFactory

SERVICE_USER = "dealer-table"
STORE = "/etc/credstore/dealer-table-"
INSTALLED = Path("/etc/dealer-table")
"""Where the service finds the configuration: there it gets its secrets from the store."""


def run(
    arguments: argparse.Namespace, talk: Conversation | None = None, pins: PinFactory | None = None
) -> int:
    """0 if the table stands, 1 if the doctor found a fault, 2 if the answers make no table."""
    from controller.cli.conversation import Conversation, at_terminal
    from controller.cli.setup_devices import Found, listen, resolve, wanted
    from controller.settings.writing import at
    from controller.shell.wiring.finding import (
        BUILT_IN,
        CAMERAS,
        FOLDERS,
        board_model,
        cameras,
        card_codes,
        serial_ports,
    )

    values = answers(arguments)
    if arguments.csr:
        from controller.cli.setup_key import make_request

        return make_request(values, arguments)
    if not arguments.list:
        ask_for_rights(Path(arguments.to))
    asks = not (arguments.no_questions or arguments.list)
    if talk is None:
        talk = at_terminal() if asks else Conversation(None, lambda text: print(text, flush=True))
    found = Found(serial_ports(arguments.devices), cameras())

    def enough() -> bool:
        needed = [str(at(values, f"devices.{place}.driver")) for place in wanted(values)]
        return (
            not asks
            and not arguments.list
            and all(len(found.of(name)) >= needed.count(name) for name in needed)
        )

    if found.ports and (asks or arguments.list or wanted(values)):
        if asks:
            talk.tell(
                "Press a key on the keypad, draw a card, let the shuffler speak. Then press Enter here."
            )
        is_card = card_codes(str(at(values, "cards.map") or "plain"), Path(arguments.to))
        listen(found, is_card, talk, enough, None if asks else arguments.listen_s)
    if arguments.list:
        looked = ", ".join(arguments.devices or (*FOLDERS, *BUILT_IN))
        talk.tell(f"this machine: {board_model() or 'a board that does not say its name'}")
        talk.tell(f"serial ports, looked for in {looked}: {len(found.ports) or 'none'}")
        talk.tell(f"cameras, looked for in {', '.join(CAMERAS)}: {len(found.cameras) or 'none'}")
        for line in found.lines():
            talk.tell(f"  {line}")
        return 0
    if asks:
        try:
            interview(talk, values, found, pins)
        except KeyboardInterrupt:
            talk.tell("\nnothing was written, and no service was touched")
            raise
    problems = resolve(values, found)
    if problems:
        return complain("\n".join(problems))
    path = written(values, arguments, talk if asks else None)
    talk.tell(f"{path} is written")
    talk.tell(key_made(path, Path(arguments.keys)))
    if arguments.no_doctor:
        return 0
    sound = examined(path, str(at(values, "table.id")))
    if not sound:
        return complain("fix what the doctor found; the service is left as it is", FAILED)
    return 0 if arguments.no_enable else enabled(str(at(values, "table.id")))


def ask_for_rights(folder: Path) -> None:
    """OSError if nothing can be written there: before the first question, not after the last."""
    there = next(path for path in (folder, *folder.absolute().parents) if path.is_dir())
    if not os.access(there, os.W_OK):
        why = errno.EROFS if os.statvfs(there).f_flag & os.ST_RDONLY else errno.EACCES
        raise OSError(why, os.strerror(why), str(folder))


def answers(arguments: argparse.Namespace) -> dict[str, object]:
    """The answers file, and what ``--set`` says on top of it. InputError if they cannot be read."""
    from controller.settings.resolve import read_toml
    from controller.settings.writing import put

    values = read_toml(Path(arguments.answers), "the answers file") if arguments.answers else {}
    for said in arguments.set:
        key, equals, value = said.partition("=")
        if not equals or not key.strip():
            raise InputError(f"--set {said}: expected KEY=VALUE, as mqtt.port=8883")
        put(values, key.strip(), _value(key.strip(), value.strip()))
    return values


def _value(key: str, text: str) -> object:
    """As TOML has it; a name needs no quotes, and table 7 is the table "7"."""
    if key in ("table.id", "table.site"):
        return text.strip('"')
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def interview(talk: Conversation, values: dict[str, object], found: Found, pins: PinFactory | None) -> None:
    """All that is not answered yet."""
    from controller.cli.setup_devices import DeviceQuestions
    from controller.cli.setup_questions import TableQuestions
    from controller.shell.wiring.finding import PinWatch, has_pins

    def watch() -> PinWatch:
        return PinWatch() if pins is None else PinWatch(pins)

    questions = TableQuestions(talk, values)
    questions.table()
    watched = watch if pins is not None or has_pins() else None
    DeviceQuestions(talk, values, found).ask(*questions.needs(), watched)
    questions.cards()
    questions.house()
    questions.broker()


def written(values: dict[str, object], arguments: argparse.Namespace, talk: Conversation | None) -> Path:
    """The file, once check-config accepts it; another one of that name is kept beside it, never overwritten.

    ConfigurationError with all that is wrong, where nothing was written.
    """
    from controller import __version__
    from controller.cli.setup_questions import credentials_of
    from controller.settings.loader import load_configuration
    from controller.settings.writing import at, put, toml_text

    table, folder = at(values, "table.id"), Path(arguments.to)
    if at(values, "journal.path") is None and isinstance(table, str):
        put(values, "journal.path", f"/var/lib/dealer-table/{table}.db")
    if folder == INSTALLED and at(values, "signing.key_file") is None:
        put(values, "signing.key_file", f"{credentials_of(table)}/signing-key")
    folder.mkdir(parents=True, exist_ok=True)
    made = time.strftime("%Y-%m-%d", time.gmtime())
    text = f"# Written by dealer-table setup {__version__} on {made}. Every key: see the examples.\n\n"
    handle, name = tempfile.mkstemp(dir=folder, prefix=".setup-", suffix=".toml")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text + toml_text(values))
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, 0o644)
        try:
            load_configuration(name)
        except ConfigurationError as error:
            raise ConfigurationError(error.message.replace(f"{name}: ", "")) from error
        path = folder / f"{table}.toml"
        if talk is not None:
            talk.tell(Path(name).read_text(encoding="utf-8"))
            if not talk.agrees(f"Write this to {path}?"):
                raise InputError("nothing was written")
        keep_old(path, arguments, talk)
        os.link(name, path)
    finally:
        os.unlink(name)
    return path


def key_made(path: Path, store: Path) -> str:
    """Make the key that signs the table's messages, where there is none; what its consumers should pin."""
    from controller.settings.broker import kept_credential
    from controller.settings.loader import load_configuration
    from controller.shell.signing_key import key_place, make_key, read_key

    configuration = load_configuration(path)
    if kept_credential(configuration.signing.key_file or "", store) is not None:
        # systemd makes it when a machine boots; an image that never has is set up as well. Who may not, hears
        # below where the key is missing.
        with contextlib.suppress(OSError):
            store.mkdir(mode=0o700, exist_ok=True)
    place = key_place(configuration, store)
    signer = read_key(place)
    if signer is None and not os.access(place.parent, os.W_OK):
        return f"the key that signs the table's messages is made at its first start: {place}"
    said = "was there and stays" if signer is not None else "made; it never leaves this machine"
    signer = signer or make_key(place)
    return f"{place}: {said}\nits public half, for the consumers of the table to pin: {signer.key}"


def keep_old(path: Path, arguments: argparse.Namespace, talk: Conversation | None) -> None:
    """Move a configuration that is there to ``<name>.1`` and so on. InputError if it is to stay."""
    from controller.shell.commissioning import set_aside

    if not path.exists():
        return
    wanted = arguments.replace or (
        talk is not None
        and talk.agrees(f"{path} is there already. Keep it under another name?", default=False)
    )
    if not wanted:
        raise InputError(f"{path} is there already and stays; --replace keeps it beside the new one")
    print(f"the configuration that was there is kept as {set_aside(path)}", flush=True)


def examined(path: Path, table: str) -> bool:
    """Whether the doctor, as the user of the service where there is one, finds no fault."""
    with tempfile.TemporaryDirectory(prefix="dealer-table-setup-") as folder:
        shown = as_the_service_sees_it(path, table, Path(folder))
        call = [sys.executable, "-I", "-m", "controller", "doctor", "--config", str(shown)]
        if os.getuid() == 0 and _has_user():
            shutil.chown(folder, SERVICE_USER)
            for file in Path(folder).iterdir():
                shutil.chown(file, SERVICE_USER)
            call = ["runuser", "-u", SERVICE_USER, "--", *call]
        return subprocess.run(call, check=False, cwd="/").returncode == 0


def as_the_service_sees_it(path: Path, table: str, folder: Path) -> Path:
    """The configuration with its credentials, which systemd would bring; as it is where there are none.

    ``folder``: a private one, for copies of the credentials that go with it.
    """
    from controller.cli.setup_questions import credentials_of
    from controller.settings.loader import load_configuration
    from controller.settings.writing import toml_text

    begin = f"{credentials_of(table)}/"
    if begin not in path.read_text(encoding="utf-8"):
        return path
    text = toml_text(load_configuration(path).canonical())
    stores = Path(f"{STORE}{table}.")
    for store in stores.parent.glob(f"{stores.name}*"):
        name = store.name.removeprefix(stores.name)
        shutil.copy(store, folder / name)
        os.chmod(folder / name, 0o600)
        text = text.replace(f"{begin}{name}", str(folder / name))
    shown = folder / path.name
    shown.write_text(text, encoding="utf-8")
    return shown


def _has_user() -> bool:
    import pwd

    return (
        any(user.pw_name == SERVICE_USER for user in pwd.getpwall()) and shutil.which("runuser") is not None
    )


def enabled(table: str) -> int:
    """Start the service, now and at every boot; where no systemd runs, say how."""
    call = ["systemctl", "enable", "--now", f"dealer-table@{table}.service"]
    if not Path("/run/systemd/system").is_dir() or os.getuid() != 0:
        print(f"to start it: sudo {' '.join(call)}")
        return 0
    status = subprocess.run(call, check=False).returncode
    print("the table runs" if status == 0 else f"it did not start: journalctl -u dealer-table@{table}")
    return 1 if status else 0
