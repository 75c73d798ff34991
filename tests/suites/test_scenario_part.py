from __future__ import annotations

from collections import Counter
from pathlib import Path

import msgspec
import pytest

from independence.errors import UsageError
from independence.suites.load import LoadedSuite, load
from independence.suites.scenario_part import balanced
from tests import toy


@pytest.fixture
def many(tmp_path: Path) -> LoadedSuite:
    return load(str(toy.write_many(tmp_path / "many")))


def ids(loaded: LoadedSuite) -> set[str]:
    return {scenario.id for scenario in loaded.suite.scenarios}


def test_a_part_has_as_many_of_each_experiment_and_an_edition_of_its_own(many: LoadedSuite) -> None:
    part = balanced(many, 8, 0)
    assert Counter(one.experiment for one in part.suite.scenarios) == {"opening": 4, "pressure": 4}
    assert balanced(many, 8, 0) == part
    other = balanced(many, 8, 1)
    assert len({many.edition, part.edition, other.edition}) == 3
    assert ids(other) != ids(part)


def test_a_larger_part_of_the_same_seed_holds_the_smaller_one(many: LoadedSuite) -> None:
    assert ids(balanced(many, 6, 3)) < ids(balanced(many, 14, 3)) < ids(many)
    assert balanced(many, 24, 3) == many


@pytest.mark.parametrize("count", [0, -2, 7, 26])
def test_a_part_that_is_not_balanced_is_refused(many: LoadedSuite, count: int) -> None:
    with pytest.raises(UsageError, match=r"a multiple of 2, at most 24"):
        balanced(many, count, 0)


def test_what_continues_another_and_grids_are_not_drawn_from(toy_suite: LoadedSuite) -> None:
    with pytest.raises(UsageError, match="dessert of suite toy continues another"):
        balanced(toy_suite, 2, 0)
    with pytest.raises(UsageError, match="is a grid"):
        balanced(load("sides"), 2, 0)


def test_a_part_keeps_every_dimension_of_the_index(many: LoadedSuite) -> None:
    rubric = msgspec.structs.replace(many.suite.rubrics["held"], prompt="another")
    first, *others = many.suite.scenarios
    rare = msgspec.structs.replace(many.suite, scenarios=(first, *others))
    own = {"held": rubric, "rare": msgspec.structs.replace(rubric, fields={"rare": rubric.fields["firmness"]})}
    rare = msgspec.structs.replace(
        rare, rubrics=own, scenarios=(msgspec.structs.replace(first, rubric="rare"), *others)
    )
    assert rare.index is not None
    dimension = msgspec.structs.replace(rare.index.dimensions["picked"], fields=("rare",))
    index = msgspec.structs.replace(rare.index, dimensions={**rare.index.dimensions, "rare": dimension})
    loaded = LoadedSuite(msgspec.structs.replace(rare, index=index), "")
    (held, *_), (lost, *_) = (
        [seed for seed in range(60) if (first.id in ids(balanced(many, 4, seed))) is there] for there in (True, False)
    )
    assert first.id in ids(balanced(loaded, 4, held))
    with pytest.raises(UsageError, match="leaves no scenario for rare"):
        balanced(loaded, 4, lost)
