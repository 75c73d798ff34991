"""Reads run folders: one record for each model and prompt. A line that cannot be read is skipped and named.

Nothing is handed over before the last line was read.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec

from independence.config import documents
from independence.errors import UsageError
from independence.exchange import grid_rows, streamed_files
from independence.exchange.grid_rows import GridRow, ParsedLine, PromptRecord, grid_row, parse
from independence.extensions.published.rent import editions
from independence.extensions.published.rent.editions import FolderEdition
from independence.extensions.published.rent.records import (
    AnswerRecord,
    GridSnapshot,
    RentFolder,
    ScoredRecord,
    recovered,
    score,
)
from independence.report.files import table_layouts
from independence.report.files.table import Table
from independence.suites.load import LoadedSuite

R = TypeVar("R", PromptRecord, AnswerRecord, ScoredRecord)
S = TypeVar("S", AnswerRecord, ScoredRecord)
AnswerKey = tuple[str, int, str]  # model, run id, scenario


class ImportedAnswer(NamedTuple):
    """What a folder holds of one prompt asked of one model in one run."""

    key: AnswerKey
    record: AnswerRecord
    scores: tuple[ScoredRecord, ...]  # one for each judge


class ImportedFolder(msgspec.Struct, frozen=True, kw_only=True):
    """A run folder. `answers` in the order of the answer file."""

    edition: FolderEdition  # what the answers are kept under
    answers: tuple[ImportedAnswer, ...]
    planned: tuple[str, ...]  # scenarios of the grid and of the records, in the suite's order
    skipped: tuple[str, ...]  # lines that are not read: file, line and why


def read(folder: RentFolder, base: LoadedSuite) -> ImportedFolder:
    """Read a folder whole: the answers that were given to the words of `base`, or of an edition of its own words.

    Raises UsageError for a damaged file, for a suite without a grid, and where no record is sound.
    """
    suite, skipped = base.suite, list[str]()
    if suite.grid is None:
        raise UsageError(f"suite {suite.suite} has no grid of sides", "name the one these answers were given to")
    grid = [one.record for one in _lines(folder.prompts, PromptRecord, skipped)]
    answered = [*_lines(folder.answers, AnswerRecord, skipped)]
    scored = [*_lines(folder.scored, ScoredRecord, skipped)]
    edition = editions.folder_edition([*grid, *_records(answered), *_records(scored)], base)
    answered = [*_in_words(answered, edition, skipped)]
    scored = [*_in_words(scored, edition, skipped)]
    first: dict[str, GridRow] = {}  # prompt -> its facts, those of its first record
    for record in (*_records(answered), *_records(scored)):
        first.setdefault(record.prompt_id, grid_row(record.prompt_id, record.factors, record.perspective))
    scenarios = edition.scenarios([first[prompt] for prompt in sorted(first)])
    given, scores = _by_key(answered, scenarios, skipped), defaultdict[AnswerKey, list[ScoredRecord]](list)
    for judge in dict.fromkeys(one.record.scorer_model for one in scored):
        own = [one for one in scored if one.record.scorer_model == judge]
        for key, graded in _by_key(own, scenarios, skipped).items():
            scores[key].append(graded)
    # What the answer file lacks is read from the scored file.
    every = {**given, **{key: recovered(found[0]) for key, found in scores.items() if key not in given}}
    answers = tuple(ImportedAnswer(key, record, tuple(scores.get(key, ()))) for key, record in every.items())
    if not answers:
        raise UsageError(f"{folder.path}: no record of suite {suite.suite} can be read", "nothing was imported")
    planned = {one.key[2] for one in answers}.union(_planned(folder, grid, edition, skipped))
    return ImportedFolder(
        edition=edition, answers=answers, skipped=tuple(skipped),
        planned=tuple(one.id for one in edition.suite.scenarios if one.id in planned),
    )  # fmt: skip


def _lines(file: Path | None, kind: type[R], skipped: list[str]) -> Iterator[ParsedLine[R]]:
    """The records of a file that name a prompt and, if they are of a run, a model."""
    if file is None:
        return
    for number, line in streamed_files.lines(file):
        try:
            one = parse(Path(file.name), number, line, kind)
        except UsageError as error:
            skipped.append(str(error))
            continue
        if one.record.prompt_id and getattr(one.record, "model_id", "-"):
            yield one
        else:
            skipped.append(f"{one.at}: a record that names no {'model' if one.record.prompt_id else 'prompt'}")


def _records(lines: Iterable[ParsedLine[S]]) -> Iterator[S]:
    return (one.record for one in lines)


def _in_words(lines: Iterable[ParsedLine[S]], edition: FolderEdition, skipped: list[str]) -> Iterator[ParsedLine[S]]:
    """The records that were given the words of the edition."""
    for one in lines:
        if edition.fits(one.record):
            yield one
        else:
            skipped.append(f"{one.at}: {one.record.name} was asked in other words than those of {edition.name}")


def _planned(
    folder: RentFolder, grid: Sequence[PromptRecord], edition: FolderEdition, skipped: list[str]
) -> Collection[str]:
    """The scenarios that were to be asked: those of the prompts file, else of the snapshot, whose rows are numbered."""
    if folder.prompts:
        return edition.scenarios([grid_row(one.prompt_id, one.factors) for one in grid]).values()
    if folder.snapshot is None:
        return ()
    content = b"\n".join(line for _, line in streamed_files.lines(folder.snapshot))
    try:
        asked = documents.json_of(content, Path(folder.snapshot.name), GridSnapshot).factors
    except UsageError as error:
        skipped.append(str(error))
        return ()
    rows = [grid_row(f"{number:03d}", facts) for number, facts in enumerate(asked)]
    return [scenario for scenario in grid_rows.matching_scenarios(edition.suite, rows) if scenario]


def _by_key(lines: Iterable[ParsedLine[S]], scenarios: Mapping[str, str], skipped: list[str]) -> dict[AnswerKey, S]:
    """One record for each key: the first that has an answer or a score, else the first."""

    def has_content(record: AnswerRecord | ScoredRecord) -> bool:
        return record.score is not None if isinstance(record, ScoredRecord) else not record.error

    out: dict[AnswerKey, ParsedLine[S]] = {}
    for one in lines:
        record = one.record
        if record.prompt_id not in scenarios:
            skipped.append(f"{one.at}: {record.name} is no prompt of the suite")
            continue
        key = record.model_id, record.run, scenarios[record.prompt_id]
        before = out.setdefault(key, one)
        if before is not one:
            out[key] = one if has_content(record) and not has_content(before.record) else before
            kept = f"line {out[key].number} is kept"
            skipped.append(f"{one.at}: {record.name} occurs here and in line {before.number}; {kept}")
    return {key: one.record for key, one in out.items()}


def table(imported: ImportedFolder) -> Table:
    """What a folder holds of each model, in numbers."""
    by_model: dict[str, list[ImportedAnswer]] = defaultdict(list)
    for one in imported.answers:
        by_model[one.key[0]].append(one)
    rows = []
    for model, own in by_model.items():
        planned = len(imported.planned) * len({one.key[1] for one in own})
        failed = sum(one.record.error is not None or not one.record.response_text.strip() for one in own)
        _, field = imported.edition.stance
        scored = sum(any(score(record, field) is not None for record in one.scores) for one in own)
        rows.append((model, len({one.key[1] for one in own}), planned, len(own) - failed, failed, scored))
    judges = dict.fromkeys(score.scorer_model for one in imported.answers for score in one.scores)
    note = f"scored by {', '.join(judges)}" if judges else "no scores: `independence judge` grades"
    return table_layouts.made("runs/imported", rows, [note])
