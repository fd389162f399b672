"""The mistakes that the simulation is tried with fit the program as it is."""

from __future__ import annotations

from tests.mutants.defects import Product, read
from tests.simulation.hunt import DEFECTS
from tests.simulation.levels import LEVELS


def test_mistakes_apply_each_at_a_level_that_there_is() -> None:
    product, defects = Product(), list(read(DEFECTS.read_text()))
    for defect in defects:
        defect.applied(product)
    assert len({defect.name for defect in defects}) == len(defects) >= 20
    assert {level for defect in defects for level in defect.tests} == set(LEVELS)
