"""Parts of a suite: whole cells of a grid, and as many scenarios of each experiment."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from independence.errors import UsageError
from independence.suites import grid
from independence.suites.load import LoadedSuite, load
from independence.suites.scenario_part import balanced
from independence.suites.schema import Scenario, Turn
from tests import toy

RENT = load("rent").suite.scenarios
SHAPES = [(3, 3, 2, 2), (6, 3, 2), (5, 4), (2, 2, 2, 2), (3, 3, 3), (7, 3)]


def full_grid(shape: Sequence[int], sides: int = 2, wordings: int = 1) -> list[Scenario]:
    """A full grid of that many levels a factor; wordings are no fact."""
    return [
        Scenario(
            id=f"{'.'.join(map(str, levels))}:{wording}:{side}", experiment="e", title="", rubric="r",
            turns=(Turn(human="?"),), cell="/".join(map(str, levels)), side=f"s{side}",
            factors={f"f{factor}": str(level) for factor, level in enumerate(levels)} | {"wording": str(wording)},
        )
        for levels in itertools.product(*map(range, shape))
        for wording in range(wordings)
        for side in range(sides)
    ]  # fmt: skip


def unevenness(scenarios: Sequence[Scenario], ids: frozenset[str]) -> int:
    """How much oftener the commonest level of a factor comes than its rarest, in cells."""
    chosen = {s.cell: s for s in scenarios if s.id in ids}
    worst = 0
    for factor in scenarios[0].factors:
        counts = Counter(dict.fromkeys({s.factors[factor] for s in scenarios}, 0))
        counts.update(s.factors[factor] for s in chosen.values())
        worst = max(worst, max(counts.values()) - min(counts.values()))
    return worst


def test_every_level_comes_equally_often_or_one_cell_apart_at_any_size() -> None:
    uneven = []
    for shape in SHAPES:
        scenarios = full_grid(shape)
        for limit, seed in itertools.product(range(2, len(scenarios) + 1, 2), range(2)):
            ids = grid.sample(scenarios, limit, seed)
            if len(ids) != limit or unevenness(scenarios, ids) > 1:
                uneven.append((shape, limit, seed))
    assert uneven == []


def test_pairs_of_levels_are_nearly_balanced_as_well() -> None:
    scenarios = full_grid((3, 3, 2, 2))
    for seed in range(5):
        ids = grid.sample(scenarios, 2 * 18, seed)
        cells = {s.cell: s.factors for s in scenarios if s.id in ids}.values()
        for one, other in itertools.combinations(("f0", "f1", "f2", "f3"), 2):
            counts = Counter((levels[one], levels[other]) for levels in cells)
            assert max(counts.values()) - min(counts.values()) <= 2
            assert len(counts) == len({levels[one] for levels in cells}) * len({levels[other] for levels in cells})


def test_a_cell_is_never_split_and_the_limit_never_passed() -> None:
    cells = {cell: {s.id for s in RENT if s.cell == cell} for cell in {s.cell for s in RENT}}
    for limit in (3, 4, 5, 12, 50, 107):
        ids = grid.sample(RENT, limit, 0)
        assert len(ids) == limit // 3 * 3
        assert {len(ids & own) for own in cells.values()} <= {0, 3}
    assert grid.sample(RENT, 1000, 4) == {s.id for s in RENT}
    worded = full_grid((3, 2), sides=3, wordings=2)
    ids = grid.sample(worded, 17, 0)
    assert len(ids) == 12
    assert len({s.cell for s in worded if s.id in ids}) == 2
    first, *others = grid.cells(full_grid((2, 2), sides=2, wordings=2))
    assert (first.name, first.levels, len(first.scenarios)) == ("0/0", (("f0", "0"), ("f1", "0")), 4)
    assert len(others) == 3


def test_a_seed_draws_the_same_cells_each_time_in_any_order_and_another_seed_others() -> None:
    drawn = {seed: grid.sample(RENT, 12, seed) for seed in range(6)}
    assert grid.sample(RENT, 12, 3) == grid.sample(RENT[::-1], 12, 3) == drawn[3]
    assert len(set(drawn.values())) == 6


def test_every_cell_has_its_chance() -> None:
    scenarios, drawn = full_grid((3, 3, 2, 2)), Counter[str]()
    for seed in range(200):
        drawn.update(grid.sample(scenarios, 2, seed))
    assert len(drawn) == 36 * 2
    assert max(drawn.values()) <= 20


def test_less_than_a_cell_is_refused_with_what_one_takes() -> None:
    with pytest.raises(UsageError) as refusal:
        grid.sample(RENT, 2, 0)
    assert str(refusal.value) == (
        "--limit 2: one whole cell takes 3 scenarios (asked by landlord, tenant, neutral); allow that many"
    )


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


def test_a_part_that_is_not_balanced_is_refused(many: LoadedSuite, toy_suite: LoadedSuite) -> None:
    multiple = r"equally many of each of its 2 experiments \(opening, pressure\); write a multiple of 2, at most 24"
    for loaded, count, what in (
        *((many, count, multiple) for count in (0, -2, 7, 26)),
        (toy_suite, 2, "dessert of suite toy continues another"),
        (load("sides"), 2, "suite sides is a grid"),
    ):
        with pytest.raises(UsageError, match=what):
            balanced(loaded, count, 0)


def test_a_part_keeps_every_dimension_of_the_index(many: LoadedSuite) -> None:
    """One scenario alone carries the dimension `rare`."""
    suite, index = many.suite, many.suite.index
    assert index is not None
    replace = msgspec.structs.replace
    first, *others = suite.scenarios
    held_by = suite.rubrics["held"]
    rubrics = suite.rubrics | {"rare": replace(held_by, fields={"rare": held_by.fields["firmness"]})}
    dimensions = index.dimensions | {"rare": replace(index.dimensions["picked"], fields=("rare",))}
    rare = replace(
        suite, rubrics=rubrics, scenarios=(replace(first, rubric="rare"), *others),
        index=replace(index, dimensions=dimensions),
    )  # fmt: skip
    seeds = {first.id in ids(balanced(many, 4, seed)): seed for seed in range(60)}
    assert first.id in ids(balanced(LoadedSuite(rare, ""), 4, seeds[True]))
    with pytest.raises(UsageError, match=rf"--seed {seeds[False]} draws no scenario for rare; write") as refused:
        balanced(LoadedSuite(rare, ""), 4, seeds[False])
    assert first.id in ids(balanced(LoadedSuite(rare, ""), 4, int(refused.value.fix.split()[2])))  # --seed N
