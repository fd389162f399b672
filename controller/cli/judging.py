"""A configuration with all that can be said of it beforehand: its file, and what its pay table returns."""

from __future__ import annotations

from pathlib import Path

from controller.settings.loader import ConfigurationProblems, load_configuration
from controller.settings.model import Configuration, Problem
from controller.vocabulary.errors import PayTableError


def judged_configuration(path: str) -> Configuration:
    """As :func:`load_configuration`; a house's pay table must not return more than is staked, too."""
    configuration = load_configuration(path)
    if configuration.game.pay_table is not None:
        from controller.par import par  # it may count for some seconds

        try:
            par(configuration.game.settings(), configuration.pay_table)
        except PayTableError as error:
            problem = Problem("game.pay_table", f"{configuration.game.pay_table}: {error.message}")
            raise ConfigurationProblems(Path(path), [problem]) from error
    return configuration
