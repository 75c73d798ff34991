from __future__ import annotations

import numpy as np
import pytest

from independence.stats.components import (
    RESIDUAL,
    Reliability,
    Scores,
    VarianceComponents,
    balanced_runs,
    composite,
    reliability,
    variance_components,
)

# Synthetic data set 4 of Brennan (2001, table 3.2), ten persons by raters nested in three tasks: [task][rater][person].
# Its design is ours with tasks as subjects, raters as runs and persons as scenarios.
BRENNAN = np.array(
    [
        [
            [5, 9, 3, 7, 9, 3, 7, 5, 9, 4],
            [6, 3, 4, 5, 2, 4, 3, 8, 9, 4],
            [5, 7, 3, 5, 9, 3, 7, 5, 8, 4],
            [5, 7, 3, 3, 7, 5, 7, 7, 8, 3],
        ],
        [
            [5, 7, 5, 3, 7, 3, 7, 7, 6, 3],
            [3, 5, 3, 1, 7, 3, 5, 5, 6, 5],
            [4, 5, 3, 4, 3, 6, 5, 5, 6, 6],
            [5, 5, 5, 3, 7, 3, 7, 4, 5, 5],
        ],
        [
            [6, 7, 6, 5, 2, 4, 5, 3, 5, 5],
            [7, 7, 5, 3, 7, 5, 5, 2, 8, 7],
            [3, 5, 1, 3, 5, 1, 5, 1, 1, 1],
            [3, 2, 6, 5, 3, 2, 4, 1, 1, 1],
        ],
    ],
    dtype=float,
).transpose(0, 2, 1)

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


def estimated(scores: Scores) -> VarianceComponents:
    found = variance_components(scores)
    assert found is not None
    return found


def variance(found: VarianceComponents, effect: str) -> float:
    part = found.of(effect)
    assert part is not None
    return part.variance


def test_a_worked_example_of_runs_nested_in_subjects_comes_out_as_published() -> None:
    found = estimated(BRENNAN)
    published = {"scenario": 0.4731, "subject": 0.3252, "run": 0.6475, "subject x scenario": 0.5596, RESIDUAL: 2.3802}
    assert {part.effect: round(part.variance, 4) for part in found.parts} == published
    assert (found.subjects, found.scenarios, found.runs, found.judges) == (3, 10, 4, 1)


def test_a_worked_example_of_single_runs_gives_its_published_consistency() -> None:
    found = estimated(SHROUT_FLEISS)
    assert {part.effect: round(part.variance, 2) for part in found.parts} == {
        "subject": 2.56, "scenario": 5.24, RESIDUAL: 1.02,
    }  # fmt: skip
    assert reliability(found).like_these == pytest.approx(0.91, abs=0.005)  # ICC(3, 4)


def test_planted_components_come_back_on_average() -> None:
    """40 draws of 30 x 8 x 3 x 4: means of estimates within four of their own standard errors."""
    rng = np.random.default_rng(7)
    draws = [estimated(drawn(rng, (30, 8, 3, 4), PLANTED)) for _ in range(40)]
    for effect, axes in LETTERS.items():
        estimates = np.array([variance(found, effect) for found in draws])
        error = estimates.std(ddof=1) / np.sqrt(len(estimates))
        assert abs(estimates.mean() - PLANTED[axes]) < 4 * error, effect


def test_without_judges_the_judges_noise_is_in_the_residual() -> None:
    rng = np.random.default_rng(8)
    design = {"p": 2.0, "s": 1.0, "ps": 1.5, "pr": 0.5, "psr": 1.9}
    draws = [estimated(drawn(rng, (40, 6, 4, 1), design)[..., 0]) for _ in range(40)]
    assert [part.effect for part in draws[0].parts] == ["subject", "scenario", "subject x scenario", "run", RESIDUAL]
    for effect, planted in zip(("subject", "subject x scenario", "run", RESIDUAL), (2.0, 1.5, 0.5, 1.9), strict=True):
        estimates = np.array([variance(found, effect) for found in draws])
        assert abs(estimates.mean() - planted) < 4 * estimates.std(ddof=1) / np.sqrt(len(estimates)), effect


