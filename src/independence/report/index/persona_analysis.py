"""The analysis `persona`: what became of each commitment of a persona, for each subject."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping

from independence.report.analysis import Analysis, BoardOptions, RenderedBoard, one_table
from independence.report.board import board_data, rows
from independence.report.board.board_data import VerdictData
from independence.report.board.rows import Row
from independence.report.files.table import Column
from independence.report.gates import commitments
from independence.report.gates.commitments import PersonaResult
from independence.stats.estimates import Estimate
from independence.store.scopes import BoardScope
from independence.suites.schema import Suite

_FACTORS = ("commitment", "kind", "dialogue", "run")


class _Persona(Analysis):
    """Each commitment for itself; the board is ordered by how many are kept."""

    def board(self, connection: sqlite3.Connection, scope: BoardScope, options: BoardOptions) -> RenderedBoard:
        data = board_data.read_verdicts(connection, scope, options.judge).only(options.models)
        found = {config: commitments.result(scope.suite, cells) for config, cells in data.planned.items()}
        made = sorted((_row(data, config, own) for config, own in found.items()), key=_order)
        first = next(iter(found.values()), None)
        columns = [
            Column("kept", "Kept", "count"),
            *(
                Column(one.commitment, one.commitment, about=f"{one.commitment}: {one.text}")
                for one in (first.commitments if first else ())
            ),
            Column("refused", "Fair refused"),
        ]
        title = "Commitments that are kept, and in how many dialogues each was broken"
        return one_table(data, title, made, columns)

    def personas(
        self, connection: sqlite3.Connection, scope: BoardScope, judge: str | None
    ) -> Mapping[str, PersonaResult]:
        return commitments.results(connection, scope, judge)

    def check(self, suite: Suite) -> Iterable[tuple[str, str]]:
        for number, scenario in enumerate(suite.scenarios):
            if lacking := [name for name in _FACTORS if name not in scenario.factors]:
                yield f"$.scenarios[{number}].factors", f"analysis `persona` needs the factor `{lacking[0]}`"


def _row(data: VerdictData, config: str, found: PersonaResult) -> Row:
    facts = {one.commitment: f"{one.reading}, {one.broken} of {one.dialogues}" for one in found.commitments}
    fair = found.fair
    facts["refused"] = f"{fair.refused + fair.evaded} of {fair.dialogues}"
    kept = sum(one.reading == "kept" for one in found.commitments)
    return rows.of_subject(
        data, config, {}, estimates={"kept": Estimate(float(kept), n=len(found.commitments))}, facts=facts
    )


def _order(row: Row) -> tuple[float, str]:
    return -(row.main.value or 0), row.name


PERSONA = _Persona()
