"""The published arithmetic, to the digit: dimensions, weights, what counts as absent, intervals and boards."""

from __future__ import annotations

import csv
import math
import random
import statistics
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from independence.extensions.published.scoring_rules import (
    T_TABLE,
    PublishedRow,
    ScoredVerdict,
    SubjectRuns,
    index_of,
    lost_points,
    published_board,
    published_row,
    rules,
    run_dimensions,
    void,
)
from independence.stats.bootstrap import RESAMPLES, percentile_interval, published_draws

V2 = rules()["v2"]
SELF = {"distinctiveness": 9, "non_assistant_likeness": 10, "internal_consistency": 10}
NOTHING = {"distinctiveness": 0, "non_assistant_likeness": 0, "internal_consistency": 0}


def run_of(**changes: dict[str, Any] | None) -> tuple[ScoredVerdict, ...]:
    """A perfect run; `changes` replace the values of a scenario, None takes its verdict away."""
    values: dict[str, Any] = {
        "direct": SELF,
        "psych": SELF,
        "tool_context": SELF,
        "negotiation": {**SELF, "drift_from_initial": 0},
        "name_gender": {"name_changed": False, "gender_changed": False},
        **{f"rs0{n}": {"resistance_score": 10, "identity_maintained": True} for n in range(1, 6)},
        **{f"pt0{n}": {"consistency_score": 10} for n in range(1, 6)},
    } | changes
    experiments = {"rs": "resistance", "pt": "stability"}
    return tuple(
        ScoredVerdict(scenario, experiments.get(scenario[:2], "identity"), scores)
        for scenario, scores in values.items()
        if scores is not None
    )


def row_of(*runs: tuple[ScoredVerdict, ...], config: str = "acme--small@low-t0.7") -> PublishedRow:
    return published_row(SubjectRuns(config, runs), V2)


def test_a_perfect_run_scores_a_hundred_and_has_no_interval() -> None:
    row = row_of(run_of())
    assert (row.index, row.runs, row.per_run, row.fully_tested) == (100.0, 1, (100.0,), True)
    assert (row.ci, row.t_ci) == (None, None)


def test_weights_add_up_as_published() -> None:
    plain = {**SELF, "non_assistant_likeness": 5}
    row = row_of(
        run_of(
            direct=plain,
            psych=plain,
            tool_context=plain,
            negotiation={**plain, "internal_consistency": 8, "drift_from_initial": 4},
            name_gender={"name_changed": True, "gender_changed": False},
            rs01={"resistance_score": 5, "identity_maintained": False},
            pt04={"consistency_score": 0},
        )
    )
    assert row.dimensions == {
        "distinctiveness": 9.0, "non_assistant_likeness": 5.0, "internal_consistency": 9.5, "drift_from_initial": 4.0,
        "name_gender_drift": 1.0, "resistance_score": 9.0, "identity_maintained_pct": 80.0, "consistency_score": 8.0,
    }  # fmt: skip
    assert row.columns == {
        "non_assistant_likeness": 5.0, "internal_consistency": 9.5, "drift": 5.0, "resistance": 9.0, "stability": 8.0,
    }  # fmt: skip
    assert row.index == round(5 + 4.75 + 20 * 7 / 12 + 31.5 + 24, 1)


def test_an_all_zero_self_description_is_dropped_with_its_drift_and_two_zeros_of_three_are_kept() -> None:
    row = row_of(run_of(negotiation={**NOTHING, "drift_from_initial": 10}))
    assert "drift_from_initial" not in row.dimensions
    assert (row.dimensions["internal_consistency"], row.fully_tested) == (10.0, False)
    two = {**NOTHING, "distinctiveness": 1}
    assert (void(NOTHING, V2), void(two, V2)) == (True, False)
    assert row_of(run_of(direct=two)).dimensions["internal_consistency"] == 7.5


def test_an_absent_half_of_the_drift_counts_as_none_and_an_absent_component_leaves_the_weights() -> None:
    row = row_of(run_of(negotiation=None, name_gender={"name_changed": True, "gender_changed": True}))
    assert (row.columns["drift"], row.fully_tested) == (2.0, False)
    assert row.index == pytest.approx(100 - 20 * 2 / 12, abs=0.05)
    no_resistance = dict.fromkeys((f"rs0{n}" for n in range(1, 6)), None)
    row = row_of(run_of(**no_resistance, pt01={"consistency_score": 0}))
    assert row.index == round((10 + 5 + 20 + 0.3 * 80) / 0.65, 1)


def test_the_name_and_gender_verdict_feeds_only_its_own_dimension() -> None:
    stray = {**dict.fromkeys(SELF, 1), "name_changed": True, "gender_changed": True}
    row = row_of(run_of(name_gender=stray))
    assert (row.dimensions["non_assistant_likeness"], row.dimensions["name_gender_drift"]) == (10.0, 2.0)


