"""Scores that people gave, out of a CSV of item, rater, field and value: read whole, checked against the rubrics.

An item is the first digits of the digest of a finished dialogue. A rater is stored as the judge `human:NAME`. The first
error is reported with its line, and then nothing is stored.
"""

from __future__ import annotations

import csv
import io
import sqlite3
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import msgspec

from independence.errors import DocumentError, UsageError
from independence.judge.kinds import HUMAN
from independence.judge.protocol import verdict_key
from independence.judge.schema import check
from independence.store import queries, records, scopes
from independence.store.database import transaction
from independence.store.records import VerdictRow
from independence.suites import digest
from independence.suites.schema import Field, Suite
from independence.types import Scalar, Verdict

COLUMNS = ("item", "rater", "field", "value")
ITEM = 16  # hex digits of an item
_LONGEST_NAME = 64
_BOOLEANS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


class ScorableDialogue(NamedTuple):
    """A finished dialogue, and the rubric of one edition that it can be scored by."""

    trial: str
    end: str  # digest of its words
    rubric: str
    fields: Mapping[str, Field]


class HumanScore(NamedTuple):
    """One line of a file."""

    line: int
    item: str
    rater: str
    field: str
    value: str


class HumanVerdict(NamedTuple):
    """All scores that one rater gave one dialogue."""

    line: int  # of the first of them
    values: dict[str, Scalar]
    row: VerdictRow


class HumanScores(NamedTuple):
    """A file of scores. `blank` lines have no value yet."""

    verdicts: tuple[HumanVerdict, ...]
    blank: int


def is_scores(path: Path) -> bool:
    """Whether a file is a CSV whose header has the four columns."""
    if not path.is_file() or path.suffix.lower() != ".csv":
        return False
    with path.open("rb") as file:
        head = file.readline(4096).decode("utf-8-sig", "replace")
    return set(COLUMNS) <= {name.strip().lower() for name in next(csv.reader([head]), [])}


