"""The example configurations of tables; those of the services of a floor are none of a table."""

from pathlib import Path

CONFIG = Path(__file__).resolve().parents[2] / "config"
EXAMPLES = sorted(path for path in CONFIG.glob("*.toml") if path.stem not in ("recorder", "wagering"))
