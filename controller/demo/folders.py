"""The folder of a demo, bench or story: a temporary one, where there is room for it, or one that stays."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from tempfile import TemporaryDirectory

from controller.demo import FOLDER_PREFIX
from controller.vocabulary.errors import ConfigurationError, why

LEAST_MB = 150
"""More than ``journal.min_free_mb``, below which a table opens no round."""


def temporary(kind: str) -> TemporaryDirectory[str]:
    """A folder that goes with who made it. ConfigurationError where it cannot be, or would be too small for
    a journal: the table would open no round."""
    elsewhere = "free some space there, or name another folder: TMPDIR=/var/tmp dealer-table demo"
    try:
        place = tempfile.gettempdir()
        free_mb = shutil.disk_usage(place).free // 1_000_000
        if free_mb < LEAST_MB:
            raise ConfigurationError(f"{place} has {free_mb} MB free, {LEAST_MB} are needed: {elsewhere}")
        return TemporaryDirectory(prefix=f"{FOLDER_PREFIX}{kind}-")
    except OSError as error:
        raise ConfigurationError(
            f"there is no room for temporary files: {why(error)}; {elsewhere}"
        ) from error


def new_folder(name: str) -> Path:
    """A folder that is there from now on. ConfigurationError where there is something already, or none can
    be."""
    folder = Path(name).absolute()
    try:
        folder.mkdir()
    except FileExistsError as error:
        raise ConfigurationError(f"--keep {name} is there already; name a folder that is not") from error
    except OSError as error:
        raise ConfigurationError(f"--keep {name}: cannot make the folder: {why(error)}") from error
    return folder
