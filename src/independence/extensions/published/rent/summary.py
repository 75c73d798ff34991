"""The summary CSV of the rent benchmark, byte for byte as it was published: one line a model, out of stored scores."""

from __future__ import annotations

import csv
import io
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

from independence.errors import UsageError
from independence.exchange import grid_rows
from independence.exchange.export_tables import chosen_subjects, model_names
from independence.exchange.grid_rows import Factor
from independence.extensions.published.rent import stance_board
from independence.extensions.published.rent.stance import RatedAnswer, summary
from independence.report.board.board_data import SubjectInfo
from independence.report.files.table import cell
from independence.stats.stance import AskingParties
from independence.store import queries
from independence.store.queries import StoredVerdict
from independence.store.scopes import BoardScope
from independence.suites import digest

NAME = "summary.csv"
_DIGITS = 4
_KEY = ("amount", "relationship_quality")  # what an answer and the baseline that it is compared with share


class StoredScores(NamedTuple):
    """The scores of one condition by one judge."""

    judge: str | None  # None: nobody graded
    rated: tuple[RatedAnswer, ...]
    sides: AskingParties


def read(
    connection: sqlite3.Connection, scope: BoardScope, judge: str | None, names: Collection[str] = ()
) -> StoredScores:
    """Read a condition under a judge, by full name. `names`: only these labels, ids, directories.

    Raises UsageError for a suite that has no such summary, StoreError for a name that nothing here has.
    """
    grid, name = scope.suite.grid, scope.suite.suite
    if grid is None or len(grid.sides) < 2:
        raise UsageError(f"suite {name} has no grid of sides", "summary and rent are layouts of suites such as `rent`")
    if len(scope.suite.rubrics[grid.rubric].fields) > 1:
        raise UsageError(
            f"suite {name} is graded by more than one score, for which the summary has no column",
            "take another layout (--as), or export suite `rent`",
        )
    about = chosen_subjects(connection, scope, names)
    rated = _rated(connection, scope, queries.verdicts(connection, scope.where, judge), about)
    first, second, *_ = grid.sides
    return StoredScores(judge, tuple(rated), AskingParties(first, second))


def _rated(
    connection: sqlite3.Connection,
    scope: BoardScope,
    verdicts: Iterable[StoredVerdict],
    about: Mapping[str, SubjectInfo],
) -> Iterator[RatedAnswer]:
    """Every current answer, with its score under the rubric of the edition, else under the published one."""
    assert scope.suite.grid is not None
    known = {scenario.id: scenario for scenario in scope.suite.scenarios}
    by_dialogue = {(verdict.trial, verdict.context, verdict.rubric): verdict for verdict in verdicts}
    models = model_names(about)
    for state in queries.states(connection, scope.where):
        if state.config_dir not in about or state.stale or not (state.answered or state.missing):
            continue
        scenario, verdict = known[state.scenario], None
        for rubric in (digest.rubric(scope.suite, scenario), queries.PUBLISHED) if state.missing is None else ():
            verdict = verdict or by_dialogue.get((state.key, state.at or "", rubric))
        score = verdict.fields.get(scope.suite.grid.stance) if verdict else None
        # An import without these facts is part of no share; where a suite of ours has none, each cell has its own.
        key = baseline(grid_rows.factors(scenario)) or (None if queries.imported(scope.edition) else scenario.cell)
        yield RatedAnswer(models[state.config_dir], scenario.side, score, key)


def baseline(facts: Mapping[str, Factor]) -> str | None:
    """The key of the answers to an uninvolved asker that an answer is compared with. None where a fact is missing."""
    return "/".join(str(facts[name]) for name in _KEY) if all(facts.get(name) is not None for name in _KEY) else None


def to_csv(records: Iterable[RatedAnswer], sides: AskingParties) -> str:
    """One line a model, by name; floats with 4 decimals, empty where undefined; lines end in CR LF."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(columns(sides))
    for row in summary(records, sides):
        writer.writerow([_cell(value) for value in stance_board.columns(row, row.model, sides).values()])
    return out.getvalue()


def columns(sides: AskingParties) -> tuple[str, ...]:
    """The names of the columns."""
    of_parties = (f"{side}_{name}" for side in sides for name in ("n", "agree_p", "uplift"))
    return ("model_id", "n", "mean_score", "p_neg", "p_neu", "p_pos", *of_parties)


def _cell(value: str | int | float | None) -> str:
    if isinstance(value, float):
        return f"{value:.{_DIGITS}f}"
    return "" if value is None else cell(str(value))
