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
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, NamedTuple, get_type_hints

import msgspec

from independence.config.subjects import from_json
from independence.errors import StoreError
from independence.exchange.trajectory import Trajectory
from independence.exchange.trajectory_reading import DialogueReader
from independence.report import analysis, profile
from independence.report.analysis import BoardOptions, RenderedBoard
from independence.report.board import board_data
from independence.report.board.board_data import SubjectInfo
from independence.report.files import table as formats
from independence.report.files.table import cell
from independence.store import dialogues, queries, scopes
from independence.store.dialogues import Dialogue, StoredReply, StoredVerdict, Turn
from independence.store.scopes import BoardScope, grading
from independence.suites.schema import Scenario
from independence.types import Usage, Where

BOARD = "board"
Row = Mapping[str, Any]


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

    def documents(self, judge: str | None = None) -> Iterator[Trajectory]:
        """The dialogues of these subjects and scenarios, in the order of rows; `judge`: with this one's verdicts."""
        for scope in self.ordered:
            reader = DialogueReader(self.connection, scope)
            yield from (reader.read(one, judge) for one in self.dialogues(scope))

    def dialogues(self, scope: BoardScope) -> Iterator[Dialogue]:
        """Those under a condition, as they are stored."""
        return dialogues.read(self.connection, scope.where, sorted(self.about), sorted(self.only) or None)

    @cached_property
    def scenarios(self) -> dict[str, Scenario]:
        """The scenarios of the suite, by id."""
        return {scenario.id: scenario for scenario in self.places[0].suite.scenarios}


# Of `Dialogue`, in every row that is about one.
_PLACE = ("suite", "edition", "config", "label", "model_id", "simulated", "variant", "mode", "experiment", "scenario",
          "side", "cell", "factors", "run")  # fmt: skip
_TURN = ("turn", "turn_id", "messages")
_SUBJECT = (*_PLACE[:6], "endpoint", "provider", "temperature", "temperature_supported", "effort", "answers",
            "cost_usd")  # fmt: skip
_LEFT_OUT = ("detail",)  # what a server said may name addresses
_STEP = ("judge", "step", "position", "missing", "text")


def columns(*kinds: tuple[type[msgspec.Struct], Collection[str]]) -> dict[str, Any]:
    """Name -> type of the columns that parts of a dialogue make; of each part the fields that are named, or all.

    What a call took is a column for each of its numbers, an attempt the word for how it ended.
    """
    out: dict[str, Any] = {}
    for kind, only in kinds:
        hints = get_type_hints(kind)
        for name, written in zip(kind.__struct_fields__, kind.__struct_encode_fields__, strict=True):
            if hints[name] is Usage:
                out |= get_type_hints(Usage)
            elif name in only or not (only or name in _LEFT_OUT):
                out[written] = tuple[str, ...] if name == "attempts" else hints[name]
    return out


PLACE: Final = {name: columns((Dialogue, _PLACE))[name] for name in _PLACE}
REPLY: Final = {**PLACE, **columns((Turn, _TURN), (StoredReply, ()))}
VERDICT: Final = {**PLACE, **columns((StoredVerdict, ()))}


def flat(record: msgspec.Struct) -> dict[str, Any]:
    """A part of a dialogue as one row, under the names of `columns`. What did not come is None."""
    out: dict[str, Any] = {}
    for name, written in zip(record.__struct_fields__, record.__struct_encode_fields__, strict=True):
        value = getattr(record, name)
        if isinstance(value, Usage):
            out |= msgspec.structs.asdict(value)
        elif name in _LEFT_OUT:
            continue
        elif name == "attempts":
            out[written] = [attempt.outcome for attempt in value]
        else:
            plain = msgspec.to_builtins(value)
            out[written] = list(plain) if isinstance(plain, tuple) else plain
    return out


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
        ExportTable("dialogues", tuple(REPLY), lambda: _replies(edition), factors),
        ExportTable("verdicts", tuple(VERDICT), lambda: _verdicts(edition), {**factors, "values": fields}),
    ]
    if any(rubric.steps for rubric in grading(edition.connection, edition.places[0]).rubrics.values()):
        every.append(ExportTable("steps", (*_PLACE, *_STEP), lambda: _steps(edition), factors))
    return every


def profile_of(edition: ExportedEdition) -> list[ExportTable]:
    """The profile of these subjects, over all suites of the store; none where it has nothing of it."""
    with suppress(StoreError):
        _, whole, _ = profile.tables(profile.columns(edition.connection))
        keys, rows = formats.flat(whole)
        own = [dict(zip(keys, row, strict=True)) for row in rows]
        return [ExportTable("profile", tuple(keys), lambda: (row for row in own if row["config"] in edition.about))]
    return []


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


def _replies(edition: ExportedEdition) -> Iterator[Row]:
    """One row for each answer, and one for the next turn of each dialogue that is not finished."""
    for one in edition.documents():
        place = _place(one)
        for turn in one.turns:
            reply = flat(turn.reply) | ({"text": None} if turn.reply.missing else {})
            messages = msgspec.json.decode(turn.messages)
            yield place | {"turn": turn.turn, "turn_id": turn.turn_id, "messages": messages} | reply
        ended = one.missing in (None, "stale") or any(turn.reply.missing for turn in one.turns)
        if not ended and len(one.turns) < one.generated:
            yield dict.fromkeys(REPLY) | place | {
                "turn": len(one.turns), "missing": one.missing, "stale": False, "flags": [], "attempts": [],
            }  # fmt: skip


def _verdicts(edition: ExportedEdition) -> Iterator[Row]:
    """One row for each verdict."""
    return (_place(one) | flat(verdict) for one in edition.documents() for verdict in one.verdicts)


def _steps(edition: ExportedEdition) -> Iterator[Row]:
    """One row for each step of a judge on a dialogue as it is now."""
    for one in edition.documents():
        yield from (_place(one) | {name: getattr(step, name) for name in _STEP} for step in one.newest_steps)


def _place(one: Dialogue) -> dict[str, Any]:
    return {name: getattr(one, name) for name in _PLACE}


def _who(edition: ExportedEdition, config: str) -> Row:
    about = edition.about[config]
    return {"suite": edition.where.suite, "edition": edition.where.edition, "config": config, "label": about.label,
            "model_id": about.model_id, "simulated": about.simulated}  # fmt: skip


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