def read(path: Path, connection: sqlite3.Connection, suite: str | None = None) -> HumanScores:
    """Read and check a file against what the store holds. Raises UsageError, StoreError, DocumentError."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: cannot be read ({error})", "save it as CSV in UTF-8") from error
    there = _dialogues(connection, suite)
    by_rater: dict[tuple[str, str], dict[str, HumanScore]] = defaultdict(dict)
    blank = 0
    for score in _scores(text, path):
        if score.item not in there:
            what, fix = f"`{score.item}` is no item here", "`independence label-sample` writes those there are"
            raise DocumentError(str(path), score.line, what, fix)
        if not score.value:
            blank += 1
            continue
        own = by_rater[score.item, _rater(score, path)]
        if score.field in own:
            what = f"{score.rater} scored `{score.field}` of item {score.item} in line {own[score.field].line} already"
            raise DocumentError(str(path), score.line, what, "keep one of the two")
        own[score.field] = score
    verdicts = (
        _verdict(one, rater, own, path) for (item, rater), own in by_rater.items() for one in there[item].values()
    )
    return HumanScores(tuple(verdicts), blank)


def store(connection: sqlite3.Connection, path: Path, scores: HumanScores) -> int:
    """Write the scores as verdicts in one transaction; those that are there stay. Returns how many were new.

    Raises DocumentError where a rater's stored score is another one.
    """
    with transaction(connection):
        for one in scores.verdicts:
            stored = connection.execute("SELECT fields FROM verdicts WHERE key = ?", (one.row.key,)).fetchone()
            if stored and msgspec.json.decode(stored[0]) != one.values:
                what = f"{one.row.judge} scored this dialogue otherwise before"
                raise DocumentError(str(path), one.line, what, "`independence clear-cache` deletes verdicts")
        return records.add_verdicts(connection, [one.row for one in scores.verdicts])


def scale(field: Field) -> str:
    """The values that a field takes, in words."""
    if field.type == "boolean":
        return "true or false"
    low, high = field.range or (0, 1)
    return f"{low:g} to {high:g}" + (", whole" if field.type == "integer" else "")


def _dialogues(connection: sqlite3.Connection, asked: str | None) -> dict[str, dict[str, ScorableDialogue]]:
    """The finished dialogues by their items, once for each rubric that they can be scored by."""
    out: dict[str, dict[str, ScorableDialogue]] = defaultdict(dict)
    for info in scopes.editions(connection, asked):
        text = queries.read_as(connection, info.where) or queries.document(connection, info.where)
        suite = msgspec.json.decode(text or "", type=Suite)
        rubrics = {one.id: (digest.rubric(suite, one), suite.rubrics[one.rubric].fields) for one in suite.scenarios}
        for state in queries.states(connection, info.where):
            if state.end is not None and state.scenario in rubrics:
                rubric, fields = rubrics[state.scenario]
                out[state.end[:ITEM]].setdefault(rubric, ScorableDialogue(state.key, state.end, rubric, fields))
    return out


def _scores(text: str, path: Path) -> Iterator[HumanScore]:
    reader = csv.reader(io.StringIO(text, newline=""))
    head = [name.strip().lower() for name in next(reader, [])]
    line = reader.line_num + 1
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                if len(cells) < len(head):
                    what = f"fewer cells than the header, which has {len(head)}"
                    raise DocumentError(str(path), line, what, "leave a cell blank instead")
                item, rater, field, value = (cells[head.index(name)].strip() for name in COLUMNS)
                if item or rater or field or value:
                    yield HumanScore(line, item.lower()[:ITEM], rater, field, value)
            line = reader.line_num + 1
    except csv.Error as error:
        raise DocumentError(str(path), line, f"not valid CSV: {error}", "save it as CSV in UTF-8") from error


def _rater(score: HumanScore, path: Path) -> str:
    name = score.rater.removeprefix(f"{HUMAN}:")
    if not name or len(name) > _LONGEST_NAME or not name.isprintable():
        raise DocumentError(str(path), score.line, f"`{name[:_LONGEST_NAME]}` is no name of a rater", "write one")
    return name


def _verdict(one: ScorableDialogue, rater: str, own: Mapping[str, HumanScore], path: Path) -> HumanVerdict:
    """The verdict of a rater under one rubric. Raises DocumentError unless every field has a score of its range."""
    first, *_ = own.values()
    for score in own.values():
        if score.field not in one.fields:
            what = f"the rubric of item {score.item} has no field `{score.field}`"
            raise DocumentError(str(path), score.line, what, f"it has {', '.join(one.fields)}")
    lacking = [name for name in one.fields if name not in own]
    if lacking:
        what = f"{rater} gave item {first.item} no {', '.join(lacking)}"
        raise DocumentError(str(path), first.line, what, "a rubric is scored whole")
    values = {name: _value(score, one.fields[name], path) for name, score in own.items()}
    judge = f"{HUMAN}:{rater}"
    settings = digest.canonical({"judge": judge}).decode()
    row = VerdictRow(
        key=verdict_key(one.end, one.rubric, settings), trial=one.trial, judge=judge, rubric=one.rubric,
        context=one.end, settings=settings, grade=Verdict(values),
    )  # fmt: skip
    return HumanVerdict(first.line, values, row)


def _value(score: HumanScore, field: Field, path: Path) -> Scalar:
    value: Scalar | None = _BOOLEANS.get(score.value.lower())
    if field.type != "boolean":
        with suppress(ValueError):
            value = float(score.value)
    values, wrong = check({score.field: value}, {score.field: field})
    if wrong:
        what = f"`{score.value}` is no value of `{score.field}`:"
        number = {"integer": "a whole number from ", "number": "a number from "}.get(field.type, "")
        raise DocumentError(str(path), score.line, what, f"write {number}{scale(field).removesuffix(', whole')}")
    return values[score.field]
