"""One edition of a store as tables for other tools: subjects, dialogues, verdicts, the steps of judges and the board.

They are written as JSON Lines, exact and in ASCII, or as CSV, in which no text begins a formula. Rows are plain values.
Neither keys nor addresses are in them: a subject's endpoint is given by its name, a failed attempt by its
outcome.
"""

from __future__ import annotations

import csv
import io
import itertools
import json
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import msgspec

from independence.config.subjects import from_json
from independence.exchange.requests import Requests
from independence.report import analysis
from independence.report.analysis import BoardOptions, RenderedBoard
from independence.report.board import board_data
from independence.report.board.board_data import SubjectInfo
from independence.report.files import table as formats
from independence.report.files.table import cell
from independence.store import dialogues, queries, scopes
from independence.store.dialogues import Dialogue, answer_fields, verdict_fields
from independence.store.records import TrialRow
from independence.store.scopes import BoardScope, grading
from independence.suites.schema import Scenario
from independence.types import Attempt, Missing, Scalar, Where, brief

BOARD = "board"
Row = Mapping[str, object]


class ExportTable(NamedTuple):
    """A table of plain values. Where a value is an object with known keys, `wide` lists them."""

    name: str
    columns: tuple[str, ...]
    rows: Callable[[], Iterator[Row]]
    wide: Mapping[str, tuple[str, ...]] = {}


@dataclass(frozen=True)
class ExportedEdition:
    """An edition to export: the conditions and the subjects, by config_dir, that the tables are about."""

    connection: sqlite3.Connection
    places: Sequence[BoardScope]  # at least one, all of one edition
    about: Mapping[str, SubjectInfo]
    only: frozenset[str] = frozenset()  # scenarios; empty: all

    @cached_property
    def where(self) -> Where:
        """The edition under all of its conditions."""
        return self.places[0].where.under(None)

    @property
    def ordered(self) -> list[BoardScope]:
        """The conditions in the order of rows."""
        return sorted(self.places, key=lambda scope: scope.condition)

    def dialogues(self, scope: BoardScope) -> Iterator[Dialogue]:
        """Those of these subjects and scenarios under a condition."""
        return dialogues.read(self.connection, scope.where, sorted(self.about), sorted(self.only) or None)

    @cached_property
    def scenarios(self) -> dict[str, Scenario]:
        """The scenarios of the suite, by id."""
        return {scenario.id: scenario for scenario in self.places[0].suite.scenarios}


class DialogueRecord(msgspec.Struct, frozen=True, kw_only=True):
    """Whose dialogue a row is about."""

    suite: str
    edition: str
    config: str  # the subject's directory in the published layout
    label: str
    model_id: str
    simulated: bool
    variant: str
    mode: str
    experiment: str
    scenario: str
    side: str  # of a paired suite; else empty
    cell: str  # of a grid; else empty
    factors: dict[str, object]  # of a grid; else empty
    run: int  # from 1

    __repr__ = brief


class ReplyRecord(DialogueRecord, frozen=True, kw_only=True):
    """One generated turn: what was sent and what came back. Fields of the reply are None where none came."""

    turn: int  # from 0 among generated turns
    turn_id: str | None
    messages: list[dict[str, object]] | None  # as sent, in the wire format
    answer: str | None  # the text that is judged
    missing: str | None  # why nothing usable came
    stale: bool  # given on a history that was replaced since
    flags: tuple[str, ...]
    channel: str | None  # tool or content
    finish_reason: str | None
    thinking: str | None
    reasoning: str | None
    raw: str | None  # as it came, where cleaning changed it
    served_model: str | None
    served_provider: str | None
    response_id: str | None
    prompt_tokens: int | None
    completion_tokens: int | None
    reasoning_tokens: int | None
    cost_usd: float | None
    seconds: float | None  # in attempts, without waiting between them
    attempts: tuple[str, ...]  # how each ended
    answered_at: str | None  # ISO 8601, UTC


class VerdictRecord(DialogueRecord, frozen=True, kw_only=True, rename={"pass_": "pass"}):
    """One judge's verdict on one dialogue."""

    judge: str
    pass_: int
    current: bool  # on the dialogue and the rubric as they are now
    missing: str | None  # why there are no values
    values: dict[str, Scalar]  # by field of the rubric, on the rubric's own scale
    reasoning: str | None
    raw: str | None
    prompt_tokens: int | None
    completion_tokens: int | None
    cost_usd: float | None
    attempts: tuple[str, ...]
    judged_at: str | None
    quote: str | None  # the passage that the judge went by, where its rubric asks for one
    quote_found: bool | None  # whether it is in the replies


