"""One edition of a store as tables for other tools: subjects, dialogues, verdicts, the steps of judges and the board.

They are written as JSON Lines, exact and in ASCII, or as CSV, in which no text begins a formula. Rows are plain values.
Neither keys nor addresses are in them: a subject's endpoint is given by its name, a failed attempt by its
outcome.
"""

from __future__ import annotations

import csv
import io
import json
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from typing import NamedTuple

import msgspec

from independence.config.subjects import from_json
from independence.exchange.requests import Requests, SentDialogue
from independence.report import analysis, board_data
from independence.report import table as formats
from independence.report.analysis import BoardOptions, RenderedBoard
from independence.report.board_data import SubjectInfo
from independence.report.table import cell
from independence.store import artefacts, export_rows, queries, scopes
from independence.store.export_rows import ExportedAnswer, ExportedTrial, ExportedVerdict
from independence.store.queries import TrialState
from independence.store.scopes import BoardScope, grading
from independence.suites import digest
from independence.suites.schema import Scenario
from independence.types import Attempt, Condition, Scalar, Where

BOARD = "board"
Row = Mapping[str, object]
_FLAGS = msgspec.json.Decoder(list[str])
_ATTEMPTS = msgspec.json.Decoder(list[Attempt])


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

    @cached_property
    def scenarios(self) -> dict[str, Scenario]:
        """The scenarios of the suite, by id."""
        return {scenario.id: scenario for scenario in self.places[0].suite.scenarios}

    def holds(self, trial: ExportedTrial) -> bool:
        """Whether a trial is of these conditions and subjects."""
        condition = Condition(trial.variant, trial.mode)
        return (
            trial.config_dir in self.about
            and (not self.only or trial.scenario in self.only)
            and any(scope.condition == condition for scope in self.places)
        )


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
    auditor: str | None  # from whom verdicts were bought, of offline and hybrid judges
    route: str | None  # offline, unsure or audit
    probability: float | None  # of being bought, 0-1
    quote: str | None  # the passage that the judge went by, where its rubric asks for one
    quote_found: bool | None  # whether it is in the replies


_TRIAL = DialogueRecord.__struct_encode_fields__
_ANSWER = ReplyRecord.__struct_encode_fields__[len(_TRIAL) :]
_VERDICT = VerdictRecord.__struct_encode_fields__[len(_TRIAL) :]
_WHO = _TRIAL[: _TRIAL.index("variant")]
_SUBJECT = (*_WHO, "endpoint", "provider", "temperature", "temperature_supported", "effort", "answers",
            "cost_usd")  # fmt: skip
_KEPT_ANSWER = tuple(name for name in _ANSWER if name in ExportedAnswer._fields)
_KEPT_OF_ANSWER = attrgetter(*_KEPT_ANSWER)
_KEPT_VERDICT = tuple(name for name in _VERDICT if name in ExportedVerdict._fields)
_KEPT_OF_VERDICT = attrgetter(*_KEPT_VERDICT)
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
        yield {**_who(edition, config), **about, "answers": _answered(edition, config), "cost_usd": cost[config]}


def _answered(edition: ExportedEdition, config: str) -> int:
    states = (queries.states(edition.connection, scope.where, config_dir=config) for scope in edition.places)
    return sum(state.answered for own in states for state in own if state.config_dir == config)


def _dialogues(edition: ExportedEdition) -> Iterator[Row]:
    """One row for each answer, and one for the next turn of each dialogue that is not finished."""
    for scope in edition.ordered:
        requests = Requests(edition.connection, scope)
        for config in sorted(edition.about):
            known: dict[str, Row] = {}
            for one in requests.of_subject(config, edition.only):
                yield from _turns(_where(edition, one.trial, known), one)


def _turns(where: Row, one: SentDialogue) -> Iterator[Row]:
    state, answers = one.state, one.answers
    for row, request in zip(answers, one.requests, strict=True):
        yield {**where, **_answer(row, state, request)}
    if not (state.stale or len(answers) >= state.turns or any(row.missing is not None for row in answers)):
        yield {**where, **_unanswered(len(answers), state.missing or "not_run")}


def _answer(row: ExportedAnswer, state: TrialState, request: bytes) -> Row:
    return dict(zip(_KEPT_ANSWER, _KEPT_OF_ANSWER(row), strict=True)) | {
        "messages": msgspec.json.decode(request),
        "answer": row.text if row.missing is None else None, "stale": state.stale and row.turn >= state.answered,
        "flags": _FLAGS.decode(row.flags), "attempts": _outcomes(row),
    }  # fmt: skip


