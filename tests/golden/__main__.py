"""``python -m tests.golden`` writes the table's answers anew into every transcript, and says what changed."""

from __future__ import annotations

import sys

from controller.games.registry import all_games
from tests.golden.transcript import ScriptError, path_of, played


def main() -> int:
    """0; 1 where a registered game has no transcript or a script is wrong."""
    status = 0
    for game in all_games():
        path = path_of(game)
        try:
            old = path.read_text()
            new = played(old)
        except (FileNotFoundError, ScriptError) as error:
            missing = f"missing: begin with a line == {game}, then a line >> EVENT for all that happens"
            print(f"{path}: {missing if isinstance(error, FileNotFoundError) else error}")
            status = 1
            continue
        path.write_text(new)
        print(f"{path}: {'as it was' if new == old else 'written anew: read what changed'}")
    return status


sys.exit(main())
