"""``manifest``: digests of the program and the files of a table, as ``sha256sum -c`` reads them (R01)."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from controller.vocabulary.errors import InputError, why

KEY = "# key of table "


def with_their_own(names: list[str]) -> list[str]:
    """The files, each configuration with the code map and the pay table that it names; each once."""
    from controller.settings.loader import load_configuration
    from controller.settings.resolve import read_toml

    found: list[str] = []
    for name in names:
        found.append(name)
        if (
            name.endswith(".toml")
            and {"table", "game", "devices"} <= read_toml(Path(name), "the file").keys()
        ):
            found += load_configuration(name).files()[1:]
    return list(dict.fromkeys(found))


def key_lines(names: list[str]) -> list[str]:
    """The public half of each table's key, which its consumers pin: a comment to ``sha256sum``."""
    from controller.settings.loader import load_configuration
    from controller.settings.resolve import read_toml
    from controller.shell.signing_key import key_place, read_key

    lines = []
    for name in names:
        if name.endswith(".toml") and {"table", "journal"} <= read_toml(Path(name), "the file").keys():
            configuration = load_configuration(name)
            table, signer = configuration.table, read_key(key_place(configuration))
            if signer is not None:
                lines.append(f"{KEY}{table.site}/{table.id}  {signer.keyid}  {signer.key}")
    return lines


def run(arguments: argparse.Namespace) -> int:
    """Print the manifest, or check one; 1 if something differs."""
    from controller.shell.approval import forged_caches
    from controller.shell.identity import check_manifest, manifest

    if arguments.check is None:
        sys.stdout.write(manifest(Path(name) for name in with_their_own(arguments.files)))
        sys.stdout.write("".join(f"{line}\n" for line in key_lines(arguments.files)))
        return 0
    try:
        text = Path(arguments.check).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot read the manifest {arguments.check}: {why(error)}") from error
    differences = check_manifest(text) + forged_caches()
    for line in differences:
        print(line)
    if not differences:
        files = sum(not line.startswith("#") for line in text.splitlines())
        print(f"all {files} files are as in {arguments.check}")
    return 1 if differences else 0
