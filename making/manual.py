"""The manual page and the shell completion, drawn from the table of commands."""

from __future__ import annotations

import argparse
from typing import Any

from controller import __version__
from controller.cli.command import Command
from controller.cli.commands import COMMANDS

PROGRAM = "dealer-table"


class Arguments(argparse.ArgumentParser):
    """A parser that knows its arguments, in the order in which they were added."""

    def __init__(self) -> None:
        self.added: list[argparse.Action] = []
        self.repeated: set[str] = set()
        super().__init__(add_help=False)

    def add_argument(self, *names: str, **settings: Any) -> argparse.Action:
        """Note what is added; ``repeated`` are those that may be given more than once."""
        added = super().add_argument(*names, **settings)
        self.added.append(added)
        if settings.get("action") == "append" or added.nargs == "*":
            self.repeated.add(added.dest)
        return added


def arguments(command: Command) -> Arguments:
    """The arguments of a command."""
    parser = Arguments()
    command.arguments(parser.add_argument)
    return parser


def call(action: argparse.Action) -> str:
    """An argument as it is typed."""
    word = action.metavar if isinstance(action.metavar, str) else None
    if action.choices is not None and word is None:
        word = "|".join(map(str, action.choices))
    if not action.option_strings:
        return word or action.dest
    option = action.option_strings[-1]
    return option if action.nargs == 0 else f"{option} {word or action.dest.upper()}"


def synopsis(command: Command) -> str:
    """The whole command line, with optional arguments in brackets."""
    parts = [f"{PROGRAM} {command.name}"]
    given = arguments(command)
    for action in given.added:
        needed = action.required if action.option_strings else action.nargs not in ("?", "*")
        more = "..." if action.dest in given.repeated else ""
        parts.append(f"{call(action)}{more}" if needed else f"[{call(action)}{more}]")
    return " ".join(parts)


def manual() -> str:
    """dealer-table(1) in roff."""
    lines = [
        f'.TH DEALER-TABLE 1 "" "{PROGRAM} {__version__}" "Dealer table"',
        ".SH NAME",
        f"{PROGRAM} \\- the controller under a casino card table",
        ".SH SYNOPSIS",
        f".B {PROGRAM}",
        ".I COMMAND",
        "[...]",
        ".SH DESCRIPTION",
        "Cards come in from a shoe, exact results go out over MQTT, and every event is durable before",
        "anything is published. A table is one configuration file,",
        ".IR /etc/dealer-table/ID.toml ,",
        "one service,",
        ".BR dealer-table@ID.service ,",
        "and one journal in",
        ".IR /var/lib/dealer-table .",
        ".SH COMMANDS",
    ]
    for command in COMMANDS:
        lines += [".TP", f".B {escaped(synopsis(command))}", escaped(f"{command.says}.")]
        for action in arguments(command).added:
            if action.help:
                lines += [".br", escaped(f"{call(action)}: {action.help}")]
        lines += [".br", f"Example: {escaped(' '.join(command.example.split()))}"]
    lines += [
        ".SH EXIT STATUS",
        "0 done; 1 some answer was a finding or an error; 2 the command line or the configuration is wrong.",
        ".SH FILES",
        ".TP",
        ".I /etc/dealer-table/ID.toml",
        "the configuration of a table; examples in /usr/share/dealer-table/examples",
        ".TP",
        ".I /var/lib/dealer-table",
        "the journals; they outlive the package",
        ".TP",
        ".I /etc/credstore",
        "secrets, as dealer-table-ID.mqtt-password",
    ]
    return "\n".join(lines) + "\n"


def escaped(text: str) -> str:
    """Text with the characters escaped that mean something to roff."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{text}" if text.startswith((".", "'")) else text


def completion() -> str:
    """Completion for bash."""
    cases = []
    for command in COMMANDS:
        options = ["--help", *(option for one in arguments(command).added for option in one.option_strings)]
        cases.append(f"        {command.name}) words='{' '.join(options)}' ;;")
    names = " ".join(command.name for command in COMMANDS)
    return "\n".join(
        [
            "# bash completion of dealer-table",
            "_dealer_table() {",
            '    local word=${COMP_WORDS[COMP_CWORD]} words=""',
            '    if [ "$COMP_CWORD" -eq 1 ]; then',
            f"        COMPREPLY=($(compgen -W '{names} --help --version' -- \"$word\"))",
            "        return",
            "    fi",
            '    case "${COMP_WORDS[1]}" in',
            *cases,
            "    esac",
            '    COMPREPLY=($(compgen -W "$words" -- "$word") $(compgen -f -- "$word"))',
            "}",
            "complete -o filenames -F _dealer_table dealer-table",
            "",
        ]
    )
