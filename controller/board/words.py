"""The words of the pages: one JSON file for each language, a flat object of texts."""

from __future__ import annotations

from pathlib import Path

import msgspec

from controller.vocabulary.errors import ConfigurationError

BUILT_IN = Path(__file__).parent / "static" / "words"


def read_words(folder: str | None) -> dict[str, dict[str, str]]:
    """Language -> its words; a house's folder adds languages and may change single words of ours.

    :class:`ConfigurationError` names the file that is no flat object of texts.
    """
    words = {path.stem: _read(path) for path in sorted(BUILT_IN.glob("*.json"))}
    if folder is not None:
        files = sorted(Path(folder).glob("*.json"))
        if not files:
            raise ConfigurationError(f"board.words: no file <language>.json in {folder}")
        for path in files:
            words[path.stem] = {**words.get(path.stem, {}), **_read(path)}
    return words


def _read(path: Path) -> dict[str, str]:
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, str])
    except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"board.words: {path}: expected an object of texts: {error}") from error
