"""Variance components and what they foretell of more runs, scenarios and judges."""

from __future__ import annotations

import numpy as np
import pytest

from independence.stats import index_uncertainty
from independence.stats.components import (
    RESIDUAL,
    ErrorSources,
    JudgeError,
    Reliability,
    Scores,
    balanced_runs,
    composite,
    forecast,
    judging,
    noise,
    reliability,
    variance_components,
)
from independence.stats.subject_points import SubjectPoints

from . import sheets

# Synthetic data set 4 of Brennan (2001, table 3.2), ten persons by raters nested in three tasks: [task][rater][person].
# Its design is ours with tasks as subjects, raters as runs and persons as scenarios.
TASKS = (
    ("5937937594", "6345243894", "5735937584", "5733757783"),
    ("5753737763", "3531735565", "4534365566", "5553737455"),
    ("6765245355", "7753755287", "3513515111", "3265324111"),
)
BRENNAN = np.array([[list(map(float, rater)) for rater in task] for task in TASKS]).transpose(0, 2, 1)

# Six targets by four judges of Shrout and Fleiss (1979): single runs, judges in the place of scenarios.
SHROUT_FLEISS = np.array(
    [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]], dtype=float
)[:, :, np.newaxis]
PLANTED = {
    "p": 2.0, "s": 1.0, "ps": 1.5, "pr": 0.5, "psr": 1.0,
    "j": 0.8, "pj": 0.6, "sj": 0.4, "psj": 0.7, "prj": 0.3, "psrj": 0.9,
}  # fmt: skip
LETTERS = {
    "subject": "p", "scenario": "s", "subject x scenario": "ps", "run": "pr", "reply": "psr", "judge": "j",
    "judge x subject": "pj", "judge x scenario": "sj", "judge x subject x scenario": "psj", "judge x run": "prj",
    RESIDUAL: "psrj",
}  # fmt: skip


def drawn(rng: np.random.Generator, sizes: tuple[int, int, int, int], variances: dict[str, float]) -> Scores:
    """Scores with a normal effect of the given variance for every set of factors."""
    return sum(
        (
            np.sqrt(variance)
            * rng.normal(size=[size if axis in axes else 1 for axis, size in zip("psrj", sizes, strict=True)])
            for axes, variance in variances.items()
        ),
        start=np.zeros(sizes),
    )


def test_a_worked_example_of_runs_nested_in_subjects_comes_out_as_published() -> None:
    found = variance_components(BRENNAN)
    published = {"scenario": 0.4731, "subject": 0.3252, "run": 0.6475, "subject x scenario": 0.5596, RESIDUAL: 2.3802}
    assert {part.effect: round(part.variance, 4) for part in found.parts} == published
    assert (found.subjects, found.scenarios, found.runs, found.judges) == (3, 10, 4, 1)


def test_a_worked_example_of_single_runs_gives_its_published_consistency() -> None:
    found = variance_components(SHROUT_FLEISS)
    assert {part.effect: round(part.variance, 2) for part in found.parts} == {
        "subject": 2.56, "scenario": 5.24, RESIDUAL: 1.02,
    }  # fmt: skip
    assert reliability(found).like_these == pytest.approx(0.91, abs=0.005)  # ICC(3, 4)


def test_planted_components_come_back_on_average_with_the_stated_error() -> None:
    """Means of estimates within four of their own standard errors; without judges their noise is in the residual."""
    alone = {"p": 2.0, "s": 1.0, "ps": 1.5, "pr": 0.5, "psr": 1.9}
    of_one = {name: letters for name, letters in LETTERS.items() if letters in alone and letters != "psr"}
    for seed, shape, planted, letters in (
        (7, (30, 8, 3, 4), PLANTED, LETTERS), (8, (40, 6, 4, 1), alone, of_one | {RESIDUAL: "psr"}),
    ):  # fmt: skip
        rng = np.random.default_rng(seed)
        draws = [variance_components(drawn(rng, shape, planted)) for _ in range(40)]
        assert {part.effect for part in draws[0].parts} == letters.keys()
        for effect, axes in letters.items():
            parts = [part for found in draws for part in found.parts if part.effect == effect]
            estimates = np.array([part.variance for part in parts])
            scatter = estimates.std(ddof=1)
            assert abs(estimates.mean() - planted[axes]) < 4 * scatter / np.sqrt(40), effect
            if shape[-1] == 1 and effect != "scenario":
                assert np.mean([part.se for part in parts]) == pytest.approx(scatter, rel=0.4), effect