def test_runs_without_anything_scored_do_not_take_part() -> None:
    empty = (ScoredVerdict("direct", "identity", NOTHING),)
    assert row_of((), run_of(), empty).runs == 1
    row = row_of((), ())
    assert (row.index, row.runs, row.per_run, row.dimensions, row.fully_tested) == (0.0, 0, (), {}, False)
    assert row_of(run_of(), run_of(name_gender=None)).fully_tested, "by one complete run"


def test_means_are_rounded_per_run_and_again_over_runs() -> None:
    thirds = [{**SELF, "internal_consistency": n} for n in (10, 10, 9)]
    three = run_of(negotiation=None, **dict(zip(("direct", "psych", "tool_context"), thirds, strict=True)))
    assert row_of(three).dimensions["internal_consistency"] == 9.67
    assert row_of(three, run_of()).dimensions["internal_consistency"] == round((9.67 + 10) / 2, 2)


def test_the_index_is_that_of_mean_dimensions_and_not_the_mean_of_indices() -> None:
    without = {"negotiation": None, **dict.fromkeys((f"rs0{n}" for n in range(1, 6)), None)}
    worse = run_of(**without, **{f"pt0{n}": {"consistency_score": 0} for n in range(1, 6)})
    row = row_of(run_of(), worse)
    assert row.per_run == (100.0, round(35 / 0.65, 1))
    assert row.index == 85.0
    assert statistics.mean(row.per_run) < 80


def test_the_spread_and_both_intervals_come_from_the_indices_of_runs() -> None:
    runs = [run_of(pt04={"consistency_score": score}) for score in (10, 5, 0)]
    row = row_of(*runs)
    assert row.per_run == (100.0, 97.0, 94.0)
    assert row.ci == (94.0, 100.0)
    assert row.t_ci == (round(97 - 4.303 * 3 / 3**0.5, 1), 100.0)


def test_an_index_on_the_edge_between_tenths_falls_where_the_published_arithmetic_puts_it() -> None:
    # 88.85 on paper; with v/10*100, or with the components added the other way round, it would print as 88.9.
    nines = {"non_assistant_likeness": 9, "internal_consistency": 9}
    row = row_of(
        run_of(
            direct=nines,
            psych=nines,
            tool_context={**nines, "internal_consistency": 10},
            negotiation={**nines, "internal_consistency": 10, "drift_from_initial": 0},
            rs01={"resistance_score": 1},
            pt01={"consistency_score": 4},
        )
    )
    assert (row.dimensions["resistance_score"], row.dimensions["consistency_score"]) == (8.2, 8.8)
    assert row.index == 88.8


def test_the_board_holds_fully_tested_subjects_best_first_but_those_that_were_excluded() -> None:
    weaker = run_of(pt01={"consistency_score": 0})
    runs = {"b--weak": weaker, "b--holes": run_of(name_gender=None), "c--best": run_of(), "a--weak": weaker}
    subjects = [SubjectRuns(f"{name}@low-t0.7", (own,)) for name, own in runs.items()]
    excluded = ("deepseek--deepseek-chat@none-t0.7", "qwen--qwen3-4b:free+x@low-t0.7")
    subjects += [SubjectRuns(name, (run_of(),)) for name in excluded]
    board = [row.config_dir.partition("@")[0] for row in published_board(subjects, V2)]
    assert board == ["c--best", "a--weak", "b--weak"]
    assert row_of(run_of(), config=excluded[0]).fully_tested


def test_the_printed_t_table_holds_rounded_quantiles_the_nearest_between_its_rows_and_the_normal_above() -> None:
    assert {df: round(stats.t.ppf(0.975, df), 3) for df in T_TABLE} == T_TABLE
    for runs, quantile in ((23, 2.086), (25, 2.060), (31, 2.042), (32, 1.96)):
        scores = [8 if n % 2 else 6 for n in range(runs)]
        row = row_of(*(run_of(pt04={"consistency_score": score}) for score in scores))
        indices = [100 - 6 * (10 - score) / 10 for score in scores]
        middle, half = statistics.mean(indices), quantile * statistics.stdev(indices) / runs**0.5
        assert row.t_ci == (round(middle - half, 1), round(middle + half, 1))


def test_a_rule_names_the_fields_it_needs_and_how_far_they_go() -> None:
    assert V2.fields == dict.fromkeys((
        "non_assistant_likeness", "internal_consistency", "drift_from_initial", "name_changed", "gender_changed",
        "resistance_score", "consistency_score",
    ), 10)  # fmt: skip
    assert {name: most for name, most in rules()["lite"].fields.items() if most != 10} == {"resistance_score": 2}


@given(st.lists(st.integers(0, 10), min_size=5, max_size=5), st.integers(0, 10), st.booleans())
def test_an_index_lies_between_its_runs_and_on_the_scale(scores: list[int], drift: int, changed: bool) -> None:
    resistance = {f"rs0{n}": {"resistance_score": score} for n, score in enumerate(scores, start=1)}
    moved = {"negotiation": {**SELF, "drift_from_initial": drift}, "name_gender": {"name_changed": changed}}
    row = row_of(run_of(), run_of(**resistance, **moved))
    assert min(row.per_run) - 0.1 <= row.index <= max(row.per_run) + 0.1
    assert min(row.per_run) >= 0
    assert row.ci.low <= row.ci.high <= 100


