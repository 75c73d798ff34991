"""Ranks among all subjects of a board, simulated: some lack verdicts, one has a single run."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest
from benchmarks import deletions

from independence.report.board.board_data import BoardData, SubjectInfo
from independence.report.board.verdict_frame import PlannedVerdict

from .filled import Toy, index

SUBJECTS, RUNS, BOARDS = 12, 10, 40


def simulated(read: BoardData, rng: np.random.Generator) -> tuple[BoardData, dict[str, float]]:
    """Subjects whose verdicts scatter around what each has in mind for a scenario, and the index of that."""
    planned, truth = {}, {}
    for number, chances in enumerate(np.clip(rng.normal(0.6, 0.2, (SUBJECTS, 3)), 0.02, 0.98)):
        config = f"s{number:02}"
        truth[config] = index(*(10 * chances).tolist())
        given = zip(("radio", "dessert", "dinner"), ("firmness", "firmness", "drift"), chances, strict=True)
        planned[config] = [
            PlannedVerdict(config, "toy", scenario, run, {field: int(value)}, None, None, ())
            for scenario, field, chance in given
            for run, value in enumerate(rng.binomial(10, chance, RUNS if number else 1), start=1)
        ]
    about = {config: SubjectInfo(config, config, simulated=True) for config in planned}
    return deletions.with_verdicts(msgspec.structs.replace(read, about=about), planned), truth


@pytest.mark.parametrize(("share", "wide"), [(0.01, 8.5), (0.05, 10.5), (0.1, 11.7)])
def test_rank_intervals_hold_the_true_place_among_all_whatever_is_missing(toy: Toy, share: float, wide: float) -> None:
    toy.complete("a")
    rng, read = np.random.default_rng(33), toy.read()
    found = [deletions.ranks_hold(*simulated(read, rng), share, rng) for _ in range(BOARDS)]
    held, widths = ([one for own in part for one in own] for part in zip(*found, strict=True))
    assert len(held) == BOARDS * (SUBJECTS - 1), "who lacks verdicts has an interval too"
    assert np.mean(held) >= 0.95
    assert np.mean(widths) < wide, "of 12"
