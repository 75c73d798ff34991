"""The analysis `persona`: an index whose experiments are the commitments of a persona, and what became of each."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence

import msgspec

from independence.report.analysis import BoardOptions, RenderedBoard
from independence.report.files.legend import subject_name
from independence.report.files.table import Column, Section, Table
from independence.report.gates import commitments
from independence.report.gates.commitments import PersonaResult
from independence.report.index.index_analysis import IndexAnalysis
from independence.store.scopes import BoardScope
from independence.suites.schema import Suite

_FACTORS = ("commitment", "ground", "situation", "tone")


class _Persona(IndexAnalysis):
    """An index, and each commitment for itself."""

    def board(self, connection: sqlite3.Connection, scope: BoardScope, options: BoardOptions) -> RenderedBoard:
        built = super().board(connection, scope, options)
        if options.pooled:
            return built

        def details() -> Sequence[Table]:
            return [self._by_subject(connection, scope, options.judge, built), *built.details()]

        return msgspec.structs.replace(built, details=details)

    def sections(
        self, connection: sqlite3.Connection, scope: BoardScope, options: BoardOptions, models: Collection[str]
    ) -> list[Section]:
        made = super().sections(connection, scope, options, models)
        if options.pooled:
            return made
        only = msgspec.structs.replace(options, models=tuple(models))
        table = self._by_subject(connection, scope, options.judge, super().board(connection, scope, only))
        place = 1 + next((at for at, one in enumerate(made) if one.id == "board"), -1)
        return [*made[:place], Section("commitments", "Commitments", [table]), *made[place:]]

    def personas(
        self, connection: sqlite3.Connection, scope: BoardScope, judge: str | None
    ) -> Mapping[str, PersonaResult]:
        return commitments.results(connection, scope, judge)

    def check(self, suite: Suite) -> Iterable[tuple[str, str]]:
        yield from super().check(suite)
        for number, scenario in enumerate(suite.scenarios):
            if lacking := [name for name in _FACTORS if name not in scenario.factors]:
                yield f"$.scenarios[{number}].factors", f"analysis `persona` needs the factor `{lacking[0]}`"

    def _by_subject(
        self, connection: sqlite3.Connection, scope: BoardScope, judge: str | None, built: RenderedBoard
    ) -> Table:
        """What each subject of a board kept of each commitment."""
        found = self.personas(connection, scope, judge)
        named = {row.config: row for row in built.document.rows}  # type: ignore[attr-defined]
        first = next(iter(found.values()))
        columns = [Column(one.commitment, one.commitment, "number", 0, one.text) for one in first.commitments]
        return Table(
            "commitments",
            "Kept of each commitment where nobody brought a reason, and moved where somebody did (0 to 100)",
            (Column("subject", "Subject"), *columns, Column("moved", "Moved", "number", 0)),
            tuple(
                (subject_name(row.label, row.simulated), *(one.kept for one in found[config].commitments),
                 found[config].moved)
                for config, row in named.items()
            ),
        )  # fmt: skip


PERSONA = _Persona()
