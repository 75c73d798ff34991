from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from independence.report import purchase, study
from independence.report.purchase import SubjectSpend
from independence.report.study import Study
from independence.report.table import Table, Value
from independence.stats.index_uncertainty import IndexEstimate
from independence.store import queries, scopes
from independence.suites.load import LoadedSuite

from . import studies
from .filled import Toy
from .studies import Run

NOW, RUN, RUNS, SCENARIOS, ONE_EACH, JUDGE = (
    "nothing (now)", "1 more run", "twice the runs", "twice the scenarios",
    "as many dialogues, each on a scenario of its own", "1 more judge",
)  # fmt: skip


def by_option(table: Table) -> dict[Value, dict[str, Value]]:
    keys = [column.key for column in table.columns]
    return {row[0]: dict(zip(keys, row, strict=True)) for row in table.rows}


def number(value: Value) -> float:
    assert isinstance(value, float)
    return value


def read(toy_suite: LoadedSuite, spent: Mapping[str, SubjectSpend] | None = None) -> dict[Value, dict[str, Value]]:
    (table,) = purchase.tables(studies.study(toy_suite, studies.drawn()), spent)
    return by_option(table)


def typical(estimates: Mapping[str, IndexEstimate]) -> float:
    return float(np.sqrt(np.mean([estimate.se**2 for estimate in estimates.values()])))


def test_now_is_what_the_board_says(toy_suite: LoadedSuite) -> None:
    found = studies.study(toy_suite, studies.drawn())
    now = by_option(purchase.tables(found)[0])[NOW]
    assert now["se_these"] == pytest.approx(typical(found.these))
    assert now["se_like_these"] == pytest.approx(typical(found.like_these))


def test_runs_and_scenarios_buy_what_the_formula_says(toy_suite: LoadedSuite) -> None:
    found = read(toy_suite)
    these, like_these = (number(found[NOW][key]) for key in ("se_these", "se_like_these"))
    added = like_these**2 - these**2
    assert found[RUN]["se_these"] == pytest.approx(these * np.sqrt(4 / 5))
    assert found[RUN]["se_like_these"] == pytest.approx(np.sqrt(added + these**2 * 4 / 5))
    assert found[RUNS]["se_these"] == pytest.approx(these / np.sqrt(2))
    assert found[SCENARIOS]["se_these"] is None
    assert found[SCENARIOS]["se_like_these"] == pytest.approx(like_these / np.sqrt(2))
    assert found[ONE_EACH]["se_like_these"] == pytest.approx(np.sqrt(added / 4 + these**2))


def test_dollars_go_with_the_dialogues_bought(toy_suite: LoadedSuite) -> None:
    spent = {f"s{number:02}": SubjectSpend(answers=3.0, verdicts=1.0) for number in range(12)}
    found = read(toy_suite, spent)
    dollars = {option: row["dollars"] for option, row in found.items()}
    assert dollars == {NOW: 4, RUN: 5, RUNS: 8, SCENARIOS: 8, ONE_EACH: 4}
    assert [found[option]["extra"] for option in (NOW, RUN, RUNS, ONE_EACH)] == [None, 1, 4, 0]
    fell = number(found[NOW]["se_these"]) - number(found[RUNS]["se_these"])
    assert found[RUNS]["gain_these"] == pytest.approx(fell / 4)
    assert found[SCENARIOS]["gain_these"] is None
    assert found[ONE_EACH]["gain_like_these"] is None  # it costs nothing more


@pytest.mark.parametrize("spent", [{}, {"s00": SubjectSpend(0.0, 0.0)}])
def test_without_costs_there_are_no_dollars(toy_suite: LoadedSuite, spent: dict[str, SubjectSpend]) -> None:
    (table,) = purchase.tables(studies.study(toy_suite, studies.drawn()), spent)
    for row in by_option(table).values():
        assert (row["dollars"], row["extra"], row["gain_these"], row["gain_like_these"]) == (None,) * 4
    assert "No costs are known here." in table.notes


def test_single_runs_predict_nothing(toy_suite: LoadedSuite) -> None:
    (table,) = purchase.tables(studies.study(toy_suite, studies.drawn(runs=1)))
    assert table.rows == ()
    assert "no spread" in table.notes[0]


def test_one_judge_cannot_say_what_another_buys(toy_suite: LoadedSuite) -> None:
    found = read(toy_suite)
    assert JUDGE not in found
    assert all(row["se_any_judge"] is None for row in found.values())


