from __future__ import annotations

import sqlite3
from collections.abc import Sequence

import numpy as np
import pytest
from scipy import stats

from independence.report import matrix
from independence.report.table import Table
from independence.stats import comparison
from independence.store import records
from independence.store.records import EditionRow
from independence.suites.load import LoadedSuite

from .filled import Asked, Scores, Toy, complete
from .test_comparison_tables import rows

CELLS = (("plain", "user_role"), ("plain", "tool_role"), ("firm", "user_role"), ("firm", "tool_role"))
# Firmness on the radio in each cell, two runs: firm adds 2, the tool 1, both together 1 more on the even ones.
PLANTED = {
    f"s{number}": tuple((low + extra, low + extra + 1) for extra in (0, 1, 2, 3 + (number % 2 == 0)))
    for number, low in enumerate((1, 2, 4, 5))
}


def scores(radio: Sequence[int]) -> list[Scores]:
    return [(one, 5, 5) for one in radio]


def planted(connection: sqlite3.Connection, loaded: LoadedSuite, *, without: tuple[tuple[str, str], ...] = ()) -> None:
    for config, cells in PLANTED.items():
        for condition, radio in zip(CELLS, cells, strict=True):
            if condition not in without:
                complete(connection, loaded, Asked(config, condition), scores(radio))


def made(connection: sqlite3.Connection, loaded: LoadedSuite) -> list[Table]:
    return matrix.tables(connection, loaded.suite, loaded.edition, "cues")


def index(radio: float) -> float:
    return 100 * (0.75 * (radio + 5) / 2 / 10 + 0.25 * 0.5)


def cell_indices(number: int) -> np.ndarray:
    return np.array([index(float(np.mean(cells[number]))) for cells in PLANTED.values()])


def test_every_declared_cell_has_a_row_in_the_suites_order(toy: Toy) -> None:
    planted(toy.connection, toy.loaded)
    found = rows(made(toy.connection, toy.loaded), "configurations")
    assert [(row["variant"], row["mode"]) for row in found] == list(CELLS)
    assert [row["cell"] for row in found] == ["A", "B", "C", "D"]
    assert [row["index"] for row in found] == [pytest.approx(cell_indices(number).mean()) for number in range(4)]
    assert (found[0]["difference"], found[0]["ci"]) == (None, None)
    apart = cell_indices(3) - cell_indices(0)
    reference = stats.ttest_rel(cell_indices(3), cell_indices(0)).confidence_interval()
    assert found[3]["difference"] == pytest.approx(apart.mean())
    assert found[3]["ci"] == (pytest.approx(reference.low), pytest.approx(reference.high))


def test_a_difference_that_is_the_same_for_everybody_has_no_interval(toy: Toy) -> None:
    planted(toy.connection, toy.loaded)
    found = rows(made(toy.connection, toy.loaded), "configurations")
    assert found[2]["difference"] == pytest.approx(7.5)
    assert found[2]["ci"] is None


def test_an_absent_cell_is_a_row_of_dashes_and_never_a_zero(toy: Toy) -> None:
    planted(toy.connection, toy.loaded, without=(CELLS[1],))
    tables = made(toy.connection, toy.loaded)
    assert [table.id for table in tables] == ["configurations", "configuration-deltas"]
    found = rows(tables, "configurations")
    absent = {key: value for key, value in found[1].items() if key not in ("cell", "variant", "mode")}
    assert set(absent.values()) == {None}
    assert [row["n"] for row in found] == [4, None, 4, 4]
    assert "plain/tool_role" not in rows(tables, "configuration-deltas")[0]


def test_where_the_baseline_is_absent_the_first_cell_with_trials_stands_in_and_says_so(toy: Toy) -> None:
    planted(toy.connection, toy.loaded, without=(CELLS[0],))
    (cells, deltas) = made(toy.connection, toy.loaded)
    found = rows([cells], "configurations")
    assert [row["difference"] for row in found[:2]] == [None, None]
    assert found[3]["difference"] == pytest.approx((cell_indices(3) - cell_indices(1)).mean())
    assert any("plain/tool_role, the first with trials: plain/user_role has none" in note for note in cells.notes)
    assert deltas.columns[1].key == "plain/tool_role"


def test_cells_are_compared_on_the_subjects_complete_in_all_of_them(toy: Toy) -> None:
    planted(toy.connection, toy.loaded)
    for condition in CELLS:
        holed: list[Scores] = [(10, 10, 0), (None if condition == CELLS[2] else 10, 10, 0)]
        toy.complete(Asked("holed", condition), holed)
    toy.complete(Asked("lonely", CELLS[3]), [(0, 0, 10)] * 2)
    tables = made(toy.connection, toy.loaded)
    found = rows(tables, "configurations")
    assert [row["subjects"] for row in found] == [5, 5, 5, 6]
    assert [row["complete"] for row in found] == [5, 5, 4, 6]
    assert [row["n"] for row in found] == [4] * 4
    assert found[3]["index"] == pytest.approx(cell_indices(3).mean())
    assert any("Not compared" in note and "label of holed, label of lonely" in note for note in tables[0].notes)


