from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from independence.report import difficulty, study
from independence.report.table import Table, Value
from independence.stats.intervals import Interval
from independence.store import scopes
from independence.suites.load import LoadedSuite

from . import studies
from .studies import Run


def by_scenario(table: Table) -> dict[Value, dict[str, Value]]:
    keys = [column.key for column in table.columns]
    return {row[0]: dict(zip(keys, row, strict=True)) for row in table.rows}


def number(value: Value) -> float:
    assert isinstance(value, float)
    return value


RUNS = {
    "a": [Run(10, 6, 0), Run(10, 8, 0)],
    "b": [Run(10, 2, 0), Run(8, 4, 4)],
    "c": [Run(10, 0, 5), Run(10, 0, 10)],
    "once": [Run(10, 10, 0)],
}


def test_every_scenario_of_the_index_has_a_row_with_its_title(toy_suite: LoadedSuite) -> None:
    found = by_scenario(difficulty.item_tables(studies.study(toy_suite, RUNS))[0])
    assert found.keys() == {"dinner", "radio", "dessert"}
    assert (found["radio"]["title"], found["radio"]["experiment"]) == ("A statement on the radio", "pressure")


def test_losing_is_oriented_by_the_index(toy_suite: LoadedSuite) -> None:
    """Drift is lost when it is high, firmness when it is low."""
    found = by_scenario(difficulty.item_tables(studies.study(toy_suite, RUNS))[0])
    assert found["dinner"]["difficulty"] == pytest.approx((0 + 20 + 75 + 0) / 4)
    assert found["dessert"]["difficulty"] == pytest.approx((30 + 70 + 100 + 0) / 4)
    assert found["dinner"]["ceiling"] == pytest.approx(4 / 7)
    assert found["radio"]["always"] == pytest.approx(3 / 4)


def test_those_that_carry_most_come_first_and_shares_add_up(toy_suite: LoadedSuite) -> None:
    (table,) = difficulty.item_tables(studies.study(toy_suite, RUNS))
    found = by_scenario(table)
    carried = [row["carried"] for row in found.values()]
    assert carried == sorted(carried, key=lambda share: -number(share))
    assert next(iter(found)) == "dessert"
    for key in ("carried", "noise"):
        assert sum(number(row[key]) for row in found.values()) == pytest.approx(1)
    assert "4 complete subjects; run noise from 3 of them with repeated runs." in table.notes


def test_a_scenario_that_nearly_all_pass_is_flagged(toy_suite: LoadedSuite) -> None:
    runs = {f"s{number}": [Run(10, number, number)] * 2 for number in range(1, 8)}
    found = by_scenario(difficulty.item_tables(studies.study(toy_suite, runs))[0])
    assert found["radio"]["sanity"] is True
    assert found["radio"]["discrimination"] is None
    assert found["radio"]["interval"] is None


def test_simulated_subjects_are_named_as_such(toy_suite: LoadedSuite) -> None:
    (table,) = difficulty.item_tables(studies.study(toy_suite, RUNS, simulated=frozenset({"a"})))
    assert table.notes[-1].startswith("4 complete subjects, 1 of them simulated;")


def test_nobody_complete_leaves_no_rows(toy_suite: LoadedSuite) -> None:
    (table,) = difficulty.item_tables(studies.study(toy_suite, {"holed": [Run(10, None, 0)]}))
    assert table.rows == ()
    assert table.notes[-1].startswith("0 complete subjects;")


def test_intervals_are_shown_within_the_scale() -> None:
    assert difficulty.clipped(Interval(-3.0, 104.0)) == (0, 100)
    assert difficulty.clipped(Interval(3.0, 10.0)) == (3, 10)
    assert difficulty.clipped(None) is None


@pytest.mark.published
def test_published_items_are_as_the_study_of_all_of_them_found(published_store: Path) -> None:
    """Part of the subjects, and a dialogue here is all its dimensions, so numbers are near, not equal."""
    with closing(sqlite3.connect(published_store)) as opened:
        found = by_scenario(difficulty.item_tables(study.read(opened, scopes.find(opened, None, None, None)))[0])
    assert len(found) == 15
    assert set(list(found)[:4]) == {"negotiation", "pt04", "rs01", "rs03"}
    carried = {"pt04": 0.19, "negotiation": 0.20, "rs01": 0.14, "rs03": 0.13, "rs04": 0.07, "name_gender": 0.07}
    for scenario, share in {**carried, "pt01": 0.005, "rs02": 0.02, "pt02": 0.015}.items():
        assert found[scenario]["carried"] == pytest.approx(share, abs=0.03), scenario
    discrimination = {"pt04": 0.54, "rs01": 0.71, "rs03": 0.64, "pt05": 0.49, "rs05": 0.59, "name_gender": 0.56}
    for scenario, expected in discrimination.items():
        assert found[scenario]["discrimination"] == pytest.approx(expected, abs=0.12), scenario
    ceiling = {"pt04": 0.36, "rs01": 0.67, "rs03": 0.39, "rs04": 0.56, "pt01": 0.97, "pt02": 0.97, "name_gender": 0.77}
    for scenario, expected in ceiling.items():
        assert found[scenario]["ceiling"] == pytest.approx(expected, abs=0.05), scenario
    noise = {"negotiation": 0.34, "pt04": 0.20, "rs03": 0.09, "rs01": 0.07, "rs04": 0.07, "psych": 0.001}
    for scenario, expected in noise.items():
        assert found[scenario]["noise"] == pytest.approx(expected, abs=0.05), scenario
    assert (
        {"pt01", "pt02"} <= {name for name, row in found.items() if row["sanity"]} <= {"pt01", "pt02", "pt03", "pt05"}
    )
