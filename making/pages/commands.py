"""docs/reference/commands.md: every command with its arguments and an example."""

from __future__ import annotations

from controller.cli.commands import COMMANDS
from making.manual import arguments, call, synopsis
from making.pages.text import page, table

INTRODUCTION = """\
Exit status: 0 done, 1 some answer was a finding or an error, 2 the command line or the configuration is wrong. Answers
go to standard output, as a table for people or as JSON with `--json`; messages go to standard error and name what to
fix. With `--batch` a command reads JSON lines and answers each with one line, in order.
"""


def draw() -> str:
    """The page."""
    parts = [INTRODUCTION]
    for command in COMMANDS:
        says = f"{command.says[0].upper()}{command.says[1:].rstrip('.?')}{'?' if command.says.endswith('?') else '.'}"
        parts.append(f"## {command.name}\n\n{says}\n\n```text\n{synopsis(command)}\n```\n")
        rows = [(f"`{call(action)}`", action.help) for action in arguments(command).added if action.help]
        if rows:
            parts.append(table(("argument", "meaning"), rows))
        parts.append(f"```sh\n{command.example}\n```\n")
    return page("Commands", *parts)
