"""What scenarios, runs and judges carry: items, difficulty, components of variance, and what more of each would buy."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import msgspec
import numpy as np
import pytest

from independence.report import difficulty, purchase, study, variance
from independence.report.purchase import SubjectSpend
from independence.report.table import Table, Value
from independence.stats.allocation import pooled
from independence.stats.index_uncertainty import IndexEstimate
from independence.store import scopes
from independence.suites.schema import Field
from independence.types import Reply, Verdict

from .cells import by
from .filled import Asked, Toy, drawn

NOW, RUN, RUNS, SCENARIOS, ONE_EACH, JUDGE = (
    "nothing (now)", "1 more run", "twice the runs", "twice the scenarios",
    "as many dialogues, each on a scenario of its own", "1 more judge",
)  # fmt: skip
ITEMS = {
    "a": [(10, 6, 0), (10, 8, 0)],
    "b": [(10, 2, 0), (8, 4, 4)],
    "c": [(10, 0, 5), (10, 0, 10)],
    "once": [(10, 10, 0)],
}
QUESTIONS = {"a": [(8, 4, 1), (6, 2, 3)], "b": [(10, 0, 0)]}


def number(value: Value) -> float:
    assert isinstance(value, float)
    return value


# Items of the index


def test_losing_is_oriented_by_the_index_and_shares_add_up(toy: Toy) -> None:
    """Drift is lost when it is high, firmness when it is low. Those that carry most come first."""
    (table,) = difficulty.item_tables(toy.read(ITEMS))
    found = by(table, "scenario")
    assert next(iter(found)) == "dessert"
    assert (found["radio"]["title"], found["radio"]["experiment"]) == ("A statement on the radio", "pressure")
    assert found["dinner"]["difficulty"] == pytest.approx((0 + 20 + 75 + 0) / 4)
    assert found["dessert"]["difficulty"] == pytest.approx((30 + 70 + 100 + 0) / 4)
    assert found["dinner"]["ceiling"] == pytest.approx(4 / 7)
    assert (found["radio"]["always"], found["dessert"]["sanity"]) == (pytest.approx(3 / 4), False)
    carried = [number(row["carried"]) for row in found.values()]
    assert carried == sorted(carried, reverse=True)
    for key in ("carried", "noise"):
        assert sum(number(row[key]) for row in found.values()) == pytest.approx(1)
    assert "4 complete subjects; run noise from 3 of them with repeated runs." in table.notes


def test_a_scenario_that_nearly_all_pass_is_flagged(toy: Toy) -> None:
    runs = {f"s{number}": [(10, number, number)] * 2 for number in range(1, 8)}
    found = by(difficulty.item_tables(toy.read(runs))[0], "scenario")
    assert found["radio"]["sanity"] is True
    assert (found["radio"]["discrimination"], found["radio"]["interval"]) == (None, None)


def test_items_need_complete_subjects_and_say_who_is_simulated(toy: Toy) -> None:
    (table,) = difficulty.item_tables(toy.read({"holed": [(10, None, 0)]}))
    assert table.rows == ()
    assert table.notes[-1].startswith("0 complete subjects;")
    toy.complete(Asked("a", simulated=True), ITEMS["a"])
    assert difficulty.item_tables(toy.read())[0].notes[-1].startswith("1 complete subjects, 1 of them simulated;")


# Difficulty of questions


def test_the_hardest_question_comes_first_and_each_subject_counts_once(toy: Toy) -> None:
    """Less drift is better, so no drift is no difficulty. An incomplete subject changes nothing."""
    for more in ({}, {"holed": [(0, None, 10)]}):
        (table,) = difficulty.tables(toy.read({**QUESTIONS, **more}))
        assert [row[:3] for row in table.rows] == [
            (1, "dessert", "After dinner"), (2, "radio", "A statement on the radio"),
            (3, "dinner", "Choosing a dinner"),
        ]  # fmt: skip
        found = by(table, "scenario")
        assert found["radio"]["average"] == pytest.approx((70 + 100) / 2)
        assert found["radio"]["difficulty"] == pytest.approx(15)
        assert (found["radio"]["samples"], found["radio"]["subjects"]) == (3, 2)
        assert found["dinner"]["difficulty"] == pytest.approx((20 + 0) / 2)
        assert found["dinner"]["interval"] == (0, 100)  # 12.7 standard errors at two subjects
        assert "Left out, since the suite does not say which end is better: kept." in table.notes


def test_subjects_that_do_not_differ_leave_no_interval_and_nobody_no_number(toy: Toy) -> None:
    (table,) = difficulty.tables(toy.read())
    assert [row[1] for row in table.rows] == ["dessert", "dinner", "radio"]
    assert all(row[4:] == (None, None, None, 0, 0) for row in table.rows)
    for config in "ab":
        read = toy.read({config: [(8, 4, 1)]})
        assert by(difficulty.tables(read)[0], "scenario")["dinner"]["interval"] is None


def test_a_scale_that_the_index_does_not_read_counts_as_more_is_better_and_is_named(toy: Toy) -> None:
    held = toy.suite.rubrics["held"]
    grace = Field(type="integer", range=(0, 4), about="How it is said.")
    wider = msgspec.structs.replace(held, fields={**held.fields, "grace": grace})
    suite = msgspec.structs.replace(toy.suite, rubrics={**toy.suite.rubrics, "held": wider})
    own = Toy(toy.connection, toy.loaded._replace(suite=suite))
    own.plan()
    for scenario, values in (
        ("dinner", {"drift": 1}),
        ("radio", {"firmness": 8, "kept": True, "grace": 1}),
        ("dessert", {"firmness": 4, "kept": True, "grace": 3}),
    ):
        said = [Reply(f"{scenario} {turn}", "tool") for turn in range(1 + (scenario == "dinner"))]
        own.grade(("a", scenario, 1), own.answer("a", scenario, 1, *said), Verdict(values))
    (table,) = difficulty.tables(own.read())
    assert by(table, "scenario")["radio"]["average"] == pytest.approx((80 + 25) / 2)
    assert "Not in the index, taken as more is better: grace." in table.notes


# Components of variance


def effects(table: Table) -> dict[Value, tuple[Value, ...]]:
    return {row[1]: row[2:] for row in table.rows if row[0] == "firmness"}


def test_dimensions_that_several_scenarios_carry_have_components(toy: Toy) -> None:
    runs = drawn()
    parts, reliability = variance.tables(toy.read(runs))
    assert {row[0] for row in parts.rows} == {"firmness"}  # one scenario alone carries drift
    assert [row[1] for row in parts.rows] == ["subject", "scenario", "subject x scenario", "run", "residual"]
    shares = [row[4] for row in parts.rows if isinstance(row[4], float)]
    assert sum(shares) == pytest.approx(1)
    assert effects(parts)["subject"][2] == max(shares)
    assert [row[0] for row in reliability.rows] == ["firmness", "Toy Index"]
    assert reliability.rows[0][1:4] == (12, 2, 4)
    assert any("with one judge" in note for note in parts.notes)
    toy.connection.execute("UPDATE subjects SET simulated = 1 WHERE config_dir < 's02'")
    toy.complete("holed", [*runs["s00"][:-1], (None, 5, 5)])
    again = variance.tables(toy.read())[0]
    assert again.rows == parts.rows
    assert "Taken from 12 complete subjects, 2 of them simulated." in again.notes


def test_components_come_from_the_first_runs_of_subjects_that_have_as_many(toy: Toy) -> None:
    runs = drawn(subjects=8)
    expected, _ = variance.tables(toy.read(runs))
    toy.complete("once", [(0, 10, 5)])
    toy.complete("s00", [*runs["s00"], *[(0, 10, 5)] * 3])
    parts, reliability = variance.tables(toy.read())
    assert effects(parts)["residual"] == pytest.approx(effects(expected)["residual"])
    assert reliability.rows[0][1:4] == (8, 2, 4)
    assert "firmness: 8 subjects x 2 scenarios x 4 runs (largest balanced part)." in parts.notes
    assert "Taken from 9 complete subjects." in parts.notes


def test_single_runs_leave_the_interaction_in_the_residual_and_one_subject_nothing(toy: Toy) -> None:
    runs = drawn(runs=1)
    for read in (toy.read(), toy.read({"s00": runs["s00"]})):
        parts, reliability = variance.tables(read)
        assert (parts.rows, reliability.rows) == ((), ())
        assert "firmness: too few to say (largest balanced part)." in parts.notes
    parts, reliability = variance.tables(toy.read(runs))
    firmness, index = reliability.rows
    assert effects(parts).keys().isdisjoint({"subject x scenario", "run"})
    assert effects(parts)["residual"][0] is not None
    assert (firmness[4], firmness[5] is None) == (None, False)
    assert index[4:] == (None,) * 4


def test_a_second_judge_adds_what_judges_add(toy: Toy) -> None:
    """A judge that is stricter with all alike: twice the squared distance between judges, and no judge x anything."""
    runs = drawn()
    one = toy.read(runs, "a")
    other = toy.read({name: [(r - 3, d - 3, drift) for r, d, drift in own] for name, own in runs.items()}, "b")
    own, _, both = variance.tables(one, [other])
    assert effects(both)["judge"][0] == pytest.approx(3**2 / 2)
    for effect in ("judge x subject", "judge x scenario", "judge x subject x scenario", "judge x run", "residual"):
        assert effects(both)[effect][0] == pytest.approx(0, abs=1e-9), effect
    assert effects(both)["subject"][0] == pytest.approx(effects(own)["subject"][0])
    assert effects(both)["reply"][0] == pytest.approx(effects(own)["residual"][0])
    for said in ("a, b", "12 subjects x 2 scenarios x 4 runs x 2 judges"):
        assert any(said in note for note in both.notes), said


def test_judges_are_compared_on_what_both_graded(toy: Toy) -> None:
    runs = drawn(subjects=6, runs=3)
    one = toy.read(runs, "a")
    partly = toy.read({name: [*own[:2], (None, 5, None)] for name, own in list(runs.items())[:4]}, "b")
    first, *_, both = variance.tables(one, [partly])
    assert any("4 subjects x 2 scenarios x 2 runs x 2 judges" in note for note in both.notes)
    assert any("6 subjects x 2 scenarios x 3 runs (" in note for note in first.notes)
    elsewhere = toy.read({"elsewhere": [(5, 5, 5)]}, "c")
    assert variance.tables(one, [elsewhere])[-1].rows == ()
    (table,) = purchase.tables(one, None, [elsewhere])
    assert JUDGE not in by(table, "option")
    assert any("share no two" in note for note in table.notes)


def test_run_noise_is_pooled_over_subjects_by_their_degrees_of_freedom(toy: Toy) -> None:
    toy.complete("a", ((8, 6, 2), (6, 6, 2)))
    toy.complete("b", ((8, 6, 2), (7, 6, 2), (9, 6, 2)))
    toy.complete("once")
    read = toy.read()
    by_subject = variance.run_noise(read)
    assert by_subject.keys() == {"a", "b"}  # a single run says nothing of noise
    found = pooled(by_subject.values())
    own = [read.sheets[config].totals["radio"] for config in "ab"]
    assert found.variance["radio"] == pytest.approx((np.var(own[0], ddof=1) + 2 * np.var(own[1], ddof=1)) / 3)
    assert (found.variance["dessert"], found.df["radio"]) == (pytest.approx(0), 3)


# What more would buy


def typical(estimates: Mapping[str, IndexEstimate]) -> float:
    return float(np.sqrt(np.mean([estimate.se**2 for estimate in estimates.values()])))


def test_runs_and_scenarios_buy_what_the_formula_says(toy: Toy) -> None:
    read = toy.read(drawn())
    (table,) = purchase.tables(read, dict.fromkeys(read.sheets, SubjectSpend(answers=3.0, verdicts=1.0)))
    found = by(table, "option")
    these, like_these = typical(read.these), typical(read.like_these)
    added = like_these**2 - these**2
    expected = {
        NOW: (these, like_these, 4, None), RUN: (these * 0.8**0.5, (added + these**2 * 0.8) ** 0.5, 5, 1),
        RUNS: (these / 2**0.5, (added + these**2 / 2) ** 0.5, 8, 4), SCENARIOS: (None, like_these / 2**0.5, 8, 4),
        ONE_EACH: (None, (added / 4 + these**2) ** 0.5, 4, 0),
    }  # fmt: skip
    keys = ("se_these", "se_like_these", "dollars", "extra")
    assert {option: tuple(row[key] for key in keys) for option, row in found.items()} == {
        option: (own[0] if own[0] is None else pytest.approx(own[0]), pytest.approx(own[1]), *own[2:])
        for option, own in expected.items()
    }
    fell = number(found[NOW]["se_these"]) - number(found[RUNS]["se_these"])
    assert found[RUNS]["gain_these"] == pytest.approx(fell / 4)
    assert found[SCENARIOS]["gain_these"] is None
    assert found[ONE_EACH]["gain_like_these"] is None  # it costs nothing more
    assert all(row["se_any_judge"] is None for row in found.values())
    order = [row[0] for row in table.rows]
    assert order.index(ONE_EACH) < order.index(SCENARIOS) < order.index(RUN) < order.index(RUNS)
    assert any(note.startswith("Scenarios before runs") for note in table.notes)


@pytest.mark.parametrize("spent", [None, {}, {"s00": SubjectSpend(0.0, 0.0)}])
def test_without_costs_there_are_no_dollars_and_without_runs_nothing(toy: Toy, spent) -> None:
    single = purchase.tables(toy.read({name: own[:1] for name, own in drawn().items()}), spent)[0]
    assert single.rows == ()
    assert "no spread" in single.notes[0]
    (table,) = purchase.tables(toy.read(drawn()), spent)
    for row in by(table, "option").values():
        assert (row["dollars"], row["extra"], row["gain_these"], row["gain_like_these"]) == (None,) * 4
    assert spent is None or "No costs are known here." in table.notes


def test_where_many_scenarios_were_run_once_only_scenarios_are_offered(toy: Toy) -> None:
    read = toy.read(drawn(runs=1))
    once = read._replace(single_runs={config: IndexEstimate(70.0, 3.0, 20.0) for config in read.sheets})
    (table,) = purchase.tables(once, dict.fromkeys(read.sheets, SubjectSpend(0.3, 0.1)))
    found = by(table, "option")
    assert list(found) == [NOW, SCENARIOS]
    assert found[SCENARIOS]["se_like_these"] == pytest.approx(3.0 / np.sqrt(2))
    assert found[SCENARIOS]["extra"] == pytest.approx(0.4)


def test_another_judge_halves_what_is_the_judges_own(toy: Toy) -> None:
    rng, runs = np.random.default_rng(5), drawn()
    one = toy.read(runs, "a")
    near = {
        name: [tuple(int(np.clip(score + rng.integers(-1, 2), 0, 10)) for score in run) for run in own]
        for name, own in runs.items()
    }
    other = toy.read(near, "b")
    (table,) = purchase.tables(one, dict.fromkeys(runs, SubjectSpend(answers=3.0, verdicts=1.0)), [other])
    found = by(table, "option")
    assert found[JUDGE]["dollars"] == 5
    for key in ("se_these", "se_like_these", "se_any_judge"):
        assert number(found[JUDGE][key]) < number(found[NOW][key]), key
    assert number(found[NOW]["se_any_judge"]) >= number(found[NOW]["se_like_these"])
    assert found[NOW]["se_these"] == pytest.approx(typical(one.these))


def test_what_a_subject_took_comes_from_the_store(toy: Toy) -> None:
    """Four answers a run at half a dollar, three verdicts at a quarter; another judge's verdicts are not counted."""
    toy.complete("a", ((8, 6, 2), (7, 7, 3)), judge="acme/judge")
    found = toy.read()
    assert purchase.spend(toy.connection, found) == {"a": SubjectSpend(answers=4.0, verdicts=1.5)}
    other = found._replace(judge="somebody else")
    assert purchase.spend(toy.connection, other) == {"a": SubjectSpend(answers=4.0, verdicts=0.0)}


@pytest.mark.published
def test_published_questions_are_as_hard_as_their_publisher_found(published_store: Path) -> None:
    """Part of the subjects, each counted once, so numbers are near, not equal; every question has a row."""
    with closing(sqlite3.connect(published_store)) as opened:
        (table,) = difficulty.tables(study.read(opened, scopes.find(opened, None, None, None)))
    difficulties = {
        "pt04": 42.5, "tool_context": 20.4, "name_gender": 19.6, "rs03": 17.0, "direct": 15.3, "negotiation": 10.2,
        "rs01": 10.0, "rs04": 9.6, "pt02": 5.4, "psych": 4.9, "rs02": 4.7, "pt05": 4.5, "rs05": 4.3, "pt01": 3.2,
        "pt03": 3.0,
    }  # fmt: skip
    found = {scenario: row["difficulty"] for scenario, row in by(table, "scenario").items()}
    assert found == pytest.approx(difficulties, abs=5)
    assert next(iter(found)) == "pt04"
    assert table.notes[2].endswith("character kept.")
