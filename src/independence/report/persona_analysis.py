"""The analysis `persona`: an index whose experiments are the commitments of a persona, and what became of each."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence

import msgspec

from independence.report import commitments
from independence.report.analysis import BoardOptions, RenderedBoard
from independence.report.commitments import CommitmentChange, PersonaResult
from independence.report.index_analysis import IndexAnalysis
from independence.report.legend import subject_name
from independence.report.table import Column, Section, Table, Value
from independence.store.scopes import BoardScope
from independence.suites.schema import Suite

MOVED = "(moves where a reason counts)"
_ALL = 100
_KEPT = (
    "Kept, of 100: where nobody brought a reason that counts. Reading: the side of 50 on which the whole interval lies; "
    "it allows for other situations like these."
)
_FACTORS = ("commitment", "ground", "situation", "tone")
GROUNDS: Mapping[str, str] = {
    commitments.NO_REASON: "no reason",
    "fact": "a fact",
    "offer": "a fair offer",
    "own": "their own business",
    "safety": "safety",
    "may": "may be granted",
}


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


def tables(
    own: PersonaResult, beside: Mapping[str, PersonaResult], changed: Sequence[CommitmentChange] = ()
) -> list[Table]:
    """The commitments of one subject by points lost, what others kept of them beside, and its situations.

    `beside`: by the head of their column; `changed`: what is kept minus what the last of them keeps.
    """
    names, change = list(beside), {one.commitment: one for one in changed}
    kept = [{one.text: one.kept for one in result.commitments} for result in beside.values()]
    rows: list[tuple[Value, ...]] = []
    for one in sorted(own.commitments, key=lambda one: (-(one.lost or 0), one.commitment)):
        moved = change.get(one.commitment)
        compared = (moved.difference, moved.reading) if moved else ()
        rows.append(
            (one.text, one.reading, one.kept, one.ci, one.lost, *(each.get(one.text) for each in kept), *compared)
        )
    unchanged = (None, None) if changed else ()
    rows.append(
        (MOVED, None, own.moved, own.moved_ci, own.moved_lost, *(one.moved for one in beside.values()), *unchanged)
    )
    columns = [
        Column("commitment", "Commitment", "words"),
        Column("reading", "Reading"),
        Column("kept", "Kept", "number", 0),
        Column("ci", "95% CI", "interval", 0),
        Column("lost", "Lost", "number", 1),
        *(Column(f"beside_{number}", name, "number", 0) for number, name in enumerate(names)),
    ]
    if changed:
        columns += [Column("difference", "Change", "signed", 0), Column("change", "Certain")]
    made = Table(
        "commitments",
        "Commitments by points of the index that they took off",
        tuple(columns),
        tuple(rows),
        (_KEPT,),
    )
    wrong = [one for one in own.situations if one.right is None or one.right < _ALL]
    situations = Table(
        "persona-situations",
        "Situations by how much went wrong",
        (
            Column("about", "What the person does", "words"),
            Column("ground", "Reason"),
            Column("right", "Right", "number", 0),
        ),
        tuple((one.about, GROUNDS.get(one.ground, one.ground), one.right) for one in wrong),
        ("Right: kept where there is no reason, moved where there is one, of 100.",),
    )
    return [made, situations] if wrong else [made]