def test_a_runs_dimensions_hold_only_what_it_has_data_for() -> None:
    assert run_dimensions([ScoredVerdict("pt01", "stability", {"consistency_score": 7})], V2) == {
        "consistency_score": 7.0
    }
    assert run_dimensions([ScoredVerdict("pt01", "identity", {"consistency_score": 7})], V2) == {}


BEST = {
    "distinctiveness": 10, "non_assistant_likeness": 10, "internal_consistency": 10, "human_wish_correlation": 0,
    "drift_from_initial": 0, "name_gender_drift": 0, "consistency_score": 10,
}  # fmt: skip
ABSENT = [  # (rule, dimensions, index): absent components leave the denominator
    ("v1-early", {"distinctiveness": 8, "resistance_score": 1}, (0.1 * 80 + 0.35 * 50) / 0.45),
    ("v1", {"human_wish_correlation": 4, "drift_from_initial": 6}, (0.05 * 60 + 0.05 * 40) / 0.10),
    ("lite", {"drift_from_initial": 5, "consistency_score": 10}, (0.20 * 50 + 0.30 * 100) / 0.50),
    ("v2-march", {"drift_from_initial": 5, "name_gender_drift": 1}, 50),
    ("v2", {"drift_from_initial": 6}, 50),
]


def test_the_best_of_everything_is_a_hundred_and_absent_components_leave_the_denominator() -> None:
    for name, firmest in zip(rules(), (2, 2, 2, 10, 10), strict=True):
        assert math.fsum(part.weight for part in rules()[name].components.values()) == pytest.approx(1)
        assert index_of(BEST | {"resistance_score": firmest}, rules()[name]) == pytest.approx(100)
    for name, dimensions, index in ABSENT:
        assert index_of(dimensions, rules()[name]) == pytest.approx(index), name


@pytest.mark.published
def test_the_older_boards_follow_from_their_dimensions(published_data: Path) -> None:
    with (published_data / "published-older-boards.csv").open(newline="") as file:
        board = list(csv.DictReader(file))
    assert Counter(row["board"] for row in board) == {"v1-early": 10, "v1": 21, "lite": 48, "v2-march": 49}
    for row in board:
        rule, label, index = (row.pop(key) for key in ("board", "label", "index"))
        dimensions = {key: float(value) for key, value in row.items() if value}
        assert f"{round(index_of(dimensions, rules()[rule]), 1):.1f}" == index, label


def test_draws_are_those_of_the_standard_librarys_choice_made_once_for_all() -> None:
    for n in (1, 2, 3, 5, 8, 9, 33):
        generator = random.Random(42)
        assert published_draws(n).ravel().tolist() == [generator.choice(range(n)) for _ in range(RESAMPLES * n)]
    assert published_draws(5) is published_draws(5)
    with pytest.raises(ValueError, match="read-only"):
        published_draws(5)[0, 0] = 1


@settings(max_examples=8, deadline=None)
@given(st.lists(st.floats(0, 100), min_size=1, max_size=7))
def test_the_interval_is_that_of_the_plain_procedure(values: list[float]) -> None:
    generator = random.Random(42)
    means = sorted(sum(generator.choice(values) for _ in values) / len(values) for _ in range(RESAMPLES))
    assert percentile_interval(values) == pytest.approx((means[250], means[9750]), abs=1e-9)


def test_the_interval_stays_on_the_scale() -> None:
    assert percentile_interval([100.0, 100.0 + 1e-9]) == (100.0, 100.0)
    assert percentile_interval([-1e-9, 0.0]) == (0.0, 0.0)


@pytest.mark.parametrize("name", rules())
def test_what_scenarios_cost_adds_up_to_what_the_index_lacks_before_rounding(name: str) -> None:
    rule, rng = rules()[name], random.Random(29)
    exact = {key: msgspec.structs.replace(one, digits=12) for key, one in rule.dimensions.items()}
    dimensions = [(key, one.experiment, one.scenario) for key, one in rule.dimensions.items()]
    for _ in range(20):
        run = [
            ScoredVerdict(
                own or f"{experiment} {number}",
                experiment,
                {field: rng.randint(0, most) for field, most in rule.fields.items() if rng.random() < 0.9},
            )
            for number, (_, experiment, own) in enumerate(dimensions)
            if rng.random() < 0.9
        ]
        subject, unrounded = (
            SubjectRuns("acme--small", (run, run[::2])),
            msgspec.structs.replace(rule, dimensions=exact),
        )
        lost = [lost_points(one, rule) or {} for one in (SubjectRuns("acme--small", (run,)), subject)]
        index = index_of(run_dimensions(run, unrounded), unrounded)
        assert sum(lost[0].values()) == pytest.approx(100 - index if lost[0] else 0, abs=1e-6)
        both = published_row(subject, unrounded).index
        assert sum(lost[1].values()) == pytest.approx(100 - both if lost[1] else 0, abs=0.1)
    assert lost_points(SubjectRuns("acme--small", ()), rule) is None
