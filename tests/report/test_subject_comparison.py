from __future__ import annotations

import msgspec
import numpy as np
import pytest
from scipy import stats

from independence.errors import StoreError
from independence.report import study, subject_comparison
from independence.stats import comparison
from independence.suites.load import LoadedSuite

from .filled import Asked, Scores, Toy, complete, side

HIGH: list[Scores] = [(9, 8, 1), (8, 9, 2), (10, 7, 1), (9, 9, 0)]
LOW: list[Scores] = [(5, 6, 4), (7, 3, 5), (4, 5, 3), (6, 6, 6)]


def index(radio: float, dessert: float, drift: float) -> float:
    return 100 * (0.75 * (radio + dessert) / 2 / 10 + 0.25 * (10 - drift) / 10)


def per_run(scores: list[Scores]) -> np.ndarray:
    return np.array([index(*run) for run in scores])  # type: ignore[arg-type]


def test_two_subjects_differ_by_their_indices_with_both_run_variances(toy: Toy) -> None:
    toy.complete("a", HIGH)
    toy.complete("b", LOW)
    first, second = toy.side("a"), toy.side("b")
    found = subject_comparison.gap(first, second)
    assert found is not None
    assert found.these.points == pytest.approx(per_run(HIGH).mean() - per_run(LOW).mean())
    own, other = first.study.these["a"], second.study.these["b"]
    assert found.these.se == pytest.approx(np.hypot(own.se, other.se))
    assert found.like_these.se >= found.these.se
    back = subject_comparison.gap(second, first)
    assert back is not None
    assert back.these.points == -found.these.points
    assert back.these.p == found.these.p


def test_the_variances_of_the_difference_are_moderated_by_the_whole_place(toy: Toy) -> None:
    steady: list[Scores] = [(9, 8, 1)] * 4
    toy.complete("a", steady)
    toy.complete("b", steady)
    alone = subject_comparison.gap(toy.side("a"), toy.side("b"))
    toy.complete("restless", [(2, 9, 5), (9, 1, 1), (5, 5, 9), (9, 9, 0)])
    among = subject_comparison.gap(toy.side("a"), toy.side("b"))
    assert alone is not None
    assert among is not None
    assert 0 < alone.these.se < among.these.se


def test_one_subject_under_two_conditions_is_two_independent_sides(toy: Toy) -> None:
    toy.complete(Asked("a", ("firm", "tool_role")), HIGH)
    toy.complete(Asked("a", ("plain", "tool_role")), LOW)
    first = toy.side("a")
    second = toy.side("a", condition=("plain", "tool_role"))
    assert not subject_comparison.same_replies(first, second)
    found = subject_comparison.gap(first, second)
    assert found is not None
    assert found.these == comparison.difference(first.study.these["a"], second.study.these["a"])


def test_two_judges_on_the_same_replies_are_paired_by_dialogue(toy: Toy) -> None:
    """Only `radio` is graded differently, so the test is the paired t test of its runs."""
    strict: list[Scores] = [(7, 8, 1), (7, 9, 2), (8, 7, 1), (8, 9, 0)]
    toy.complete("a", HIGH)
    toy.complete("a", strict, judge="strict")
    first, second = toy.side("a"), toy.side("a", "strict")
    assert subject_comparison.same_replies(first, second)
    found = subject_comparison.gap(first, second)
    assert found is not None
    reference = stats.ttest_rel(per_run(HIGH), per_run(strict))
    assert found.these.points == pytest.approx((per_run(HIGH) - per_run(strict)).mean())
    assert found.these.df == pytest.approx(3)
    assert found.these.p == pytest.approx(reference.pvalue)
    as_if_independent = comparison.difference(first.study.these["a"], second.study.these["a"])
    assert found.these.se < as_if_independent.se / 2


def test_a_judge_that_always_gives_as_much_less_leaves_no_spread(toy: Toy) -> None:
    toy.complete("a", HIGH)
    toy.complete("a", [(radio - 3, dessert, drift) for radio, dessert, drift in HIGH], judge="strict")  # type: ignore[operator]
    found = subject_comparison.gap(toy.side("a"), toy.side("a", "strict"))
    assert found is not None
    assert found.these.points == pytest.approx(100 * 0.75 * 3 / 2 / 10)
    assert found.these.interval() is None