def _unanswered(turn: int, why: str) -> Row:
    return {**dict.fromkeys(_ANSWER), "turn": turn, "missing": why, "stale": False, "flags": [], "attempts": []}


def _verdicts(edition: ExportedEdition) -> Iterator[Row]:
    """One row for each verdict. `current`: by the rubric of the edition or a published one, on the current dialogue."""
    connection, suite = edition.connection, grading(edition.connection, edition.places[0])
    rubrics = {scenario.id: digest.rubric(suite, scenario) for scenario in suite.scenarios}
    for scope in edition.ordered:
        for config in sorted(edition.about):
            states = queries.states(connection, scope.where, config_dir=config)
            ends, known = {state.key: state.end for state in states}, dict[str, Row]()
            for trial, row in export_rows.verdicts(connection, scope.where, config):
                if not edition.only or trial.scenario in edition.only:
                    graded = row.rubric in (rubrics.get(trial.scenario), queries.PUBLISHED, queries.REREAD)
                    current = graded and row.context == ends[trial.trial]
                    yield {**_where(edition, trial, known), **_verdict(row), "current": current}


def _verdict(row: ExportedVerdict) -> Row:
    return dict(zip(_KEPT_VERDICT, _KEPT_OF_VERDICT(row), strict=True)) | {
        "pass": row.pass_, "values": msgspec.json.decode(row.fields), "attempts": _outcomes(row),
        "quote_found": row.is_quote_found,
    }  # fmt: skip


def _steps(edition: ExportedEdition) -> Iterator[Row]:
    """One row for each step of a judge on a dialogue as it is now."""
    for scope in edition.places:
        for one in artefacts.of_condition(edition.connection, scope.where):
            trial = ExportedTrial(
                variant=scope.condition.variant, mode=scope.condition.mode, config_dir=one.config_dir,
                experiment=scope.suite.scenario(one.scenario).experiment, scenario=one.scenario, run=one.run, trial="",
            )  # fmt: skip
            if edition.holds(trial):
                yield {**_where(edition, trial, {}), **{name: getattr(one, name) for name in _STEP}}


def _who(edition: ExportedEdition, config: str) -> Row:
    about = edition.about[config]
    return {"suite": edition.where.suite, "edition": edition.where.edition, "config": config, "label": about.label,
            "model_id": about.model_id, "simulated": about.simulated}  # fmt: skip


def _where(edition: ExportedEdition, trial: ExportedTrial, of_scenario: dict[str, Row]) -> Row:
    """Whose dialogue a row is about; `of_scenario`: what is known of a subject's scenarios under a condition."""
    if trial.scenario not in of_scenario:
        scenario = edition.scenarios.get(trial.scenario)
        of_scenario[trial.scenario] = {
            **_who(edition, trial.config_dir), "variant": trial.variant, "mode": trial.mode,
            "experiment": trial.experiment, "scenario": trial.scenario, "side": scenario.side if scenario else "",
            "cell": scenario.cell if scenario else "", "factors": scenario.factors if scenario else {},
        }  # fmt: skip
    return {**of_scenario[trial.scenario], "run": trial.run}


def _outcomes(row: ExportedAnswer | ExportedVerdict) -> list[str]:
    """How each attempt ended, in order."""
    return [attempt.outcome for attempt in _ATTEMPTS.decode(row.attempts)]


def jsonl(table: ExportTable) -> Iterator[bytes]:
    """One object on each line, keys in the order of the columns; every letter beyond ASCII as its escape."""
    for row in table.rows():
        yield json.dumps({name: row[name] for name in table.columns}).encode() + b"\n"


def to_csv(table: ExportTable) -> Iterator[bytes]:
    """A header and one line for each row. Objects with known keys have columns NAME.KEY; the rest is JSON."""
    heads = [(name, key) for name in table.columns for key in table.wide.get(name, ("",))]
    yield _line([f"{name}.{key}" if key else name for name, key in heads])
    for row in table.rows():
        yield _line([_plain(_part(row[name], key) if key else row[name]) for name, key in heads])


def _part(value: object, key: str) -> object:
    return value.get(key) if isinstance(value, Mapping) else None


def _plain(value: object) -> object:
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
        document = msgspec.to_builtins(built.document)
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