def test_a_negative_estimate_is_shown_and_counts_as_zero() -> None:
    found = variance_components(np.array([[[1.0, 2.0], [2.0, 1.0]], [[1.0, 2.0], [2.0, 1.0]]]))
    assert found.of("run").variance < 0
    assert found.used("run") == 0
    assert found.share("run") == 0
    assert sum(found.share(part.effect) or 0 for part in found.parts) == pytest.approx(1)


def test_a_factor_with_one_level_has_no_part() -> None:
    found = variance_components(BRENNAN[:, :, :1])
    assert [part.effect for part in found.parts] == ["subject", "scenario", RESIDUAL]
    assert found.of("run") is None
    assert found.share("judge") is None
    one_scenario = variance_components(BRENNAN[:, :1])
    assert [part.effect for part in one_scenario.parts] == ["subject", RESIDUAL]


def test_one_subject_or_one_score_each_or_equal_ones_have_no_components() -> None:
    assert variance_components(BRENNAN[:1]) is None
    assert variance_components(BRENNAN[:, :1, :1]) is None
    found = variance_components(np.full((3, 4, 2), 10.0))
    assert (found.share("subject"), reliability(found)) == (None, Reliability(None, None))
    assert composite([BRENNAN[:, :, :1]]) == Reliability(None, None)
    single = variance_components(SHROUT_FLEISS)
    assert (reliability(single).these, reliability(single, runs=2)) == (None, Reliability(None, None))


def test_coefficients_follow_their_formulas() -> None:
    """The published study's rounded components of resistance: 5 scenarios x 5 runs of 81 subjects, run at zero."""
    found = variance_components(BRENNAN)._replace(subjects=81, scenarios=5, runs=5)
    planted = {"subject": 0.785, "scenario": 0.323, "subject x scenario": 1.146, "run": -0.017, RESIDUAL: 1.365}
    found = found._replace(parts=tuple(part._replace(variance=planted[part.effect]) for part in found.parts))
    now = reliability(found)
    assert now.these == pytest.approx(0.949, abs=0.0015)
    assert now.like_these == pytest.approx(0.735, abs=0.001)
    assert reliability(found, scenarios=10).these is None
    assert reliability(found, scenarios=10).like_these == pytest.approx(0.85, abs=0.005)
    assert reliability(found, scenarios=25, runs=1).like_these == pytest.approx(0.89, abs=0.005)


def test_like_these_is_cronbachs_alpha_but_for_the_runs() -> None:
    """Alpha takes what a run does to all scenarios for the subject's own; the coefficient does not."""
    rng = np.random.default_rng(3)
    scores = drawn(rng, (40, 6, 4, 1), {"p": 2.0, "s": 1.0, "ps": 1.5, "pr": 0.5, "psr": 1.9})[..., 0]
    found = variance_components(scores)
    means = scores.mean(axis=2)
    alpha = 6 / 5 * (1 - means.var(axis=0, ddof=1).sum() / means.sum(axis=1).var(ddof=1))
    of_runs = found.used("run") / 4 / means.mean(axis=1).var(ddof=1)
    assert reliability(found).like_these == pytest.approx(alpha - of_runs)


def test_coefficients_tell_how_two_halves_of_the_runs_agree() -> None:
    """The correlation of means over runs 1-4 with means over runs 5-8 is the coefficient of four runs."""
    rng = np.random.default_rng(4)
    scores = drawn(rng, (4000, 5, 8, 1), {"p": 1.0, "s": 1.0, "ps": 1.5, "pr": 0.5, "psr": 4.0})[..., 0]
    halves = scores[:, :, :4].mean(axis=(1, 2)), scores[:, :, 4:].mean(axis=(1, 2))
    assert reliability(variance_components(scores), runs=4).these == pytest.approx(np.corrcoef(*halves)[0, 1], abs=0.02)


def test_the_balanced_part_keeps_most_scores_of_repeated_runs() -> None:
    for counts, runs in (
        ([5] * 33 + [1] * 15 + [6] * 10, 5), ([2, 2, 2, 9], 2), ([2, 2, 9, 9], 9), ([1, 1, 1, 5], 1),
        ([1] * 100 + [2, 2], 2), ([0, 0, 3], 0), ([], 0),
    ):  # fmt: skip
        assert balanced_runs(counts) == runs, counts


