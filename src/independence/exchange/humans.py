"""Scores that people gave, out of a CSV of item, rater, field and value or the viewer's ratings.json: read whole,
checked against the rubrics.

An item is the first digits of the digest of a finished dialogue. A rater is stored as the judge `human:NAME`. The first
error is reported with its line or rating, and then nothing is stored.
"""

from __future__ import annotations

import csv
import io
import re
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import msgspec

from independence.config import documents, user_files
from independence.errors import DocumentError, UsageError
from independence.judge import schema
from independence.judge.kinds import HUMAN
from independence.judge.protocol import verdict_key
from independence.report.pages.served import Rating, RatingsFile
from independence.store import queries, records, scopes
from independence.store.file.database import transaction
from independence.store.records import VerdictRow
from independence.suites import digest
from independence.suites.schema import Field, Suite
from independence.types import Scalar, Verdict

COLUMNS = ("item", "rater", "field", "value")
ITEM = 16  # hex digits of an item
LETTER = "i"  # before an item in tables: spreadsheets would read some of the digits as a number
_NUMBER = re.compile(r"[\d.,]+(?:e[+-]?\d+)?")
_RATINGS = ".json"
_TABLES = (".csv", ".tsv", ".txt")  # Excel names its "Unicode text" .txt
_DELIMITERS = ",;\t"
_LONGEST_NAME = 64
_BOOLEANS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


class ScorableDialogue(NamedTuple):
    """A finished dialogue, and the rubric of one edition that it can be scored by."""

    trial: str
    end: str  # digest of its words
    rubric: str
    fields: Mapping[str, Field]


class HumanScore(NamedTuple):
    """One score: a line of a CSV, or a field of a rating."""

    line: int  # or the number of the rating
    item: str
    rater: str
    field: str
    value: str


class ScoresFile(NamedTuple):
    """What a file of scores holds. `notes`: what of it is no verdict."""

    path: Path
    scores: Sequence[HumanScore]
    notes: tuple[str, ...] = ()


class HumanScores(NamedTuple):
    """A file of scores. `blank`: lines without a value yet, by rater; `notes`: what of it is no verdict."""

    verdicts: tuple[tuple[int, VerdictRow], ...]  # all that one rater gave one dialogue, with the line of the first
    blank: Mapping[str, int]
    notes: tuple[str, ...] = ()


def is_scores(path: Path) -> bool:
    """Whether a path means a table of scores or the viewer's ratings, by its suffix."""
    return not path.is_dir() and path.suffix.lower() in (_RATINGS, *_TABLES)


def read(content: bytes, path: Path) -> ScoresFile:
    """What a file holds; the suffix of `path` says which kind it is. Raises UsageError, DocumentError."""
    if path.suffix.lower() == _RATINGS:
        return ScoresFile(path, *_of_ratings(content, path))
    return ScoresFile(path, list(_scores(user_files.text_of(content, path), path)))


def check(held: ScoresFile, connection: sqlite3.Connection, suite: str | None = None) -> HumanScores:
    """A verdict for every dialogue and rater, by the rubrics of the store.

    Raises UsageError, StoreError, DocumentError.
    """
    path, there = held.path, scorable(connection, suite)
    by_rater: dict[tuple[str, str], dict[str, HumanScore]] = defaultdict(dict)
    blank = Counter[str]()
    for score in held.scores:
        if score.item not in there:
            what, fix = f"`{score.item}` is no item here", "`independence label-sample` writes those there are"
            if _NUMBER.fullmatch(score.item):
                lines = sorted({one.line for one in held.scores if one.item == score.item})
                what = f"{what} (so in {len(lines)} lines)" if len(lines) > 1 else what
                fix = "a spreadsheet seems to have made a number of it; write the item of the sample there"
            raise _fault(path, score.line, what, fix)
        if not score.value:
            blank[score.rater and f"{HUMAN}:{score.rater}"] += 1
            continue
        name = score.rater.removeprefix(f"{HUMAN}:")
        if not name or len(name) > _LONGEST_NAME or not name.isprintable():
            raise _fault(path, score.line, f"`{name[:_LONGEST_NAME]}` is no name of a rater", "write one")
        own = by_rater[score.item, name]
        if score.field in own:
            what = f"{score.rater} scored `{score.field}` of item {score.item} in line {own[score.field].line} already"
            raise _fault(path, score.line, what, "keep one of the two")
        own[score.field] = score
    verdicts = (
        _verdict(one, rater, own, path) for (item, rater), own in by_rater.items() for one in there[item].values()
    )
    return HumanScores(tuple(verdicts), blank, held.notes)


def store(connection: sqlite3.Connection, path: Path, scores: HumanScores) -> int:
    """Write the scores as verdicts in one transaction; those that are there stay. Returns how many were new.

    Raises DocumentError where a rater's stored score is another one.
    """
    with transaction(connection):
        for line, row in scores.verdicts:
            stored = connection.execute("SELECT fields FROM verdicts WHERE key = ?", (row.key,)).fetchone()
            if stored and isinstance(row.grade, Verdict) and msgspec.json.decode(stored[0]) != row.grade.values:
                what = f"{row.judge} scored this dialogue otherwise before"
                raise _fault(path, line, what, "`independence clear-cache` deletes verdicts")
        return records.add_verdicts(connection, [row for _, row in scores.verdicts])


