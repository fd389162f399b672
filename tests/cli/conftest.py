"""What tests of the command line share: the program, called within this process."""

from __future__ import annotations

import pytest

from controller.__main__ import main
from tests.cli.program import Said, Told


@pytest.fixture
def told(capsys: pytest.CaptureFixture[str]) -> Told:
    """What a call says on standard output and standard error; its status is 0 where nothing else is named."""

    def call(*words: object, status: int = 0) -> Said:
        assert main(list(map(str, words))) == status
        said = capsys.readouterr()
        return Said(said.out, said.err)

    return call
