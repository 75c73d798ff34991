"""Scores out of the labelling app of the rent benchmark: its review JSONL, and its two tables of consensus.

They name an answer by its text alone, so a score goes to the answers of the store that have these words. Each rater
becomes a judge, and what the raters agreed on becomes the judge `human:consensus`.
"""

from __future__ import annotations

import csv
import io
import re
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from independence.config import documents, user_files
from independence.errors import DocumentError, UsageError
from independence.exchange import humans, streamed_files
from independence.exchange.humans import HumanScore, ScoresFile
from independence.store import names
from independence.store.file.database import connect_existing

CONSENSUS = "consensus"
_MODEL = "llm:"  # how the app's reviewer code of a model begins
_FINAL, _DRAFT, _MANUAL = "final_consensus", "consensus_score", "manual_consensus"
_TEXTS = ("model_response_text", "response", "response_text")
_GIVEN = re.compile(r"""['"]?([^'",;:={}|]+?)['"]?\s*[:=]\s*([-+]?\d*\.?\d+)""")  # R1: 0.2, R2=-0.4
_RANGE = (-1.0, 1.0)


class AppScore(NamedTuple):
    """A score of the app: of the answer with this text."""

    line: int
    text: str
    rater: str
    value: float


class _Review(msgspec.Struct, frozen=True):
    """What is read of a line of the review JSONL."""

    model_response_text: str
    reviewer_code: str
    score: float


def takes(path: Path) -> bool:
    """Whether a file begins as one of the app's does."""
    if path.suffix.lower() not in (".csv", ".jsonl") or not path.is_file():
        return False
    with user_files.opened(path) as file:
        head = file.read(65_536).replace(b"\0", b"").lstrip().partition(b"\n")[0]
    if path.suffix.lower() == ".jsonl":
        return b'"reviewer_code"' in head
    return b"reviewer_scores" in head and (_FINAL.encode() in head or _DRAFT.encode() in head)


def read(path: Path) -> tuple[list[AppScore], list[str]]:
    """The scores of a file, the consensus among them, and what of it is left out. Raises UsageError, DocumentError."""
    if path.suffix.lower() == ".csv":
        return list(_of_table(path)), []
    reviews = [documents.json_of(line, path, _Review, number) for number, line in streamed_files.lines(path)]
    people = [
        AppScore(number, one.model_response_text, one.reviewer_code, one.score)
        for number, one in enumerate(reviews, start=1)
        if not one.reviewer_code.startswith(_MODEL)
    ]
    first: dict[tuple[str, str], AppScore] = {}
    given = defaultdict[str, list[AppScore]](list)
    for one in people:
        first.setdefault((one.text, one.rater), one)
        given[one.text].append(one)
    # The app's own rule: the mean of every row, rounded.
    agreed = [
        AppScore(own[0].line, text, CONSENSUS, round(sum(one.value for one in own) / len(own), 3))
        for text, own in given.items()
        if len({one.rater for one in own}) > 1
    ]
    notes = []
    if models := len(reviews) - len(people):
        notes.append(f"{models} scores of models ({_MODEL}...) are left out; `independence judge` grades with models")
    if again := len(people) - len(first):
        notes.append(f"{again} answers were scored again by the same person; the first score is stored")
    return [*first.values(), *agreed], notes


def _of_table(path: Path) -> Iterator[AppScore]:
    rows = csv.DictReader(io.StringIO(user_files.text_of(user_files.read_bytes(path), path), newline=""))
    for row in rows:
        line, text = rows.line_num, next((row[name] for name in _TEXTS if row.get(name)), "")
        said = row.get("reviewer_scores") or ""
        try:
            given: Mapping[str, float] = msgspec.json.decode(said, type=dict[str, float])
        except msgspec.DecodeError:
            given = {rater.strip(): float(value) for rater, value in _GIVEN.findall(said)}
        for rater, value in given.items():
            yield AppScore(line, text, rater, value)
        agreed = row.get(_FINAL) or row.get(_MANUAL) or row.get(_DRAFT) or ""
        try:
            if agreed:
                yield AppScore(line, text, CONSENSUS, float(agreed))
        except ValueError as error:
            raise DocumentError(str(path), line, f"`{agreed}` is no score", "write a number from -1 to 1") from error


def placed(path: Path, scores: Sequence[AppScore], notes: Iterable[str], store: Path, suite: str | None) -> ScoresFile:
    """The scores of answers that the store has, as those of items. Raises UsageError where it has none of them."""
    if not scores:
        raise UsageError(f"{path}: no score of a person in it", "nothing was imported")
    items = {}
    if store.exists():
        with connect_existing(store) as connection:
            items = _items(connection, suite)
    texts = {one.text for one in scores}
    lost = [text for text in texts if _key(text) not in items]
    if len(lost) == len(texts):
        raise UsageError(
            f"{path}: none of its {len(texts)} answers is in {store}, and a score belongs to an answer",
            "`independence import` the run folder that they are of first; answers to posts of AITA are of no suite",
        )
    said = [f"{len(lost)} of {len(texts)} answers are not in the store; their scores are left out"] if lost else []
    return ScoresFile(
        path,
        [
            HumanScore(one.line, item, one.rater, field, f"{one.value:g}")
            for one in scores
            for item, field in sorted(items.get(_key(one.text), ()))
        ],
        (*notes, *said, "scores are stored as they stand, -1 to 1, on the scale of the suite"),
    )


def _items(connection: sqlite3.Connection, suite: str | None) -> dict[str, set[tuple[str, str]]]:
    """Words of an answer -> its items, each with the field it is scored by: of suites with one score from -1 to 1."""
    out = defaultdict[str, set[tuple[str, str]]](set)
    for item, rubrics in humans.scorable(connection, suite).items():
        for one in rubrics.values():
            for name, field in one.fields.items() if len(one.fields) == 1 else ():
                if field.range == _RANGE:
                    out[_key(names.text(connection, one.trial))].add((item, name))
    return out


def _key(text: str) -> str:
    """The words of an answer, however a table ends their lines."""
    return " ".join(text.split())
