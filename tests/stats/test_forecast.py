from __future__ import annotations

import numpy as np
import pytest

from independence.stats import index_uncertainty
from independence.stats.components import ErrorSources, JudgeError, forecast, judging, noise
from independence.stats.index_uncertainty import Array
from independence.stats.subject_points import SubjectPoints

from . import sheets


def known(fleet: list[SubjectPoints], judges: JudgeError | None = None) -> ErrorSources:
    return noise(fleet, index_uncertainty.these_scenarios(fleet), index_uncertainty.scenarios_like_these(fleet), judges)


def typical(estimates: list[index_uncertainty.IndexEstimate]) -> float:
    return float(np.sqrt(np.mean([estimate.se**2 for estimate in estimates])))


def fleet_of(rng: np.random.Generator, runs: int, scenarios: int = 5, subjects: int = 60) -> list[SubjectPoints]:
    """Subjects on scenarios of a kind: a subject's scenarios scatter with variance 1, its runs with variance 4."""
    points = 10 + rng.normal(0, 1, (subjects, scenarios, 1)) + rng.normal(0, 2, (subjects, scenarios, runs))
    return [sheets.of(*own) for own in points]


@pytest.mark.parametrize("runs", [[3, 3, 3, 3, 3], [2, 3, 4, 5, 6]])
def test_now_is_what_the_board_says(runs: list[int]) -> None:
    rng = np.random.default_rng(1)
    fleet = [sheets.of(*(rng.normal(level, 2, count) for count in runs)) for level in rng.normal(10, 2, 20)]
    now = forecast(known(fleet))
    assert now.these == pytest.approx(typical(index_uncertainty.these_scenarios(fleet)))
    assert now.like_these == pytest.approx(typical(index_uncertainty.scenarios_like_these(fleet)))
    assert now.any_judge is None


def test_more_runs_come_out_as_predicted() -> None:
    rng = np.random.default_rng(2)
    few = known(fleet_of(rng, runs=3))
    predicted, later = forecast(few, runs=few.runs * 4), forecast(known(fleet_of(rng, runs=12)))
    assert predicted.these == pytest.approx(later.these, rel=0.05)
    assert predicted.like_these == pytest.approx(later.like_these, rel=0.06)


def test_more_scenarios_come_out_as_predicted() -> None:
    """The index keeps its range: with four times the scenarios each counts for a quarter."""
    rng = np.random.default_rng(3)
    few = known(fleet_of(rng, runs=3))
    predicted = forecast(few, scenarios=np.full(60, 4.0))
    later = forecast(known(fleet_of(rng, runs=3, scenarios=20)))
    assert predicted.these is None
    assert predicted.like_these == pytest.approx(later.like_these / 4, rel=0.06)


def test_as_many_dialogues_on_scenarios_of_their_own_are_surer_than_runs() -> None:
    few = known(fleet_of(np.random.default_rng(4), runs=3))
    spread_out = forecast(few, runs=np.ones_like(few.runs), scenarios=np.full(60, 3.0))
    # (1 + 4 / 1) x 5 scenarios in squared points, a third of it
    assert spread_out.like_these == pytest.approx(np.sqrt(25 / 3), rel=0.06)
    assert spread_out.like_these < forecast(few).like_these


def test_runs_are_worth_most_where_the_noise_is() -> None:
    rng = np.random.default_rng(5)
    fleet = [sheets.of(rng.normal(10, 3, 3), rng.normal(10, 1, 3)) for _ in range(50)]
    few = known(fleet)
    noisy, calm = few.runs.copy(), few.runs.copy()
    noisy[0] += 2
    calm[1] += 2
    at_noise, at_calm = forecast(few, runs=noisy).these, forecast(few, runs=calm).these
    assert at_noise is not None
    assert at_calm is not None
    assert at_noise < at_calm < (forecast(few).these or 0)


def test_without_any_noise_seen_all_scenarios_count_alike() -> None:
    fleet = [sheets.of([10, 10], [12, 12]), sheets.of([14, 14], [16, 16])]
    few = known(fleet)
    now = forecast(few).these
    assert now
    assert forecast(few, runs=2 * few.runs).these == pytest.approx(now / np.sqrt(2))


def indices(rng: np.random.Generator, judges: int, leaning: float = 1.0, wavering: float = 4.0) -> Array:
    """(subjects, runs, judges): subjects 25, runs 3, judges 2, judge x subject, judge's own wavering."""
    shape = 400, 6, judges
    return (
        rng.normal(0, 5, (400, 1, 1)) + rng.normal(0, np.sqrt(3), (400, 6, 1)) + rng.normal(0, np.sqrt(2), judges)
        + rng.normal(0, np.sqrt(leaning), (400, 1, judges)) + rng.normal(0, np.sqrt(wavering), shape)
    )  # fmt: skip


def test_the_part_of_judges_is_found() -> None:
    found = judging(indices(np.random.default_rng(6), judges=3))
    assert found is not None
    assert found.share == pytest.approx(4 / 7, abs=0.05)
    assert found.leaning == pytest.approx(1, abs=0.3)


@pytest.mark.parametrize("shape", [(1, 5, 2), (5, 1, 2), (5, 5, 1)])
def test_a_judge_alone_or_a_single_run_shows_no_part_of_judges(shape: tuple[int, int, int]) -> None:
    assert judging(np.random.default_rng(7).normal(size=shape)) is None


def test_judges_who_never_waver_have_no_part_of_the_noise() -> None:
    rng = np.random.default_rng(8)
    same = np.repeat(rng.normal(size=(20, 4, 1)), 2, axis=2)
    found = judging(same)
    assert found is not None
    assert found.share == pytest.approx(0, abs=1e-9)
    assert found.leaning == pytest.approx(0, abs=1e-9)


def test_a_second_judge_halves_what_is_a_judges_own() -> None:
    fleet = fleet_of(np.random.default_rng(9), runs=3)
    few = known(fleet, JudgeError(share=0.5, leaning=4.0))
    one, two = forecast(few), forecast(few, judges=2)
    assert one.these is not None
    assert two.these is not None
    assert one.any_judge is not None
    assert two.any_judge is not None
    assert two.these**2 == pytest.approx(0.75 * one.these**2)
    assert one.any_judge**2 == pytest.approx(one.like_these**2 + 4)
    assert two.any_judge**2 == pytest.approx(two.like_these**2 + 2)
    assert two.like_these**2 == pytest.approx(one.like_these**2 - 0.25 * one.these**2)
