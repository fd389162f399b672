"""A configuration with all that can be said of it beforehand: its file, and what its pay table returns."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from controller.settings.loader import ConfigurationProblems, load_configuration
from controller.settings.model import Configuration, Problem
from controller.vocabulary.errors import PayTableError


def judged_configuration(path: str) -> Configuration:
    """As :func:`load_configuration`; a house's pay table must not return more than is staked, too."""
    configuration = load_configuration(path)
    if found := list(return_problems(configuration)):
        raise ConfigurationProblems(Path(path), found)
    return configuration


def return_problems(configuration: Configuration) -> Iterator[Problem]:
    """A house's own pay table that returns more than is staked."""
    if configuration.game.pay_table is None:
        return
    from controller.par import par  # it may count for some seconds

    try:
        par(configuration.game.settings(), configuration.pay_table)
    except PayTableError as error:
        yield Problem("game.pay_table", f"{configuration.game.pay_table}: {error.message}")
