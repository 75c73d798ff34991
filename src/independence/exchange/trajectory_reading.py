"""Dialogues as they were: every message as sent, every reply, every judge's verdict.

`dialogue_table` lists the dialogues of a subject.
"""

from __future__ import annotations

import itertools
import sqlite3
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import msgspec

from independence.config.subjects import from_json
from independence.errors import StoreError
from independence.exchange.requests import Requests
from independence.exchange.trajectory import (
    Origin,
    Trajectory,
    TrajectoryAnswer,
    TrajectoryMessage,
    TrajectorySubject,
    TrajectoryTurn,
    TrajectoryVerdict,
)
from independence.report.board import notes, verdict_frame
from independence.report.files import table_layouts
from independence.report.files.table import Table
from independence.report.pages import messages
from independence.stats import index_uncertainty, strict, subject_points
from independence.store import deliveries, queries, scopes
from independence.store.dialogues import Dialogue, answer_fields, verdict_fields
from independence.store.records import CallRow
from independence.store.scopes import BoardScope
from independence.types import Reply

R = TypeVar("R", bound=msgspec.Struct)


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
    vary = points is not None and index_uncertainty.whole_runs(points) is not None
    whole = table_layouts.made(
        "runs/dialogues", rows, notes.say({"runs_vary": vary and {"whose": f"{label}:"}}),
        place=f"{scope.where.edition_name}, {scope.condition}", judge=read.judge or "none",
        subject=f"{label} (simulated)" if simulated else label,
    )  # fmt: skip
    return whole.only([at for at in range(len(whole.columns)) if at < 4 or any(row[at] for row in rows)])


class TrajectoryReader:
    """Encodes dialogues of one edition under one condition. What they share is read once."""

    def __init__(self, connection: sqlite3.Connection, scope: BoardScope) -> None:
        self._connection, self._scope = connection, scope
        self._subjects = queries.subjects(connection, scope.where)
        self._known = Requests(connection, scope)
        self._rubrics = scopes.counting_rubrics(connection, scope)

    def read(self, own: Dialogue, judge: str | None = None) -> Trajectory:
        """A dialogue as it was, with the verdicts of one judge (None: of all)."""
        scope, suite = self._scope, self._scope.suite
        trial, calls = own.trial, own.calls
        label, model_id, simulated = self._subjects[trial.config_dir]
        every = itertools.chain(*own.before.values(), calls)
        texts = {call.answer.text.strip() for call in every if isinstance(call.answer, Reply)} - {""}
        imported = queries.imported(scope.edition) or any(call.messages is not None for call in calls)
        known = next((one for one in suite.scenarios if one.id == trial.scenario), None)
        fields = suite.rubrics[known.rubric].fields if known else {}
        tool = suite.delivery.tool_role if scope.condition.mode == "tool_role" and not imported else None
        rubrics = self._rubrics.get(trial.scenario, scopes.OF_PUBLISHERS)
        return Trajectory(
            suite=suite.suite, edition=scope.edition, condition=str(scope.condition), imported=imported,
            subject=TrajectorySubject(trial.config_dir, label, model_id, simulated), experiment=trial.experiment,
            scenario=trial.scenario, title=known.title if known and scope.worded else None, run=trial.run,
            trial=trial.key, continues=known.follows if known else None,
            tool={"name": tool.name, "description": tool.description, "parameter": tool.parameter} if tool else None,
            turns=tuple(_turns(calls, self._known.of(own), texts)),
            verdicts=tuple(
                _only(
                    TrajectoryVerdict,
                    {**verdict_fields(row), "current": row.context == own.end and row.rubric in rubrics},
                )
                for row in own.verdicts
                if judge in (None, row.judge)
            ),
            scales={name: field.range for name, field in fields.items() if field.range},
            delivery="" if imported or not calls else self._delivery(trial.config_dir, calls[0].answered_at or ""),
        )  # fmt: skip

    def _delivery(self, config_dir: str, until: str) -> str:
        """What the last delivery probe before an answer found of its model."""
        known = queries.configurations(self._connection, self._scope.where).get(config_dir)
        mode = self._scope.condition.mode
        return deliveries.of_subject(self._connection, from_json(known), mode, until) if known else ""


def _turns(calls: Sequence[CallRow], requests: Sequence[bytes], texts: Collection[str]) -> Iterator[TrajectoryTurn]:
    before: list[Any] = []
    replied = ""
    for number, (call, request) in enumerate(zip(calls, requests, strict=True), start=1):
        asked = messages.decoded(request)
        goes_on = asked[: len(before)] == before
        new = [_message(message, texts) for message in (asked[len(before) :] if goes_on else asked)]
        if goes_on and number > 1 and new and new[0].text.strip() == replied:
            new = new[1:]  # the answer before, which was shown already
        answer = _only(TrajectoryAnswer, answer_fields(call))
        yield TrajectoryTurn(
            turn=number, turn_id=call.turn_id, request=msgspec.Raw(request), new=tuple(new), anew=not goes_on,
            answer=answer,
        )  # fmt: skip
        before, replied = asked, answer.text.strip()


def _only(record: type[R], fields: Mapping[str, Any]) -> R:
    """A record of those fields that it has."""
    return record(**{name: fields[name] for name in record.__struct_fields__})


def _message(message: Mapping[str, Any], texts: Collection[str]) -> TrajectoryMessage:
    role, text, call = str(message.get("role", "")), messages.content(message), messages.tool_call(message)
    if role != "assistant":
        origin: Origin = "system" if role == "system" else "human"
        return TrajectoryMessage(role, origin, text, call_id=message.get("tool_call_id"))
    if call is None:
        return TrajectoryMessage(role, _origin(text, texts), text)
    words, beside = ("\n\n".join(call.words), text) if call.words else (text, "")
    # Without words the tool is only listened to; what was said stands beside the call.
    origin = _origin(words, texts) if call.words or text else "protocol"
    return TrajectoryMessage(
        role, origin, words, call=call.tool, call_id=call.id, arguments=call.arguments, private=beside
    )


def _origin(text: str, texts: Collection[str]) -> Origin:
    return "generated" if text.strip() in texts else "scripted"
