"""From the words on the command line to the command that answers them."""

from __future__ import annotations

import argparse
import errno
import os
import sys

from controller import __version__
from controller.cli.command import Command
from controller.cli.commands import COMMANDS
from controller.cli.telling import FAILED, WRONG_CALL, complain, spell_out, writing
from controller.cli.words import Call
from controller.vocabulary.errors import ConfigurationError, DealerTableError, InputError, why
from controller.vocabulary.shown import meant


def answer(words: list[str]) -> int:
    """Do what the words ask for; the exit status, as ``main`` returns it."""
    spell_out()
    try:
        status = _dispatch(words)
        if sys.stdout is not None:
            with writing():
                sys.stdout.flush()
    except BrokenPipeError:
        _let_go()
        return FAILED
    except DealerTableError as error:
        complain(error.message)
        _let_go()
        return WRONG_CALL if isinstance(error, ConfigurationError | InputError) else FAILED
    except OSError as error:
        of_the_disk = error.errno in (errno.EROFS, errno.ENOSPC)
        if error.filename is None and not of_the_disk and not isinstance(error, PermissionError):
            raise
        place = f"{error.filename}: " if error.filename else ""
        return complain(f"{place}{why(error)}{_mend(words[0], error)}", FAILED)
    return status


def _mend(command: str, error: OSError) -> str:
    """The journals are the service's, /etc is root's: easily forgotten. A disk tells of itself."""
    if error.errno == errno.EROFS:
        return "; mount that disk so that it can be written to, or name another place"
    if error.errno == errno.ENOSPC:
        return "; free some space, or name another place"
    if not isinstance(error, PermissionError):
        return ""
    may = "systemctl start dealer-table@TABLE" if command == "run" else f"sudo dealer-table {command} ..."
    return f"; this has the rights: {may}"


def _let_go() -> None:
    """What can still be written is; the rest goes nowhere, or the interpreter would fail on it at its end."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _dispatch(words: list[str]) -> int:
    if words and not words[0].startswith("-"):
        for command in COMMANDS:
            if command.name == words[0]:
                return _call(command, words[1:])
        known = [command.name for command in COMMANDS]
        hint = meant(words[0], known, "dealer-table --help lists them")
        return complain(f"there is no command {words[0]!r}; {hint}")
    parser = _overview()
    parser.parse_args(words)
    parser.print_usage(sys.stderr)
    return complain("no command is given; dealer-table --help lists them")


def _call(command: Command, words: list[str]) -> int:
    asked = not {"-h", "--help"}.isdisjoint(words)  # an example may come from a game, which is then imported
    parser = argparse.ArgumentParser(
        prog=f"dealer-table {command.name}",
        description=command.says[0].upper() + command.says[1:] + ("" if command.says.endswith("?") else "."),
        epilog=f"example:\n  {command.example}" if asked else None,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    call = Call(parser)
    command.arguments(call.add)
    return command.run(call.read(words))


def _overview() -> argparse.ArgumentParser:
    """The program itself: its options, and a line for each command."""
    width = max(len(command.name) for command in COMMANDS)
    listed = "\n".join(f"  {command.name:{width}}  {command.says}" for command in COMMANDS)
    parser = argparse.ArgumentParser(
        prog="dealer-table",
        usage="dealer-table [--help] [--version] COMMAND ...",
        description="The table controller under a casino card table.",
        epilog=f"commands:\n{listed}\n\nexample:\n  dealer-table demo --rounds 5\n"
        "\ndealer-table COMMAND --help says more.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"dealer-table {__version__}")
    return parser