_TRIAL = DialogueRecord.__struct_encode_fields__
_ANSWER = ReplyRecord.__struct_encode_fields__[len(_TRIAL) :]
_VERDICT = VerdictRecord.__struct_encode_fields__[len(_TRIAL) :]
_WHO = _TRIAL[: _TRIAL.index("variant")]
_SUBJECT = (*_WHO, "endpoint", "provider", "temperature", "temperature_supported", "effort", "answers",
            "cost_usd")  # fmt: skip
_STEP = ("judge", "step", "position", "missing", "text")


def chosen_subjects(
    connection: sqlite3.Connection, scope: BoardScope, names: Collection[str] = ()
) -> dict[str, SubjectInfo]:
    """The subjects of these labels, ids or directories, by config_dir; without names all.

    Raises StoreError for a name that nobody in the edition has.
    """
    known = scopes.of_edition(connection, scope.where)
    found = scopes.subjects(names, known, f"in {scope.where.edition_name}") if names else known
    everybody = board_data.subjects(connection, scope.where)
    return {config: who for config, who in sorted(everybody.items()) if config in found}


def model_names(about: Mapping[str, SubjectInfo]) -> dict[str, str]:
    """config_dir -> the model's id, or the label where several configurations have that id."""
    ids = Counter(who.model_id for who in about.values())
    return {config: who.model_id if ids[who.model_id] == 1 else who.label for config, who in about.items()}


def tables(edition: ExportedEdition) -> list[ExportTable]:
    """Every table, read when its rows are asked for. Rows are ordered by condition, subject, run and scenario."""
    suite = edition.places[0].suite
    fields = tuple(dict.fromkeys(field for rubric in suite.rubrics.values() for field in rubric.fields))
    factors = {"factors": tuple(suite.grid.factors) if suite.grid else ()}
    every = [
        ExportTable("subjects", _SUBJECT, lambda: _subjects(edition)),
        ExportTable("dialogues", (*_TRIAL, *_ANSWER), lambda: _dialogues(edition), factors),
        ExportTable("verdicts", (*_TRIAL, *_VERDICT), lambda: _verdicts(edition), {**factors, "values": fields}),
    ]
    if any(rubric.steps for rubric in grading(edition.connection, edition.places[0]).rubrics.values()):
        every.append(ExportTable("steps", (*_TRIAL, *_STEP), lambda: _steps(edition), factors))
    return every


def _subjects(edition: ExportedEdition) -> Iterator[Row]:
    configured = queries.configurations(edition.connection, edition.where)
    cost: dict[str, float] = defaultdict(float)
    for scope in edition.places:
        for config, dollars in queries.costs(edition.connection, scope.where).items():
            cost[config] += dollars
    for config in edition.about:
        own = from_json(configured[config]) if config in configured else None
        about = {
            "endpoint": own and own.endpoint, "provider": own and own.sampling.provider,
            "temperature": own and own.temperature, "temperature_supported": own and own.temperature_supported,
            "effort": own and own.sampling.effort,
        }  # fmt: skip
        states = (queries.states(edition.connection, scope.where, config_dir=config) for scope in edition.places)
        answers = sum(state.answered for own in states for state in own if state.config_dir == config)
        yield {**_who(edition, config), **about, "answers": answers, "cost_usd": cost[config]}


def _dialogues(edition: ExportedEdition) -> Iterator[Row]:
    """One row for each answer, and one for the next turn of each dialogue that is not finished."""
    for scope in edition.ordered:
        requests = Requests(edition.connection, scope)
        for one in edition.dialogues(scope):
            where, state = _where(edition, one.trial), one.state
            for call, request in zip(one.calls, requests.of(one), strict=True):
                own = answer_fields(call)
                yield where | {name: own[name] for name in _ANSWER if name in own} | {
                    "messages": msgspec.json.decode(request), "answer": own["text"] if own["missing"] is None else None,
                    "stale": state.stale and call.turn >= state.answered, "flags": list(own["flags"]),
                    "attempts": _outcomes(own["attempts"]),
                }  # fmt: skip
            ended = state.stale or len(one.calls) >= state.turns
            if not (ended or any(isinstance(call.answer, Missing) for call in one.calls)):
                nothing = {"turn": len(one.calls), "missing": state.missing or "not_run", "stale": False}
                yield where | dict.fromkeys(_ANSWER) | nothing | {"flags": [], "attempts": []}