def scale(field: Field) -> str:
    """The values that a field takes, in words."""
    if field.type == "boolean":
        return "true or false"
    low, high = field.range or (0, 1)
    return f"{low:g} to {high:g}" + (", whole" if field.type == "integer" else "")


def scorable(connection: sqlite3.Connection, asked: str | None) -> dict[str, dict[str, ScorableDialogue]]:
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


def _item(written: str) -> str:
    """An item as it is written in a table or on a page."""
    low = written.lower()
    return low.removeprefix(LETTER)[:ITEM] if len(low) > ITEM else low


def _scores(text: str, path: Path) -> Iterator[HumanScore]:
    """The lines of a table of scores, read by the delimiter that makes its header hold the four columns."""
    for delimiter in _DELIMITERS:
        rows = _rows(text, delimiter, path)
        with suppress(DocumentError):
            head = [name.strip().lower() for name in next(rows, (1, []))[1]]
            if set(COLUMNS) <= set(head):
                break
    else:
        what = f"the columns {', '.join(COLUMNS)} were not found"
        fix = (
            "`independence label-sample` writes such a table (UTF-8; commas, semicolons or tabs); the only other ones "
            "that are read are those of the rent benchmark's labelling app"
        )
        raise DocumentError(str(path), 1, what, fix)
    for line, cells in rows:
        if len(cells) < len(head):
            what = f"fewer cells than the header, which has {len(head)}"
            raise DocumentError(str(path), line, what, "leave a cell blank instead")
        if any(cell.strip() for cell in cells[len(head) :]):  # 7,5 without quotes would be 7
            what = f"more cells than the header, which has {len(head)}"
            raise DocumentError(str(path), line, what, "put a cell that holds the separator into quotes")
        item, rater, field, value = (cells[head.index(name)].strip() for name in COLUMNS)
        if delimiter != ",":
            value = value.replace(",", ".")  # 7.5 as it is written where commas are no delimiters
        if item or rater or field or value:
            yield HumanScore(line, _item(item), rater, field, value)


def _rows(text: str, delimiter: str, path: Path) -> Iterator[tuple[int, list[str]]]:
    """The rows that are not blank, each with its line, whatever ends lines. Excel's own first line is left out."""
    # Without `strict` a quote that is not closed would swallow the lines below it.
    lines = io.StringIO(text.replace("\ufeff", ""), newline="\n")
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    line = 1
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells) and not cells[0].lower().startswith("sep="):
                yield line, cells
            line = reader.line_num + 1
    except csv.Error as error:
        raise DocumentError(str(path), line, f"not valid CSV: {error}", "save it as CSV in UTF-8") from error


def _of_ratings(content: bytes, path: Path) -> tuple[list[HumanScore], tuple[str, ...]]:
    """The scores of a ratings file, of a dialogue rated twice those of the first time; and what of it is no verdict."""
    held = documents.json_of(content, path, RatingsFile, fix="download ratings from the viewer's page `Rate`")
    first: dict[str, Rating] = {}
    out, same = [], []
    for number, rating in enumerate(held.ratings, start=1):
        item = _item(rating.item.strip())
        if item in first:
            same.append(first[item].values == rating.values)
            continue
        first[item] = rating
        out += [HumanScore(number, item, held.rater, name, str(value)) for name, value in rating.values.items()]
    notes = []
    if same:
        notes.append(f"{len(same)} dialogues were rated again, {sum(same)} of them alike; the first rating is stored")
    if held.pairs:
        notes.append(f"{len(held.pairs)} comparisons of two dialogues are no verdicts; they stay in the file")
    return out, tuple(notes)


def _fault(path: Path, line: int, what: str, fix: str) -> UsageError:
    if path.suffix.lower() == _RATINGS:
        return UsageError(f"{path}: rating {line}: {what}", fix)
    return DocumentError(str(path), line, what, fix)


def _verdict(one: ScorableDialogue, rater: str, own: Mapping[str, HumanScore], path: Path) -> tuple[int, VerdictRow]:
    """The verdict of a rater under one rubric. Raises DocumentError unless every field has a score of its range."""
    first, *_ = own.values()
    for score in own.values():
        if score.field not in one.fields:
            what = f"the rubric of item {score.item} has no field `{score.field}`"
            raise _fault(path, score.line, what, f"it has {', '.join(one.fields)}")
    lacking = [name for name in one.fields if name not in own]
    if lacking:
        what = f"{rater} gave item {first.item} no {', '.join(lacking)}"
        raise _fault(path, first.line, what, "a rubric is scored whole")
    values = {name: _value(score, one.fields[name], path) for name, score in own.items()}
    judge = f"{HUMAN}:{rater}"
    settings = digest.canonical({"judge": judge}).decode()
    row = VerdictRow(
        key=verdict_key(one.end, one.rubric, settings), trial=one.trial, judge=judge, rubric=one.rubric,
        context=one.end, settings=settings, grade=Verdict(values),
    )  # fmt: skip
    return first.line, row


def _value(score: HumanScore, field: Field, path: Path) -> Scalar:
    value: Scalar | None = _BOOLEANS.get(score.value.lower())
    if field.type != "boolean":
        with suppress(ValueError):
            value = float(score.value)
    values, wrong = schema.check({score.field: value}, {score.field: field})
    if wrong:
        what = f"`{score.value}` is no value of `{score.field}`:"
        number = {"integer": "a whole number from ", "number": "a number from "}.get(field.type, "")
        raise _fault(path, score.line, what, f"write {number}{scale(field).removesuffix(', whole')}")
    return values[score.field]
