"""The example configurations of tables; those of a shadow, and of services without a table, are others."""

from pathlib import Path

CONFIG = Path(__file__).resolve().parents[2] / "config"
NO_TABLES = ("floor", "recorder", "shadow", "wagering")
EXAMPLES = sorted(path for path in CONFIG.glob("*.toml") if path.stem not in NO_TABLES)