def test_the_stated_standard_error_is_how_far_estimates_scatter() -> None:
    rng = np.random.default_rng(9)
    design = {"p": 2.0, "s": 1.0, "ps": 1.5, "pr": 0.5, "psr": 1.9}
    draws = [estimated(drawn(rng, (40, 6, 4, 1), design)) for _ in range(200)]
    for effect in ("subject", "subject x scenario", "run", RESIDUAL):
        parts = [part for found in draws for part in found.parts if part.effect == effect]
        scatter = np.std([part.variance for part in parts], ddof=1)
        assert np.mean([part.se for part in parts]) == pytest.approx(scatter, rel=0.2), effect


def test_a_negative_estimate_is_shown_and_counts_as_zero() -> None:
    found = estimated(np.array([[[1.0, 2.0], [2.0, 1.0]], [[1.0, 2.0], [2.0, 1.0]]]))
    assert variance(found, "run") < 0
    assert found.used("run") == 0
    assert found.share("run") == 0
    assert sum(found.share(part.effect) or 0 for part in found.parts) == pytest.approx(1)


def test_a_factor_with_one_level_has_no_part() -> None:
    found = estimated(BRENNAN[:, :, :1])
    assert [part.effect for part in found.parts] == ["subject", "scenario", RESIDUAL]
    assert found.of("run") is None
    assert found.share("judge") is None
    one_scenario = estimated(BRENNAN[:, :1])
    assert [part.effect for part in one_scenario.parts] == ["subject", RESIDUAL]


@pytest.mark.parametrize("scores", [BRENNAN[:1], BRENNAN[:, :1, :1]])
def test_one_subject_or_one_score_each_has_no_components(scores: Scores) -> None:
    assert variance_components(scores) is None


def test_equal_scores_have_no_shares_and_no_coefficients() -> None:
    found = estimated(np.full((3, 4, 2), 10.0))
    assert found.share("subject") is None
    assert reliability(found) == Reliability(None, None)


def test_coefficients_follow_their_formulas() -> None:
    """The published study's rounded components of resistance: 5 scenarios x 5 runs of 81 subjects, run at zero."""
    found = estimated(BRENNAN)._replace(subjects=81, scenarios=5, runs=5)
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
    found = estimated(scores)
    means = scores.mean(axis=2)
    alpha = 6 / 5 * (1 - means.var(axis=0, ddof=1).sum() / means.sum(axis=1).var(ddof=1))
    of_runs = found.used("run") / 4 / means.mean(axis=1).var(ddof=1)
    assert reliability(found).like_these == pytest.approx(alpha - of_runs)


def test_coefficients_tell_how_two_halves_of_the_runs_agree() -> None:
    """The correlation of means over runs 1-4 with means over runs 5-8 is the coefficient of four runs."""
    rng = np.random.default_rng(4)
    scores = drawn(rng, (4000, 5, 8, 1), {"p": 1.0, "s": 1.0, "ps": 1.5, "pr": 0.5, "psr": 4.0})[..., 0]
    halves = scores[:, :, :4].mean(axis=(1, 2)), scores[:, :, 4:].mean(axis=(1, 2))
    assert reliability(estimated(scores), runs=4).these == pytest.approx(np.corrcoef(*halves)[0, 1], abs=0.02)


def test_more_runs_are_not_predicted_from_single_ones() -> None:
    found = estimated(SHROUT_FLEISS)
    assert reliability(found).these is None
    assert reliability(found, runs=2) == Reliability(None, None)


@pytest.mark.parametrize(
    ("counts", "runs"),
    [
        ([5] * 33 + [1] * 15 + [6] * 10, 5),
        ([2, 2, 2, 9], 2),
        ([2, 2, 9, 9], 9),
        ([1, 1, 1, 5], 1),
        ([1] * 100 + [2, 2], 2),
        ([0, 0, 3], 0),
        ([], 0),
    ],
)
def test_the_balanced_part_keeps_most_scores_of_repeated_runs(counts: list[int], runs: int) -> None:
    assert balanced_runs(counts) == runs


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


def test_a_sum_of_single_runs_has_no_coefficients() -> None:
    assert composite([BRENNAN[:, :, :1]]) == Reliability(None, None)
