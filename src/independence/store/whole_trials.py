"""Everything that a store holds of a dialogue, as the rows that were written: to be written into another store.

An answer that was replaced is not among them; what it cost is, as a call that came to nothing.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import msgspec

from independence.store.artefacts import ArtefactRow
from independence.store.queries import UNDER, first, truth
from independence.store.records import CallRow, FailureRow, SubjectRow, TrialRow, VerdictRow
from independence.store.routes import RouteRow, VerdictRoute
from independence.types import Answer, Attempt, Grade, Missing, Reply, ToolCall, Usage, Verdict, Where

_ATTEMPTS = msgspec.json.Decoder(tuple[Attempt, ...])
_FLAGS = msgspec.json.Decoder(tuple[str, ...])
_CALLS = msgspec.json.Decoder(tuple[ToolCall, ...])
_REPLACED = "replaced"
Row = Mapping[str, Any]


class WholeTrial(NamedTuple):
    """One planned dialogue with all that is stored of it."""

    trial: TrialRow
    calls: tuple[CallRow, ...]
    verdicts: tuple[VerdictRow, ...]
    routes: tuple[RouteRow, ...]
    steps: tuple[ArtefactRow, ...]
    failures: tuple[FailureRow, ...]


def subjects(connection: sqlite3.Connection, where: Where) -> list[SubjectRow]:
    """The subjects of an edition, by directory."""
    columns = ", ".join(SubjectRow.__struct_fields__)
    sql = f"SELECT {columns} FROM subjects WHERE suite = ? AND edition = ? ORDER BY config_dir"
    found = _rows(connection, sql, where[:2])
    return [SubjectRow(**{**row, "simulated": bool(row["simulated"])}) for row in found]


def is_planned(connection: sqlite3.Connection, where: Where, config_dir: str) -> bool:
    """Whether a subject has a planned dialogue under a condition."""
    sql = f"SELECT 1 FROM planned WHERE {UNDER} AND config_dir = ? LIMIT 1"
    return first(connection, sql, (*where.columns, config_dir)) is not None


def of_subject(connection: sqlite3.Connection, where: Where, config_dir: str) -> Iterator[WholeTrial]:
    """Every planned dialogue of a subject under a condition, by run and scenario."""
    sql = (
        "SELECT t.key, p.suite, p.edition, p.config_dir, p.variant, p.mode, p.experiment, p.scenario, p.run, t.parent, "
        f"t.turns, t.shape, p.planned_at FROM planned p JOIN trials t ON t.key = p.trial WHERE {UNDER} "
        "AND p.config_dir = ? ORDER BY p.run, p.scenario"
    )
    for row in _rows(connection, sql, (*where.columns, config_dir)):
        yield _whole(connection, TrialRow(**row))


def _whole(connection: sqlite3.Connection, trial: TrialRow) -> WholeTrial:
    def of(table: str, order: str) -> list[dict[str, Any]]:
        return list(_rows(connection, f"SELECT * FROM {table} WHERE trial = ? ORDER BY {order}", (trial.key,)))

    calls = of("calls", "version, turn")
    return WholeTrial(
        trial,
        calls=tuple(_call(row) for row in calls if not row["version"]),
        verdicts=tuple(_verdict(row) for row in of("verdicts", "judge, judged_at, key")),
        routes=tuple(
            RouteRow(row["verdict"], row["auditor"], trial.key, VerdictRoute(row["route"], row["probability"]))
            for row in of("routes", "routed_at, verdict")
        ),
        steps=tuple(_step(row) for row in of("artefacts", "judge, position, written_at, key")),
        failures=(
            *(_failure(row) for row in of("failures", "failed_at, what")),
            *(_replaced(row) for row in calls if row["version"]),
        ),
    )


def _rows(connection: sqlite3.Connection, sql: str, values: tuple[object, ...]) -> Iterator[dict[str, Any]]:
    found = connection.execute(sql, values)
    names = [column[0] for column in found.description]
    return (dict(zip(names, row, strict=True)) for row in found)


def _usage(row: Row) -> Usage:
    return Usage(
        row["prompt_tokens"], row["completion_tokens"], row.get("reasoning_tokens", 0), cost_usd=row["cost_usd"]
    )


def _call(row: Row) -> CallRow:
    return CallRow(
        row["trial"], row["turn"], turn_id=row["turn_id"], context=row["context"], after=row["after"],
        answer=_answer(row), messages=row["messages"], answered_at=row["answered_at"],
    )  # fmt: skip


def _answer(row: Row) -> Answer:
    attempts = _ATTEMPTS.decode(row["attempts"])
    if row["missing"] is not None:
        return Missing(row["missing"], row["detail"], row["raw"], attempts)
    texts = ("text", "raw", "thinking", "reasoning", "served_model", "served_provider", "response_id")
    return Reply(
        **{name: row[name] for name in texts}, channel=row["channel"], finish_reason=row["finish_reason"],
        tool_calls=_CALLS.decode(row["tool_calls"]), flags=_FLAGS.decode(row["flags"]), usage=_usage(row),
        attempts=attempts,
    )  # fmt: skip


def _verdict(row: Row) -> VerdictRow:
    return VerdictRow(
        key=row["key"], trial=row["trial"], judge=row["judge"], rubric=row["rubric"], context=row["context"],
        settings=row["settings"], grade=_grade(row), pass_=row["pass"], judged_at=row["judged_at"],
        prediction=row["prediction"],
    )  # fmt: skip


def _grade(row: Row) -> Grade:
    attempts = _ATTEMPTS.decode(row["attempts"])
    if row["missing"] is not None:
        return Missing(row["missing"], row["detail"], row["raw"], attempts)
    return Verdict(
        msgspec.json.decode(row["fields"]), row["reasoning"], row["raw"], _usage(row), attempts,
        quote=row["quote"], quote_found=truth(row["quote_found"]),
    )  # fmt: skip


def _step(row: Row) -> ArtefactRow:
    attempts = _ATTEMPTS.decode(row["attempts"])
    answer: Answer = (
        Reply(row["text"], "content", row["raw"], usage=_usage(row), attempts=attempts)
        if row["missing"] is None
        else Missing(row["missing"], row["detail"], row["raw"], attempts)
    )
    names = ("key", "trial", "judge", "step", "position", "wording", "context", "settings")
    return ArtefactRow(**{name: row[name] for name in names}, output=answer)


def _failure(row: Row) -> FailureRow:
    return FailureRow(
        row["trial"], row["what"], row["kind"], row["detail"], _ATTEMPTS.decode(row["attempts"]),
        failed_at=row["failed_at"],
    )  # fmt: skip


def _replaced(row: Row) -> FailureRow:
    spent = Attempt(_REPLACED, row["seconds"], _usage(row), row["unknown_usd"])
    why = "an answer that was replaced"
    return FailureRow(row["trial"], row["turn_id"], _REPLACED, why, (spent,), failed_at=row["answered_at"])
