"""What the tests of wagering share: the books in a file of SQLite and in a real PostgreSQL."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.wagering.database import Database
from tests.harness.postgres import Postgres


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """One server for all tests; each has a database of its own."""
    server = Postgres()
    yield server
    server.close()


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of empty books."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'books.db'}"
    server: Postgres = request.getfixturevalue("postgres")
    return server.database()


@pytest.fixture
def database(url: str) -> Iterator[Database]:
    """Empty books."""
    opened = Database(url)
    yield opened
    opened.close()
