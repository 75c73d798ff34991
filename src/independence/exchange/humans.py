"""Scores that people gave, out of a CSV of item, rater, field and value: read whole, checked against the rubrics.

An item is the digest of a finished dialogue, or the first digits of it. A rater is stored
as the judge `human:NAME`. The first error is reported with its line, and then nothing is stored.
"""

from __future__ import annotations

import csv
import io
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import msgspec

from independence.errors import DocumentError, StoreError, UsageError
from independence.judge.kinds import HUMAN
from independence.judge.protocol import verdict_key
from independence.judge.schema import check
from independence.store import queries, records
from independence.store.database import transaction
from independence.store.records import VerdictRow
from independence.suites import digest
from independence.suites.schema import Field, Suite
from independence.types import Scalar, Verdict

COLUMNS = ("item", "rater", "field", "value")
ITEM = 16  # hex digits of an item in files of ours
_LEAST = 8  # hex digits that may stand for an item
_LONGEST_NAME = 64
_A = {"integer": "a whole number", "number": "a number"}
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
    items = {end[:ITEM]: end for end in there}
    by_rater: dict[tuple[str, str], dict[str, HumanScore]] = {}
    blank = 0
    for score in _scores(text, path):
        rated = (items.get(score.item.lower()) or _end(score, there, path), _rater(score, path))
        if not score.value:
            blank += 1
            continue
        own = by_rater.setdefault(rated, {})
        if score.field in own:
            what = f"{score.rater} scored `{score.field}` of item {score.item} in line {own[score.field].line} already"
            raise DocumentError(str(path), score.line, what)
        own[score.field] = score
    given = [one for (end, rater), own in by_rater.items() for one in _verdicts(there[end], rater, own, path)]
    return HumanScores(tuple(given), blank)


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


def _dialogues(connection: sqlite3.Connection, asked: str | None) -> dict[str, list[ScorableDialogue]]:
    """The finished dialogues by their digests, once for each rubric that they can be scored by."""
    name, _, edition = (asked or "").partition("@")
    fitting = [one for one in queries.editions(connection) if name in ("", one.suite) and edition in ("", one.edition)]
    if not fitting:
        what = f"the store holds no trials of `{asked}`" if asked else "the store is empty"
        raise StoreError(what, "scores are about stored dialogues")
    out: dict[str, list[ScorableDialogue]] = {}
    for info in fitting:
        text = queries.read_as(connection, info.where) or queries.document(connection, info.where)
        suite = msgspec.json.decode(text or "", type=Suite)
        rubrics = {one.id: (digest.rubric(suite, one), suite.rubrics[one.rubric].fields) for one in suite.scenarios}
        for state in queries.states(connection, info.where):
            if state.end is not None and state.scenario in rubrics:
                rubric, fields = rubrics[state.scenario]
                own = out.setdefault(state.end, [])
                if rubric not in [other.rubric for other in own]:
                    own.append(ScorableDialogue(state.key, state.end, rubric, fields))
    return out


def _scores(text: str, path: Path) -> Iterator[HumanScore]:
    reader = csv.reader(io.StringIO(text, newline=""))
    head = [name.strip().lower() for name in next(reader, [])]
    places = [head.index(name) for name in COLUMNS]
    line = reader.line_num + 1
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                if len(cells) <= max(places):
                    raise DocumentError(str(path), line, f"{len(cells)} cells where the header has {len(head)}")
                item, rater, field, value = (cells[place].strip() for place in places)
                yield HumanScore(line, item, rater, field, value)
            line = reader.line_num + 1
    except csv.Error as error:
        raise DocumentError(str(path), line, f"not valid CSV: {error}") from error


def _end(score: HumanScore, there: Mapping[str, object], path: Path) -> str:
    item = score.item.lower()
    found = [end for end in there if end.startswith(item)] if len(item) >= _LEAST else []
    if len(found) != 1:
        what, fix = "is no item here", "`independence label-sample` writes those there are"
        if found:
            what, fix = "may be several dialogues", "write more of it"
        raise DocumentError(str(path), score.line, f"`{score.item}` {what}", fix)
    return found[0]


def _rater(score: HumanScore, path: Path) -> str:
    name = score.rater.removeprefix(f"{HUMAN}:")
    if not score.value and not name:
        return ""
    if not name or len(name) > _LONGEST_NAME or not name.isprintable():
        raise DocumentError(str(path), score.line, f"`{name[:_LONGEST_NAME]}` is no name of a rater", "write one")
    return name


def _verdicts(
    dialogues: list[ScorableDialogue], rater: str, own: Mapping[str, HumanScore], path: Path
) -> Iterator[HumanVerdict]:
    """The verdict of a rater under each rubric. Raises DocumentError unless every field has a score of its range."""
    first = min(own.values(), key=lambda score: score.line)
    for one in dialogues:
        for score in own.values():
            if score.field not in one.fields:
                known = ", ".join(one.fields)
                what = f"the rubric of item {score.item} has no field `{score.field}`; it has {known}"
                raise DocumentError(str(path), score.line, what)
        lacking = [name for name in one.fields if name not in own]
        if lacking:
            what = f"{rater} gave item {first.item} no {', '.join(lacking)}; a rubric is scored whole"
            raise DocumentError(str(path), first.line, what)
        values = {name: _value(score, one.fields[name], path) for name, score in own.items()}
        yield HumanVerdict(first.line, values, _row(one, f"{HUMAN}:{rater}", values))


def _row(one: ScorableDialogue, judge: str, values: dict[str, Scalar]) -> VerdictRow:
    settings = digest.canonical({"judge": judge}).decode()
    return VerdictRow(
        key=verdict_key(one.end, one.rubric, settings), trial=one.trial, judge=judge, rubric=one.rubric,
        context=one.end, settings=settings, grade=Verdict(values),
    )  # fmt: skip


def _value(score: HumanScore, field: Field, path: Path) -> Scalar:
    given: Scalar | None = _BOOLEANS.get(score.value.lower())
    if field.type != "boolean":
        with suppress(ValueError):
            given = float(score.value)
    values, wrong = check({score.field: given}, {score.field: field})
    if wrong:
        low, high = field.range or (0, 1)
        wanted = "true or false" if field.type == "boolean" else f"{_A[field.type]} from {low:g} to {high:g}"
        what = f"`{score.value}` is no value of `{score.field}`:"
        raise DocumentError(str(path), score.line, what, f"write {wanted}")
    return values[score.field]
