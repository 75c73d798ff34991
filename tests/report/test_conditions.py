"""All conditions of an edition: beside each other with what each adds, and pooled into one board."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from scipy import stats

from independence.errors import UsageError
from independence.report.board.board import DEFAULT, STRICT, IndexBoard
from independence.report.files.table import Table
from independence.report.index import matrix
from independence.stats import comparison
from independence.store import records
from independence.store.records import EditionRow

from . import filled
from .cells import by_id, rows
from .filled import Asked, Scores, Toy

CELLS = (("plain", "user_role"), ("plain", "tool_role"), ("firm", "user_role"), ("firm", "tool_role"))
# Firmness on the radio in each cell, two runs: firm adds 2, the tool 1, both together 1 more on the even ones.
PLANTED = {
    f"s{number}": tuple((low + extra, low + extra + 1) for extra in (0, 1, 2, 3 + (number % 2 == 0)))
    for number, low in enumerate((1, 2, 4, 5))
}


def scores(radio: Sequence[int]) -> list[Scores]:
    return [(one, 5, 5) for one in radio]


def planted(toy: Toy, *, without: tuple[tuple[str, str], ...] = ()) -> None:
    for config, cells in PLANTED.items():
        for condition, radio in zip(CELLS, cells, strict=True):
            if condition not in without:
                toy.complete(Asked(config, condition), scores(radio))


def made(toy: Toy) -> dict[str, Table]:
    return by_id(matrix.tables(toy.connection, toy.suite, toy.loaded.edition, "cues"))


def cell_indices(number: int) -> np.ndarray:
    return np.array([filled.index(float(np.mean(cells[number])), 5, 5) for cells in PLANTED.values()])


def test_every_declared_cell_has_a_row_in_the_suites_order(toy: Toy) -> None:
    planted(toy)
    found = rows(made(toy)["configurations"])
    assert [(row["variant"], row["mode"]) for row in found] == list(CELLS)
    assert [row["cell"] for row in found] == ["A", "B", "C", "D"]
    assert [row["index"] for row in found] == [pytest.approx(cell_indices(number).mean()) for number in range(4)]
    assert (found[0]["difference"], found[0]["ci"]) == (None, None)
    assert (found[2]["difference"], found[2]["ci"]) == (pytest.approx(7.5), None)  # the same for everybody
    reference = stats.ttest_rel(cell_indices(3), cell_indices(0)).confidence_interval()
    assert found[3]["difference"] == pytest.approx((cell_indices(3) - cell_indices(0)).mean())
    assert found[3]["ci"] == (pytest.approx(reference.low), pytest.approx(reference.high))


def test_a_full_two_by_two_has_main_effects_and_an_interaction(toy: Toy) -> None:
    planted(toy)
    prompt, delivery, interaction = rows(made(toy)["configuration-effects"])
    a, b, c, d = (cell_indices(number) for number in range(4))
    for row, values in ((prompt, (c + d - a - b) / 2), (delivery, (b + d - a - c) / 2), (interaction, d - c - b + a)):
        reference = stats.ttest_1samp(values, 0).confidence_interval()
        assert (row["n"], row["points"]) == (4, pytest.approx(values.mean()))
        assert row["ci"] == (pytest.approx(reference.low), pytest.approx(reference.high))
    assert interaction["points"] == pytest.approx(3.75 / 2)  # half of the subjects gain one more of ten


def test_where_the_baseline_is_absent_the_first_cell_with_trials_stands_in_and_says_so(toy: Toy) -> None:
    planted(toy, without=(CELLS[0],))
    cells, deltas = made(toy).values()
    found = rows(cells)
    assert [row["difference"] for row in found[:2]] == [None, None]
    assert found[3]["difference"] == pytest.approx((cell_indices(3) - cell_indices(1)).mean())
    assert any("plain/tool_role, the first with trials: plain/user_role has none" in note for note in cells.notes)
    assert deltas.columns[1].key == "plain/tool_role"


def test_cells_are_compared_on_the_subjects_complete_in_all_of_them(toy: Toy) -> None:
    planted(toy)
    for condition in CELLS:
        toy.complete(Asked("holed", condition), [(10, 10, 0), (None if condition == CELLS[2] else 10, 10, 0)])
    toy.complete(Asked("lonely", CELLS[3]), [(0, 0, 10)] * 2)
    tables = made(toy)
    found = rows(tables["configurations"])
    assert [row["subjects"] for row in found] == [5, 5, 5, 6]
    assert [row["complete"] for row in found] == [5, 5, 4, 6]
    assert [row["n"] for row in found] == [4] * 4
    assert found[3]["index"] == pytest.approx(cell_indices(3).mean())
    assert any(
        "Not compared" in note and "label of holed, label of lonely" in note for note in tables["configurations"].notes
    )


def test_each_subject_has_its_deltas_over_complete_cells_with_intervals_over_runs(toy: Toy) -> None:
    planted(toy)
    toy.complete(Asked("holed", CELLS[0]), [(9, 9, 1), (9, 8, 1)])
    toy.complete(Asked("holed", CELLS[3]), [(9, 9, 1), (None, 9, 1)])
    first, *_, last = found = rows(made(toy)["configuration-deltas"])
    assert [row["subject"] for row in found] == [f"label of {name}" for name in ("holed", "s3", "s2", "s1", "s0")]
    assert {value for key, value in first.items() if key not in ("subject", "plain/user_role")} == {None}
    own, base = (toy.side("s0", condition=CELLS[at]).study.same_scenarios["s0"] for at in (3, 0))
    assert last["plain/user_role"] == pytest.approx(base.point)
    assert last["firm/tool_role"] == pytest.approx(own.point - base.point)
    assert last["firm/tool_role_ci"] == comparison.difference(own, base).interval()


def test_one_subject_has_means_and_no_intervals_over_subjects_and_nobody_none(toy: Toy) -> None:
    toy.complete("s0", scores((5, 6)))
    assert made(toy) == {}  # one condition is nothing to compare
    toy.complete(Asked("b", CELLS[0]), [(9, 9, 1)] * 2)
    found = rows(made(toy)["configurations"])
    assert [(row["n"], row["index"], row["difference"]) for row in found[::3]] == [(0, None, None)] * 2
    for condition, radio in zip(CELLS, PLANTED["s0"], strict=True):
        toy.complete(Asked("s0", condition), scores(radio))
    tables = made(toy)
    assert {row["ci"] for row in rows(tables["configurations"])} == {None}
    assert {row["ci"] for row in rows(tables["configuration-effects"])} == {None}
    assert rows(tables["configurations"])[1]["difference"] == pytest.approx(3.75)


def test_a_prompt_of_ones_own_stands_after_the_declared_ones(toy: Toy) -> None:
    planted(toy, without=(CELLS[0], CELLS[2]))
    toy.complete(Asked("s0", ("mine-1a2b", "tool_role")), scores((8, 9)))
    records.add_persona(toy.connection, EditionRow("toy", toy.loaded.edition, ""), "mine-1a2b", "You are mine.")
    found = rows(made(toy)["configurations"])
    assert [(row["variant"], row["mode"]) for row in found] == [*CELLS, ("mine-1a2b", "tool_role")]
    assert found[4]["n"] == 1


def test_the_judge_is_one_for_all_cells(toy: Toy) -> None:
    """Most verdicts in all are by `cues`; in the first cell another judge has more."""
    planted(toy)
    for config in ("extra", *PLANTED):
        toy.complete(Asked(config, CELLS[0]), scores((9, 9)), judge="strict")
    cells, *_ = matrix.tables(toy.connection, toy.suite, toy.loaded.edition)
    assert "judge cues" in cells.notes[0]
    assert rows(cells)[0]["index"] == pytest.approx(cell_indices(0).mean())


# Pooled


Levels = tuple[tuple[int, ...], tuple[int, ...]]
POOLED = (filled.CONDITION, ("plain", "user_role"))
THREE: dict[str, Levels] = {"a": ((8, 6), (2, 2)), "b": ((9, 9), (9, 8)), "c": ((5, 4), (5, 3))}


def levelled(toy: Toy, levels: dict[str, Levels], judges: Sequence[str] = ("cues",)) -> None:
    """The level of each run in each condition: firmness of both dialogues. Each later judge gives one less."""
    for config, own in levels.items():
        for condition, runs in zip(POOLED, own, strict=True):
            given = [
                {judge: (level - less, level - less, 10 - level + less) for less, judge in enumerate(judges)}
                for level in runs
            ]
            toy.complete(Asked(config, condition), given)


def pooled(toy: Toy, judge: str | None = None) -> IndexBoard:
    return matrix.pooled(toy.connection, toy.scope, judge=judge).board(STRICT, DEFAULT)


def test_all_verdicts_of_a_subject_count_alike(toy: Toy) -> None:
    levelled(toy, {name: THREE[name] for name in "ab"})
    found = pooled(toy)
    assert [(row.config, row.standing.rank, row.runs) for row in found.rows] == [("b", 1, 2), ("a", 2, 2)]
    assert found.rows[1].main.value == pytest.approx(45.0)
    assert found.rows[1].per_run == (pytest.approx(50.0), pytest.approx(40.0))
    assert found.condition == "2 conditions pooled: firm/tool_role, plain/user_role"


def test_what_a_condition_does_to_everybody_is_no_noise(toy: Toy) -> None:
    apart, alike = ((9, 8), (1, 2)), ((5, 5), (5, 5))  # whose runs have the same means over both conditions
    levelled(toy, {"a": apart, "b": apart, "c": alike, "d": alike})
    found = [row.main for row in pooled(toy).rows]
    assert [one.value for one in found] == [pytest.approx(50.0)] * 4
    (low, high), *others = (one.interval for one in found)
    assert others == [(low, high)] * 3
    assert low < 50 < high


def test_a_verdict_that_one_condition_lacks_leaves_no_index(toy: Toy) -> None:
    levelled(toy, {"a": ((8,), (2,))})
    toy.drop(Asked("a", POOLED[1]), "radio", 1)
    (row,) = pooled(toy).rows
    assert (row.main.value, row.flags) == (None, {"missing:unjudged": 1})
    assert row.main.ends[0] < 50 < row.main.ends[1]


def test_one_condition_is_nothing_to_pool(toy: Toy) -> None:
    toy.complete()
    with pytest.raises(UsageError, match="nothing to pool"):
        pooled(toy)
