"""What the tests of the recorder share: a real PostgreSQL."""

from collections.abc import Iterator

import pytest

from tests.harness.postgres import Postgres


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """One server for all tests; each has a database of its own."""
    server = Postgres()
    yield server
    server.close()


@pytest.fixture
def url(postgres: Postgres) -> str:
    """The address of an empty database."""
    return postgres.database()
