"""The example configurations of tables; that of the players' service is none of a table."""

from pathlib import Path

CONFIG = Path(__file__).resolve().parents[2] / "config"
EXAMPLES = sorted(path for path in CONFIG.glob("*.toml") if path.stem != "wagering")