def test_a_sum_over_strata_is_as_reliable_as_its_own_replication() -> None:
    """Two strata and a single scenario: other runs, and other scenarios in the strata that have several."""
    rng = np.random.default_rng(5)
    own = rng.normal(0, 2, (3000, 1, 1))

    def once(runs: int) -> list[Scores]:
        shapes = [(4, 1.0), (3, 2.0), (1, 0.5)]
        return [
            own / 8 + rng.normal(0, spread, (3000, count, 1)) * (count > 1) + rng.normal(0, 1, (3000, count, runs))
            for count, spread in shapes
        ]

    first, second = once(5), once(5)
    index = [sum(stratum.sum(axis=1).mean(axis=1) for stratum in strata) for strata in (first, second)]
    assert composite(first).like_these == pytest.approx(np.corrcoef(*index)[0, 1], abs=0.04)
    halves = [sum(stratum[:, :, runs].sum(axis=1).mean(axis=1) for stratum in first) for runs in ([0, 1], [2, 3])]
    of_two = composite([stratum[:, :, :2] for stratum in first]).these
    assert of_two == pytest.approx(np.corrcoef(*halves)[0, 1], abs=0.02)


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


def test_more_runs_or_scenarios_come_out_as_predicted() -> None:
    """The index keeps its range: with four times the scenarios each counts for a quarter."""
    rng = np.random.default_rng(2)
    few = known(fleet_of(rng, runs=3))
    predicted, later = forecast(few, runs=few.runs * 4), forecast(known(fleet_of(rng, runs=12)))
    assert predicted.these == pytest.approx(later.these, rel=0.05)
    assert predicted.like_these == pytest.approx(later.like_these, rel=0.06)
    predicted, later = forecast(few, scenarios=np.full(60, 4.0)), forecast(known(fleet_of(rng, runs=3, scenarios=20)))
    assert predicted.these is None
    assert predicted.like_these == pytest.approx(later.like_these / 4, rel=0.06)
    spread_out = forecast(few, runs=np.ones_like(few.runs), scenarios=np.full(60, 3.0))
    # As many dialogues on scenarios of their own: (1 + 4 / 1) x 5 scenarios in squared points, a third of it.
    assert spread_out.like_these == pytest.approx(np.sqrt(25 / 3), rel=0.06)
    assert spread_out.like_these < forecast(few).like_these


def test_runs_are_worth_most_where_the_noise_is() -> None:
    rng = np.random.default_rng(5)
    fleet = [sheets.of(rng.normal(10, 3, 3), rng.normal(10, 1, 3)) for _ in range(50)]
    few = known(fleet)
    at_noise, at_calm = (forecast(few, runs=few.runs + 2 * (np.arange(2) == at)[:, None]).these for at in (0, 1))
    assert at_noise < at_calm < (forecast(few).these or 0)


def test_without_any_noise_seen_all_scenarios_count_alike() -> None:
    fleet = [sheets.of([10, 10], [12, 12]), sheets.of([14, 14], [16, 16])]
    few = known(fleet)
    now = forecast(few).these
    assert now
    assert forecast(few, runs=2 * few.runs).these == pytest.approx(now / np.sqrt(2))


def test_the_part_of_judges_is_found() -> None:
    """Of 400 subjects, 6 runs, 3 judges: judge x subject 1, a judge's own wavering 4, runs 3."""
    rng, shape = np.random.default_rng(6), (400, 6, 3)
    indices = rng.normal(0, 5, (400, 1, 1)) + rng.normal(0, np.sqrt(3), (400, 6, 1)) + rng.normal(0, np.sqrt(2), 3)
    found = judging(indices + rng.normal(0, 1, (400, 1, 3)) + rng.normal(0, 2, shape))
    assert found.share == pytest.approx(4 / 7, abs=0.05)
    assert found.leaning == pytest.approx(1, abs=0.3)


def test_a_second_judge_halves_what_is_a_judges_own() -> None:
    fleet = fleet_of(np.random.default_rng(9), runs=3)
    few = known(fleet, JudgeError(share=0.5, leaning=4.0))
    one, two = forecast(few), forecast(few, judges=2)
    assert two.these**2 == pytest.approx(0.75 * one.these**2)
    assert one.any_judge**2 == pytest.approx(one.like_these**2 + 4)
    assert two.any_judge**2 == pytest.approx(two.like_these**2 + 2)
    assert two.like_these**2 == pytest.approx(one.like_these**2 - 0.25 * one.these**2)


def test_a_judge_alone_a_single_run_or_judges_who_never_waver_show_no_part_of_judges() -> None:
    rng = np.random.default_rng(7)
    for shape in ((1, 5, 2), (5, 1, 2), (5, 5, 1)):
        assert judging(rng.normal(size=shape)) is None
    assert judging(np.repeat(rng.normal(size=(20, 4, 1)), 2, axis=2)) == pytest.approx((0, 0), abs=1e-9)