def test_each_subject_has_its_deltas_over_complete_cells_with_intervals_over_runs(toy: Toy) -> None:
    planted(toy.connection, toy.loaded)
    toy.complete(Asked("holed", CELLS[0]), [(9, 9, 1), (9, 8, 1)])
    toy.complete(Asked("holed", CELLS[3]), [(9, 9, 1), (None, 9, 1)])
    found = rows(made(toy.connection, toy.loaded), "configuration-deltas")
    assert [row["subject"] for row in found] == [f"label of {name}" for name in ("holed", "s3", "s2", "s1", "s0")]
    assert {value for key, value in found[0].items() if key not in ("subject", "plain/user_role")} == {None}
    last = found[-1]
    own = toy.side("s0", condition=CELLS[3]).study.these["s0"]
    base = toy.side("s0", condition=CELLS[0]).study.these["s0"]
    assert last["plain/user_role"] == pytest.approx(base.point)
    assert last["firm/tool_role"] == pytest.approx(own.point - base.point)
    assert last["firm/tool_role_ci"] == comparison.difference(own, base).interval()


def test_a_full_two_by_two_has_main_effects_and_an_interaction(toy: Toy) -> None:
    planted(toy.connection, toy.loaded)
    prompt, delivery, interaction = rows(made(toy.connection, toy.loaded), "configuration-effects")
    a, b, c, d = (cell_indices(number) for number in range(4))
    for row, values in ((prompt, (c + d - a - b) / 2), (delivery, (b + d - a - c) / 2), (interaction, d - c - b + a)):
        reference = stats.ttest_1samp(values, 0).confidence_interval()
        assert (row["n"], row["points"]) == (4, pytest.approx(values.mean()))
        assert row["ci"] == (pytest.approx(reference.low), pytest.approx(reference.high))
    assert interaction["points"] == pytest.approx(3.75 / 2)  # half of the subjects gain one more of ten


def test_one_subject_has_means_and_no_intervals_over_subjects(toy: Toy) -> None:
    for condition, radio in zip(CELLS, PLANTED["s0"], strict=True):
        toy.complete(Asked("s0", condition), scores(radio))
    tables = made(toy.connection, toy.loaded)
    assert {row["ci"] for row in rows(tables, "configurations")} == {None}
    assert {row["ci"] for row in rows(tables, "configuration-effects")} == {None}
    assert rows(tables, "configurations")[3]["difference"] == pytest.approx(15)


def test_nobody_complete_everywhere_leaves_no_means(toy: Toy) -> None:
    toy.complete(Asked("a", CELLS[0]), [(9, 9, 1)] * 2)
    toy.complete(Asked("b", CELLS[1]), [(9, 9, 1)] * 2)
    found = rows(made(toy.connection, toy.loaded), "configurations")
    assert [(row["n"], row["index"], row["difference"]) for row in found[:2]] == [(0, None, None)] * 2


def test_a_prompt_of_ones_own_stands_after_the_declared_ones(toy: Toy) -> None:
    planted(toy.connection, toy.loaded, without=(CELLS[0], CELLS[2]))
    toy.complete(Asked("s0", ("mine-1a2b", "tool_role")), scores((8, 9)))
    records.add_persona(toy.connection, EditionRow("toy", toy.loaded.edition, ""), "mine-1a2b", "You are mine.")
    found = rows(made(toy.connection, toy.loaded), "configurations")
    assert [(row["variant"], row["mode"]) for row in found] == [*CELLS, ("mine-1a2b", "tool_role")]
    assert found[4]["n"] == 1


def test_the_judge_is_one_for_all_cells(toy: Toy) -> None:
    """Most verdicts in all are by `cues`; in the first cell another judge has more."""
    planted(toy.connection, toy.loaded)
    for config in ("extra", *PLANTED):
        toy.complete(Asked(config, CELLS[0]), scores((9, 9)), judge="strict")
    (cells, *_) = matrix.tables(toy.connection, toy.suite, toy.loaded.edition)
    assert "judge cues" in cells.notes[0]
    assert rows([cells], "configurations")[0]["index"] == pytest.approx(cell_indices(0).mean())


def test_one_condition_is_nothing_to_compare(toy: Toy) -> None:
    toy.complete("a", scores((5, 6)))
    assert made(toy.connection, toy.loaded) == []