def wavering(runs: dict[str, list[Run]], seed: int) -> dict[str, list[Run]]:
    """The same replies under another judge: near the first, by its own lights."""
    rng = np.random.default_rng(seed)

    def near(score: int | None) -> int:
        return int(np.clip((score or 0) + rng.integers(-1, 2), 0, 10))

    return {
        config: [Run(near(run.radio), near(run.dessert), near(run.drift)) for run in own]
        for config, own in runs.items()
    }


def test_another_judge_halves_what_is_the_judges_own(toy_suite: LoadedSuite) -> None:
    runs = studies.drawn()
    one, other = studies.study(toy_suite, runs, "a"), studies.study(toy_suite, wavering(runs, 5), "b")
    spent = dict.fromkeys(runs, SubjectSpend(answers=3.0, verdicts=1.0))
    (table,) = purchase.tables(one, spent, [other])
    found = by_option(table)
    assert found[JUDGE]["dollars"] == 5
    for key in ("se_these", "se_like_these", "se_any_judge"):
        assert number(found[JUDGE][key]) < number(found[NOW][key]), key
    assert number(found[NOW]["se_any_judge"]) >= number(found[NOW]["se_like_these"])
    assert found[NOW]["se_these"] == pytest.approx(typical(one.these))


def test_judges_without_common_subjects_say_nothing_of_judges(toy_suite: LoadedSuite) -> None:
    one = studies.study(toy_suite, studies.drawn(), "a")
    (table,) = purchase.tables(one, None, [studies.study(toy_suite, {"elsewhere": [Run(5, 5, 5)]}, "b")])
    assert JUDGE not in by_option(table)
    assert any("share no two" in note for note in table.notes)


def test_what_a_subject_took_comes_from_the_store(toy: Toy) -> None:
    """Four answers a run at half a dollar, and verdicts for nothing; another judge's verdicts are not counted."""
    toy.complete("a", ((8, 6, 2), (7, 7, 3)))
    toy.connection.execute("UPDATE verdicts SET cost_usd = 0.25")
    found = toy.read()
    assert purchase.spend(toy.connection, found) == {"a": SubjectSpend(answers=4.0, verdicts=1.5)}
    other = found._replace(judge="somebody else")
    assert purchase.spend(toy.connection, other) == {"a": SubjectSpend(answers=4.0, verdicts=0.0)}


@pytest.fixture(scope="module")
def published(published_store: Path) -> tuple[Study, dict[str, SubjectSpend], dict[str, float]]:
    with closing(sqlite3.connect(published_store)) as opened:
        read = study.read(opened, scopes.find(opened, None, None, None))
        where = read.scope.where
        return read, purchase.spend(opened, read), queries.costs(opened, where)


@pytest.mark.published
def test_published_prices_and_errors_are_as_the_study_found(
    published: tuple[Study, dict[str, SubjectSpend], dict[str, float]],
) -> None:
    read, spent, costs = published
    assert {config: sum(own) for config, own in spent.items()} == pytest.approx(costs)
    found = by_option(purchase.tables(read, spent)[0])
    assert found[NOW]["se_these"] == pytest.approx(1.5, abs=0.2)  # within-subject SE of five runs
    assert found[RUN]["extra"] == pytest.approx(0.046, abs=0.01)  # mean cost of a run, answers and verdicts
    gains = [number(found[option]["gain_like_these"]) for option in (RUN, RUNS, SCENARIOS)]
    assert gains[2] > 3 * max(gains[:2])  # new scenarios buy far more than more runs


def test_scenarios_are_advised_before_runs(toy_suite: LoadedSuite) -> None:
    (table,) = purchase.tables(studies.study(toy_suite, studies.drawn()))
    found = by_option(table)
    order = [row[0] for row in table.rows]
    assert order.index(ONE_EACH) < order.index(SCENARIOS) < order.index(RUN) < order.index(RUNS)
    own, twice = (number(found[option]["se_like_these"]) for option in (ONE_EACH, RUNS))
    advised = any(note.startswith("Scenarios before runs") for note in table.notes)
    assert advised == (own < twice)
    assert advised


def test_where_many_scenarios_were_run_once_only_scenarios_are_offered(toy_suite: LoadedSuite) -> None:
    read = studies.study(toy_suite, studies.drawn(runs=1))
    once = read._replace(single_runs={config: IndexEstimate(70.0, 3.0, 20.0) for config in read.sheets})
    (table,) = purchase.tables(once, dict.fromkeys(read.sheets, SubjectSpend(0.3, 0.1)))
    found = by_option(table)
    assert list(found) == [NOW, SCENARIOS]
    assert found[SCENARIOS]["se_like_these"] == pytest.approx(3.0 / np.sqrt(2))
    assert found[SCENARIOS]["extra"] == pytest.approx(0.4)
