"""Dialogues out of logs and data sets of other tools into a store: checked one by one, then written all or none."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import msgspec

from independence.errors import UsageError
from independence.exchange import logged, storing
from independence.exchange.logged import FORMAT, READ, LoggedEdition
from independence.exchange.storing import NewRows
from independence.judge import kinds
from independence.judge.replies import repeated_answers
from independence.judge.schema import check
from independence.store import context, queries, records, repetitions
from independence.store.dialogues import Dialogue
from independence.store.file.database import transaction, writing
from independence.store.records import EditionRow
from independence.suites import digest
from independence.suites.schema import Suite
from independence.types import Condition, Where

_AT_ONCE = 500  # dialogues in memory


class LoggedFile(NamedTuple):
    """What one log or data set holds. Its dialogues are read while they are stored."""

    path: Path
    edition: LoggedEdition
    dialogues: Iterable[Dialogue]


class StoredLogs(msgspec.Struct, frozen=True):
    """What was found, and how much of it was new."""

    files: int
    dialogues: int
    new: NewRows


def store(files: Iterable[LoggedFile], path: Path, say: Callable[[str], object] = str) -> StoredLogs:
    """Write all files into a store in one transaction. Raises UsageError for what contradicts itself, StoreError."""
    count, dialogues, at, new = 0, 0, records.now(), NewRows(trials=0, replies=0, verdicts=0)
    with writing(path, new=True) as connection, transaction(connection):
        for file in files:
            say(f"reading {file.path}")
            count += 1
            for part in _parts(file):
                _refuse_others(connection, file, part)
                rows = logged.rows(file.edition, part)
                # Where nothing says when a trial was planned, it is now: looks at a comparison are counted by it.
                rows.trials[:] = (msgspec.structs.replace(one, planned_at=one.planned_at or at) for one in rows.trials)
                written = storing.write(connection, rows)
                new = NewRows._make(before + more for before, more in zip(new, written, strict=True))
                dialogues += len(part)
                _compare_answers(connection, file.edition.edition, part)
    return StoredLogs(count, dialogues, new)


def _compare_answers(connection: sqlite3.Connection, edition: EditionRow, part: Iterable[Dialogue]) -> None:
    """Keep which answers repeat others of their run, for boards."""
    if queries.imported(edition.edition):
        return
    suite = msgspec.json.decode(edition.document, type=Suite)
    asked: dict[Condition, dict[str, None]] = {}
    for one in part:
        asked.setdefault(Condition(one.variant, one.mode), {})[one.config] = None
    for condition, configs in asked.items():
        where = Where(edition.suite, edition.edition, condition)
        repetitions.keep(connection, where, configs, repeated_answers.of_suite(suite))


def _parts(file: LoggedFile) -> Iterator[list[Dialogue]]:
    """The dialogues of a file, checked, some at a time."""
    suite = _suite(file)
    own = suite if suite is not None and not queries.imported(file.edition.edition.edition) else None
    found = iter(file.dialogues)
    while part := list(islice(found, _AT_ONCE)):
        for one in part:
            try:
                _check(file.edition, own, one)
            except (ValueError, msgspec.MsgspecError, KeyError) as error:
                place = f"{one.scenario}, run {one.run} of {one.label}"
                what = f"{file.path}: {place} is not as it was recorded: {error}"
                raise UsageError(what, "import the file as it was written") from error
        yield part


def _suite(file: LoggedFile) -> Suite | None:
    """The suite of a file. Raises UsageError where it is not that of its edition, or of another format."""
    own, path = file.edition.edition, file.path
    if file.edition.format not in READ:
        what = f"{path}: written by another version of this package (format {file.edition.format}, this one {FORMAT})"
        raise UsageError(what, "import it with that version")
    try:
        suite = msgspec.json.decode(own.document, type=Suite)
    except msgspec.MsgspecError as error:
        raise UsageError(f"{path}: its suite cannot be read ({error})", "import the file as it was written") from error
    shipped = {name: text for name, text in suite.variants.items() if name not in file.edition.personas}
    bare = msgspec.structs.replace(suite, variants=shipped)
    if not queries.imported(own.edition) and digest.edition(bare) != own.edition:
        what = f"{path}: the texts of suite {own.suite} are not those of edition {own.edition}"
        raise UsageError(what, "import the file as it was written")
    return suite


def _check(edition: LoggedEdition, suite: Suite | None, one: Dialogue) -> None:
    """Raises ValueError for a dialogue that contradicts itself, its edition or its suite."""
    row = edition.edition
    if (row.suite, row.edition) != (one.suite, one.edition):
        raise ValueError("it is of another suite or edition than its file")
    if one.parent is None and one.turns and one.turns[0].reply.context != context.begin(one.trial):
        raise ValueError("its first answer was given on another history")
    if [turn.turn for turn in one.turns] != list(range(len(one.turns))) or len(one.turns) > one.generated:
        raise ValueError("its turns are not counted from 0, or are more than its scenario has")
    if not all(turn.replies for turn in one.turns):
        raise ValueError("it has a turn without an answer")
    if suite is None:
        return
    if digest.sha256(msgspec.json.decode(one.shape, type=dict[str, object]) | {"run": one.run}) != one.trial:
        raise ValueError("its key is not that of what was asked")
    scenario = suite.scenario(one.scenario)
    fields, rubric = suite.rubrics[scenario.rubric].fields, digest.rubric(suite, scenario)
    for own in one.verdicts:
        if own.missing is not None or own.rubric != rubric:
            continue
        values, leaves_out = own.values, kinds.of(own.judge).word == kinds.PICKS  # what it cannot read
        wrong = check(values, {name: one for name, one in fields.items() if name in values or not leaves_out})[1]
        if wrong:
            raise ValueError(f"verdict by {own.judge}: {'; '.join(wrong)}")


def _refuse_others(connection: sqlite3.Connection, file: LoggedFile, part: list[Dialogue]) -> None:
    """Raises UsageError where the store holds another dialogue in the place of one: it would hide it."""
    for one in part:
        where = Where(one.suite, one.edition, Condition(one.variant, one.mode))
        try:
            held = queries.trial_key(connection, where, one.config, one.scenario, one.run)
        except KeyError:
            continue
        if held != one.trial:
            place = f"{one.label}, {one.scenario}, run {one.run} under {where.condition}"
            what = f"{file.path}: the store holds another dialogue of {place}, asked with other settings"
            raise UsageError(what, "import it into a store of its own (--db)")