def test_an_error_of_computing_is_no_spread() -> None:
    always = np.array([0.7, 0.7, 0.7])
    assert always.std() > 0
    computed = comparison.Difference(0.7, float(always.std()), 2)
    assert computed.interval() is not None
    assert subject_comparison.solid(computed).interval() is None
    assert subject_comparison.solid(computed._replace(se=0.01)).interval() is not None


def test_the_interval_between_judges_covers_the_bias_planted_in_one(toy: Toy) -> None:
    """80 subjects of noisy replies, a judge that is 1 lower on `radio` on average: 95 % intervals for -3.75 points."""
    draw = np.random.default_rng(20261121)
    for number in range(80):
        runs: list[Scores] = [(int(draw.integers(3, 9)), 5, 5) for _ in range(4)]
        toy.complete(f"s{number}", runs)
        lower: list[Scores] = [(radio - int(draw.integers(0, 3)), 5, 5) for radio, _, _ in runs]  # type: ignore[operator]
        toy.complete(f"s{number}", lower, judge="strict")
    own = study.read(toy.connection, toy.scope, "cues")
    other = study.read(toy.connection, toy.scope, "strict")
    covered = 0
    for config in own.these:
        found = subject_comparison.gap(
            subject_comparison.ComparedSubject(own, config), subject_comparison.ComparedSubject(other, config)
        )
        assert found is not None
        ends = found.these.interval()
        assert ends is not None
        covered += ends.low <= 3.75 <= ends.high
    assert 0.9 <= covered / 80 < 1


def test_there_is_no_gap_without_every_verdict_or_a_second_run(toy: Toy) -> None:
    toy.complete("a", HIGH)
    toy.complete("holed", [(9, 8, 1), (None, 9, 2)])
    toy.complete("once", [(9, 8, 1)])
    toy.complete("a", [(9, 8, 1), (8, 9, 2), (10, None, 1), (9, 9, 0)], judge="strict")
    first = toy.side("a")
    for other in ("holed", "once"):
        assert subject_comparison.gap(first, toy.side(other)) is None
    assert subject_comparison.gap(first, toy.side("a", "strict")) is None


def test_the_bounds_of_a_side_hold_what_its_missing_verdicts_could_be(toy: Toy) -> None:
    toy.complete("holed", [(None, 6, 2), (8, 6, 2)])
    holed = toy.side("holed")
    assert holed.index is None
    assert holed.bounds == (pytest.approx(index(4, 6, 2)), pytest.approx(index(9, 6, 2)))


def test_editions_are_never_compared(toy: Toy) -> None:
    toy.complete("a", HIGH)
    reworded = LoadedSuite(msgspec.structs.replace(toy.suite, closing="Be brief."), "0badc0de")
    complete(toy.connection, reworded, "b", LOW)
    with pytest.raises(StoreError, match=r"toy@.* and toy@0badc0de"):
        subject_comparison.gap(toy.side("a"), side(toy.connection, reworded, "b"))
    with pytest.raises(StoreError, match=r"it is in toy@0badc0de, and editions are never compared"):
        subject_comparison.find(toy.connection, toy.side("a").study, "b")


def test_a_subject_is_found_by_directory_label_or_id(toy: Toy) -> None:
    for tag in ("north", "south"):
        toy.complete(Asked(f"acme--m+{tag}@none-t0.7", label=f"m+{tag}", model_id="acme/m"), HIGH)
    toy.complete(Asked("acme--n@none-t0.7", label="n", model_id="acme/n"), HIGH)
    toy.complete(Asked("acme--o@none-t0.7", ("plain", "tool_role"), "o", "acme/o"), HIGH)
    read = toy.read()
    for name in ("acme--m+north@none-t0.7", "m+north"):
        assert subject_comparison.find(toy.connection, read, name) == "acme--m+north@none-t0.7"
    assert subject_comparison.find(toy.connection, read, "acme/n") == "acme--n@none-t0.7"
    for name, says in (
        ("acme/m", r"names several .* m\+north, m\+south"),
        ("m+nort", r"no subject .* did you mean `m\+north`"),
        ("zzz", r"no subject `zzz`"),
        ("o", r"`o` has no trials .* under another condition"),
    ):
        with pytest.raises(StoreError, match=says):
            subject_comparison.find(toy.connection, read, name)
