"""Dialogues as they were: every message as sent, every reply, every judge's verdict.

`dialogue_table` lists the dialogues of a subject.
"""

from __future__ import annotations

import sqlite3
from typing import Any

import msgspec

from independence.config.subjects import from_json
from independence.errors import StoreError
from independence.exchange.requests import Requests
from independence.exchange.trajectory import Trajectory
from independence.report.board import notes, verdict_frame
from independence.report.files import table_layouts
from independence.report.files.table import Table
from independence.stats import index_uncertainty, strict, subject_points
from independence.store import deliveries, queries, scopes
from independence.store.dialogues import Dialogue
from independence.store.scopes import BoardScope

_TOOL = ("name", "description", "parameter")


def dialogue_table(
    connection: sqlite3.Connection, scope: BoardScope, config: str, judge: str | None, run: int | None
) -> Table:
    """The dialogues of one subject with their scores by one judge, by scenario and run. `run`: that one alone.

    Raises StoreError where there is no such run.
    """
    read = verdict_frame.read(connection, scope, judge)
    own = [cell for cell in read.planned.get(config, ()) if run in (None, cell.run)]
    if not own:
        raise StoreError(f"--run {run}: there is no such run here", "leave out --run to see which there are")
    label, _, simulated = queries.subjects(connection, scope.where)[config]
    own.sort(key=lambda cell: (cell.experiment, cell.scenario, cell.run))
    rows = [
        (
            cell.experiment, cell.scenario, cell.run,
            ", ".join(f"{name} {float(value):g}" for name, value in (cell.given or {}).items()) or None,
            cell.missing, ", ".join(cell.flags) or None,
        )
        for cell in own
    ]  # fmt: skip
    suite = scope.suite
    points = subject_points.subject_points(strict.frame(suite), read.planned[config]) if suite.index else None
    seen = index_uncertainty.these_scenarios([points]) if points and index_uncertainty.repeated(points) else []
    vary = any(one.unstable for one in seen)
    whole = table_layouts.made(
        "runs/dialogues", rows, notes.say({"runs_vary": vary and {"whose": f"{label}:"}}),
        place=f"{scope.where.edition_name}, {scope.condition}", judge=read.judge or "none",
        subject=f"{label} (simulated)" if simulated else label,
    )  # fmt: skip
    return whole.only([at for at in range(len(whole.columns)) if at < 4 or any(row[at] for row in rows)])


class DialogueReader:
    """Adds to stored dialogues of one edition under one condition what else is known of them. It is read once."""

    def __init__(self, connection: sqlite3.Connection, scope: BoardScope) -> None:
        self._connection, self._scope = connection, scope
        self._requests = Requests(connection, scope)
        self._rubrics = scopes.counting_rubrics(connection, scope)
        self._scenarios = {one.id: one for one in scope.suite.scenarios}
        self._configured = queries.configurations(connection, scope.where)

    def read(self, own: Dialogue, judge: str | None = None) -> Trajectory:
        """A dialogue with the requests as they were sent, and the verdicts of one judge (None: of all)."""
        scope, known = self._scope, self._scenarios.get(own.scenario)
        imported = queries.imported(scope.edition) or any(turn.sent is not None for turn in own.turns)
        offered = scope.suite.delivery.tool_role if own.mode == "tool_role" and not imported else None
        fields = scope.suite.rubrics[known.rubric].fields if known else {}
        rubrics = self._rubrics.get(own.scenario, scopes.OF_PUBLISHERS)
        turns = tuple(
            msgspec.structs.replace(turn, messages=msgspec.Raw(request))
            for turn, request in zip(own.turns, self._requests.of(own), strict=True)
        )
        verdicts = tuple(
            msgspec.structs.replace(verdict, current=own.counts(verdict, rubrics))
            for verdict in own.verdicts
            if judge in (None, verdict.judge)
        )
        added: dict[str, Any] = {
            "turns": turns, "verdicts": verdicts, "imported": imported,
            "tool": {name: str(getattr(offered, name)) for name in _TOOL} if offered else {},
            "scales": {name: field.range for name, field in fields.items() if field.range},
            "delivery": "" if imported or not turns else self._delivery(own.config, turns[0].reply.answered_at),
        }  # fmt: skip
        if known:
            added |= {name: getattr(known, name) for name in ("side", "cell", "factors")}
            added |= {"title": known.title if scope.worded else "", "continues": known.follows or ""}
        return Trajectory(**{name: getattr(own, name) for name in own.__struct_fields__} | added)

    def _delivery(self, config: str, until: str) -> str:
        """What the last delivery probe before an answer found of its model."""
        known = self._configured.get(config)
        return (
            deliveries.of_subject(self._connection, from_json(known), self._scope.condition.mode, until)
            if known
            else ""
        )