def _verdicts(edition: ExportedEdition) -> Iterator[Row]:
    """One row for each verdict. `current`: by the rubric of the edition or a published one, on the current dialogue."""
    rubrics = scopes.counting_rubrics(edition.connection, edition.places[0])
    for one in itertools.chain.from_iterable(map(edition.dialogues, edition.ordered)):
        where, counting = _where(edition, one.trial), rubrics.get(one.trial.scenario, scopes.OF_PUBLISHERS)
        for row in one.verdicts:
            own = verdict_fields(row)
            yield where | {name: own[name] for name in _VERDICT if name in own} | {
                "pass": row.pass_, "attempts": _outcomes(own["attempts"]),
                "current": row.rubric in counting and row.context == one.state.end,
            }  # fmt: skip


def _steps(edition: ExportedEdition) -> Iterator[Row]:
    """One row for each step of a judge on a dialogue as it is now."""
    for one in itertools.chain.from_iterable(map(edition.dialogues, edition.ordered)):
        for step in one.newest_steps:
            output = step.output
            missing, text = (output.reason, "") if isinstance(output, Missing) else (None, output.text)
            own = {"judge": step.judge, "step": step.step, "position": step.position, "missing": missing, "text": text}
            yield _where(edition, one.trial) | own


def _who(edition: ExportedEdition, config: str) -> Row:
    about = edition.about[config]
    return {"suite": edition.where.suite, "edition": edition.where.edition, "config": config, "label": about.label,
            "model_id": about.model_id, "simulated": about.simulated}  # fmt: skip


def _where(edition: ExportedEdition, trial: TrialRow) -> dict[str, object]:
    """Whose dialogue a row is about."""
    scenario = edition.scenarios.get(trial.scenario)
    return {
        **_who(edition, trial.config_dir), "variant": trial.variant, "mode": trial.mode,
        "experiment": trial.experiment, "scenario": trial.scenario, "side": scenario.side if scenario else "",
        "cell": scenario.cell if scenario else "", "factors": scenario.factors if scenario else {}, "run": trial.run,
    }  # fmt: skip


def _outcomes(attempts: Sequence[Attempt]) -> list[str]:
    """How each attempt ended, in order."""
    return [attempt.outcome for attempt in attempts]


def jsonl(table: ExportTable) -> Iterator[bytes]:
    """One object on each line, keys in the order of the columns; every letter beyond ASCII as its escape."""
    for row in table.rows():
        yield json.dumps({name: row[name] for name in table.columns}).encode() + b"\n"


def to_csv(table: ExportTable) -> Iterator[bytes]:
    """A header and one line for each row. Objects with known keys have columns NAME.KEY; the rest is JSON."""
    heads = [(name, key) for name in table.columns for key in table.wide.get(name, ("",))]
    yield _line([f"{name}.{key}" if key else name for name, key in heads])
    for row in table.rows():
        yield _line([_plain(row[name], key) for name, key in heads])


def _plain(value: object, key: str) -> object:
    """What stands in a cell for a value, or for what an object holds under a key."""
    if key:
        value = value.get(key) if isinstance(value, Mapping) else None
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | dict):
        value = json.dumps(value)
    return cell(value) if isinstance(value, str) else value


def _line(values: list[object]) -> bytes:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerow(values)
    return out.getvalue().encode("utf-8", "backslashreplace")


def boards_of(connection: sqlite3.Connection, places: Sequence[BoardScope], judge: str | None) -> list[RenderedBoard]:
    """The board of every condition under a judge (None: each condition's usual one); none where a suite has none."""
    return [
        analysis.board(connection, one, BoardOptions(judge=judge)) for one in places if analysis.has_board(one.suite)
    ]


def board_jsonl(boards: Sequence[RenderedBoard], configs: Collection[str]) -> Iterator[bytes]:
    """One object a row, what the board is about in front. Numbers are those of all subjects, whoever is shown."""
    for built in boards:
        document = built.plain()
        head = {name: value for name, value in document.items() if name != "rows"}
        for row in document["rows"]:
            if row["config"] in configs:
                yield json.dumps({**head, **row}).encode("ascii") + b"\n"


def board_csv(boards: Sequence[RenderedBoard], configs: Collection[str]) -> bytes:
    """One line a row, flat."""
    record = analysis.merged_record(boards)
    at = [column.key for column in record.columns].index("config")
    rows = tuple(row for row in record.rows if row[at] in configs)
    return formats.to_csv(msgspec.structs.replace(record, rows=rows)).encode("utf-8", "backslashreplace")
