from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence

import pytest

from independence.errors import UsageError
from independence.suites import grid
from independence.suites.load import load
from independence.suites.schema import Scenario, Turn

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


def spread(scenarios: Sequence[Scenario], ids: frozenset[str]) -> dict[str, int]:
    """Factor -> how much oftener its commonest level comes than its rarest, in cells."""
    chosen = {s.cell: s for s in scenarios if s.id in ids}
    out = {}
    for factor in scenarios[0].factors:
        counts = Counter(dict.fromkeys({s.factors[factor] for s in scenarios}, 0))
        counts.update(s.factors[factor] for s in chosen.values())
        out[factor] = max(counts.values()) - min(counts.values())
    return out


@pytest.mark.parametrize("shape", SHAPES)
def test_every_level_comes_equally_often_or_one_cell_apart_at_any_size(shape: Sequence[int]) -> None:
    scenarios = full_grid(shape)
    for limit, seed in itertools.product(range(2, len(scenarios) + 1, 2), range(3)):
        ids = grid.sample(scenarios, limit, seed)
        assert len(ids) == limit
        assert max(spread(scenarios, ids).values()) <= 1, (limit, seed)


def test_pairs_of_levels_are_nearly_balanced_as_well() -> None:
    scenarios = full_grid((3, 3, 2, 2))
    for seed in range(5):
        ids = grid.sample(scenarios, 2 * 18, seed)
        cells = {s.cell: s.factors for s in scenarios if s.id in ids}.values()
        for one, other in itertools.combinations(("f0", "f1", "f2", "f3"), 2):
            counts = Counter((levels[one], levels[other]) for levels in cells)
            assert max(counts.values()) - min(counts.values()) <= 2
            assert len(counts) == len({levels[one] for levels in cells}) * len({levels[other] for levels in cells})


@pytest.mark.parametrize("limit", [3, 4, 5, 12, 50, 107])
def test_a_triplet_is_never_split_and_the_limit_never_passed(limit: int) -> None:
    ids = grid.sample(RENT, limit, 0)
    assert len(ids) == limit // 3 * 3
    assert {len(ids & {s.id for s in RENT if s.cell == cell}) for cell in {s.cell for s in RENT}} <= {0, 3}


def test_all_wordings_of_a_cell_stay_with_it() -> None:
    scenarios = full_grid((3, 2), sides=3, wordings=2)
    ids = grid.sample(scenarios, 17, 0)
    assert len(ids) == 12
    assert len({s.cell for s in scenarios if s.id in ids}) == 2


def test_a_limit_above_everything_is_everything() -> None:
    assert grid.sample(RENT, 1000, 4) == {s.id for s in RENT}


def test_the_same_seed_draws_the_same_and_another_one_another() -> None:
    drawn = {seed: grid.sample(RENT, 12, seed) for seed in range(6)}
    assert grid.sample(RENT, 12, 3) == drawn[3]
    assert len(set(drawn.values())) == 6


def test_the_order_of_the_scenarios_does_not_count() -> None:
    assert grid.sample(RENT[::-1], 24, 1) == grid.sample(RENT, 24, 1)


def test_every_cell_has_its_chance() -> None:
    scenarios, drawn = full_grid((3, 3, 2, 2)), Counter[str]()
    for seed in range(200):
        drawn.update(grid.sample(scenarios, 2, seed))
    assert len(drawn) == 36 * 2
    assert max(drawn.values()) <= 20


def test_less_than_a_cell_is_refused_with_what_one_takes() -> None:
    with pytest.raises(UsageError) as caught:
        grid.sample(RENT, 2, 0)
    assert str(caught.value) == (
        "--limit 2: one whole cell takes 3 scenarios (asked by landlord, tenant, neutral); allow that many"
    )


def test_a_cell_has_the_levels_that_all_its_scenarios_share() -> None:
    first, *others = grid.cells(full_grid((2, 2), sides=2, wordings=2))
    assert (first.name, first.levels) == ("0/0", (("f0", "0"), ("f1", "0")))
    assert len(first.scenarios) == 4
    assert len(others) == 3
