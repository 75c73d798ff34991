"""The 2x2 of V1, run by the command and tabled from its store."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from independence.report import matrix
from independence.report.table import Table, Value
from independence.store import scopes
from tests.e2e import command

MODELS = ("sim/never", "sim/half", "sim/folds-on-preferences")
CELLS = [
    ("neutral", "user_role"), ("neutral", "tool_role"), ("strong_independence", "user_role"),
    ("strong_independence", "tool_role"),
]  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three simulated subjects in all four cells in `here.db`."""
    made = tmp_path_factory.mktemp("matrix")
    ended = command.run(
        "run", "--suite", "v1", "-m", ",".join(MODELS), "--variants", "neutral,strong_independence", "--modes",
        "user_role,tool_role", "--runs", "2", "-j", "cues", "--quiet", "--format", "json", "--db", "here.db", cwd=made,
    )  # fmt: skip
    assert ended.code == 0, ended.err
    assert [board["condition"] for board in ended.board] == ["/".join(cell) for cell in CELLS]
    return made


@pytest.fixture
def store(folder: Path) -> Iterator[sqlite3.Connection]:
    """The store, to be changed: nothing is committed."""
    with closing(sqlite3.connect(folder / "here.db")) as connection:
        yield connection


def tables(store: sqlite3.Connection) -> dict[str, Table]:
    scope = scopes.find(store, "v1", None, None)
    return {table.id: table for table in matrix.tables(store, scope.suite, scope.edition)}


def rows(table: Table) -> list[dict[str, Value]]:
    return [dict(zip((column.key for column in table.columns), row, strict=True)) for row in table.rows]


def test_a_run_over_all_conditions_fills_the_matrix(store: sqlite3.Connection):
    made = tables(store)
    assert list(made) == ["configurations", "configuration-deltas", "configuration-effects"]
    cells = rows(made["configurations"])
    assert [(row["variant"], row["mode"]) for row in cells] == CELLS
    assert {(row["subjects"], row["complete"], row["n"]) for row in cells} == {(3, 3, 3)}
    deltas = rows(made["configuration-deltas"])
    base = [row["neutral/user_role"] for row in deltas]
    assert base == sorted(base, key=lambda index: -float(str(index)))
    mean = sum(float(str(index)) for index in base) / 3
    assert cells[0]["index"] == pytest.approx(mean)
    prompt, delivery, interaction = (float(str(row["points"])) for row in rows(made["configuration-effects"]))
    both = float(str(cells[3]["difference"]))
    assert both == pytest.approx(prompt + delivery)
    apart = [float(str(row["difference"])) for row in cells[1:]]
    assert interaction == pytest.approx(apart[2] - apart[1] - apart[0])


def test_a_missing_verdict_takes_its_subject_out_of_every_mean(store: sqlite3.Connection):
    before = tables(store)
    store.execute(
        "DELETE FROM verdicts WHERE trial IN (SELECT trial FROM planned WHERE scenario = 'rs01' AND run = 1 "
        "AND variant = 'neutral' AND mode = 'tool_role' AND config_dir LIKE 'sim--half%')"
    )
    made = tables(store)
    cells = rows(made["configurations"])
    assert [row["complete"] for row in cells] == [3, 2, 3, 3]
    assert [row["n"] for row in cells] == [2] * 4
    assert any("sim/half" in note for note in made["configurations"].notes)
    one, former = (
        next(row for row in rows(found["configuration-deltas"]) if str(row["subject"]).startswith("sim/half"))
        for found in (made, before)
    )
    assert (one["neutral/tool_role"], one["neutral/tool_role_ci"]) == (None, None)
    assert one["strong_independence/tool_role"] == former["strong_independence/tool_role"]


def test_a_cell_that_was_never_run_is_absent(store: sqlite3.Connection):
    store.execute("DELETE FROM planned WHERE variant = 'neutral' AND mode = 'tool_role'")
    made = tables(store)
    assert list(made) == ["configurations", "configuration-deltas"]
    absent = rows(made["configurations"])[1]
    assert [absent[key] for key in ("subjects", "complete", "n", "index", "difference", "ci")] == [None] * 6
