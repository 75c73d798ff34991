"""The reader of run folders: a folder in, one record a model and prompt out, every oddity named.

Nothing is handed over before the last line was read.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec

from independence.errors import UsageError
from independence.exchange.rent import folder as files
from independence.exchange.rent import prompts, summary, words
from independence.exchange.rent.edition import FolderEdition
from independence.exchange.rent.folder import Oddity, RentFolder
from independence.exchange.rent.prompts import GridRow, grid_row
from independence.exchange.rent.records import (
    AnswerRecord,
    LinePosition,
    ParsedLine,
    ScoredRecord,
    in_range,
    parse,
    recovered,
)
from independence.stats.stance import AskingParties
from independence.store.queries import PUBLISHED
from independence.suites.schema import Field, Suite

R = TypeVar("R", AnswerRecord, ScoredRecord)
AnswerKey = tuple[str, int, str]  # model, run id, scenario


class ImportedScore(NamedTuple):
    """A line of the scored file."""

    line: ParsedLine[ScoredRecord]
    score: float | None  # None where there is none in range


class ImportedAnswer(NamedTuple):
    """What a folder holds of one prompt asked of one model in one run."""

    key: AnswerKey
    line: ParsedLine[AnswerRecord]
    scores: tuple[ImportedScore, ...]  # one for each judge

    @property
    def record(self) -> AnswerRecord:
        """The answer."""
        return self.line.record


class ImportedFolder(msgspec.Struct, frozen=True, kw_only=True):
    """A run folder. `answers` in the order of the answer file."""

    answers: tuple[ImportedAnswer, ...]
    planned: tuple[str, ...]  # scenarios of the grid and of the records, in the suite's order
    snapshot: bytes  # as it came, empty where there is none
    grid: bytes  # the same of the prompts
    oddities: tuple[Oddity, ...]
    others: tuple[str, ...]  # files that are no part of a run; ignored
    edition: str = PUBLISHED  # what the answers are kept under


def read(folder: RentFolder, suite: Suite, edition: FolderEdition | None = None) -> ImportedFolder:
    """Read a folder whole; with an edition, only answers that were given to its words.

    Raises UsageError for a damaged file, for a suite without a grid, and where no record is sound.
    """
    if suite.grid is None:
        raise UsageError(f"suite {suite.suite} has no grid of sides; name the one these answers were given to")
    found: list[Oddity] = []
    answered = [*_records(folder.answers, AnswerRecord, found)]
    scored = [*_records(folder.scored, ScoredRecord, found)]
    if edition:
        answered, scored = [*_in_words(answered, edition, found)], [*_in_words(scored, edition, found)]
    by_id = edition is not None and bool(edition.words)
    keys = _keys(suite, [*answered, *scored], found, by_id)
    field = suite.rubrics[suite.grid.rubric].fields[suite.grid.stance]
    by_key, scores = _by_key(answered, keys, found), _scores(scored, keys, field, found)
    answers = [*_answers(by_key, scores, found)]
    answers += _alone({key: own for key, own in scores.items() if key not in by_key}, bool(answered), found)
    if not answers:
        raise UsageError(f"{folder.path}: no record of suite {suite.suite} can be read; nothing was imported")
    # Rows of a snapshot are counted, not named: their facts say which prompts they are.
    rows = prompts.by_scenario(suite, prompts.grid_rows(folder, found), found, by_id and folder.prompts is not None)
    if not rows:
        there = {one.key[2]: grid_row(one.line.at, one.record.prompt_id, {}) for one in answers}
        prompts.name_split(suite, there, found)
    _name_absent(answers, rows, folder, found)
    _check_summary(folder, suite, answers, found)
    asked = rows.keys() | {one.key[2] for one in answers}
    return ImportedFolder(
        answers=tuple(answers), planned=tuple(scenario.id for scenario in suite.scenarios if scenario.id in asked),
        snapshot=files.content(folder.snapshot), grid=files.content(folder.prompts), oddities=tuple(found),
        others=folder.others, edition=edition.name if edition else PUBLISHED,
    )  # fmt: skip


def _records(file: Path | None, kind: type[R], found: list[Oddity]) -> Iterator[ParsedLine[R]]:
    """The records of a file that say whose they are; what is odd about any goes to `found`."""
    for at, line in files.lines(file) if file else ():
        try:
            one = parse(at, line, kind)
        except ValueError as error:
            found.append(Oddity("broken_line", at, str(error)))
            continue
        found.extend(Oddity("unknown_key", at, f"key `{key}`") for key in one.unknown)
        found.extend(Oddity("wrong_type", at, f"`{key}` has another type") for key in one.wrong if key != "score")
        if not one.record.model_id:
            found.append(Oddity("no_model", at, "a record that names no model"))
        elif not one.record.prompt_id:
            found.append(Oddity("no_prompt", at, f"a record of {one.record.model_id} that names no prompt"))
        else:
            yield one


def _about(record: AnswerRecord | ScoredRecord) -> str:
    return f"prompt {record.prompt_id} of {record.model_id}"


def _in_words(read: Iterable[ParsedLine[R]], edition: FolderEdition, found: list[Oddity]) -> Iterator[ParsedLine[R]]:
    """The records that were given the words of the edition."""
    for one in read:
        if edition.fits(one.record.prompt_id, words.role_texts(one.record.messages)):
            yield one
        else:
            what = f"{_about(one.record)} was asked in other words than those of {edition.name}"
            found.append(Oddity("other_words", one.at, what))


class _Keys(NamedTuple):
    scenarios: Mapping[str, str]  # by prompt id
    run_id: int  # of records that do not say

    def of(self, record: AnswerRecord | ScoredRecord) -> AnswerKey | None:
        """Model, run and scenario of a record; None where the suite has no such prompt."""
        scenario = self.scenarios.get(record.prompt_id)
        run_id = self.run_id if record.run is None else record.run
        return (record.model_id, run_id, scenario) if scenario else None


def _keys(
    suite: Suite,
    read: Sequence[ParsedLine[AnswerRecord] | ParsedLine[ScoredRecord]],
    found: list[Oddity],
    by_id: bool,
) -> _Keys:
    """Names prompts that the suite does not have. The facts of a prompt are those of its first record."""
    first: dict[str, GridRow] = {}
    run_ids: Counter[int] = Counter()
    for one in read:
        record = one.record
        first.setdefault(record.prompt_id, grid_row(one.at, record.prompt_id, record.factors, record.perspective))
        run_ids.update(() if record.run is None else (record.run,))
    rows = [first[prompt] for prompt in sorted(first)]
    placed = prompts.matching_scenarios(suite, rows, by_id)
    out = {row.prompt_id: scenario for row, scenario in zip(rows, placed, strict=True) if scenario}
    found.extend(
        Oddity("unknown_prompt", one.at, f"{_about(one.record)} is none of suite {suite.suite}")
        for one in read
        if one.record.prompt_id not in out
    )
    return _Keys(out, next(iter(run_ids.most_common(1)), (0, 0))[0])


def _by_key(read: Iterable[ParsedLine[R]], keys: _Keys, found: list[Oddity]) -> dict[AnswerKey, ParsedLine[R]]:
    """One record a key: the first that says something, else the first."""
    out: dict[AnswerKey, ParsedLine[R]] = {}
    for one in read:
        key = keys.of(one.record)
        if key is None:
            continue
        before = out.setdefault(key, one)
        if before is not one:
            kept = one if _says(one.record) and not _says(before.record) else before
            what = f"{_about(one.record)} stands here and in line {before.at.number}; line {kept.at.number} is kept"
            found.append(Oddity("duplicate", one.at, what))
            out[key] = kept
    return out


def _says(record: AnswerRecord | ScoredRecord) -> bool:
    return record.score is not None if isinstance(record, ScoredRecord) else not record.error


def _scores(
    read: Sequence[ParsedLine[ScoredRecord]], keys: _Keys, field: Field, found: list[Oddity]
) -> dict[AnswerKey, list[ImportedScore]]:
    """The scored records of each key, one for each judge."""
    out: dict[AnswerKey, list[ImportedScore]] = defaultdict(list)
    for judge in dict.fromkeys(one.record.scorer_model for one in read):
        own = [one for one in read if one.record.scorer_model == judge]
        for key, one in _by_key(own, keys, found).items():
            score = one.record.score if in_range(one.record, field) else None
            out[key].append(ImportedScore(one, score))
            raw = bytes(one.whole.get("score", b"null")).decode()
            if raw != "null" and score is None:
                what = f"score {raw} of {_about(one.record)} is no number from {field.range}"
                found.append(Oddity("bad_score", one.at, what))
            if not judge:
                found.append(Oddity("no_judge", one.at, f"no judge; prompt {one.record.prompt_id}"))
    return out


def _answers(
    answers: Mapping[AnswerKey, ParsedLine[AnswerRecord]],
    scores: Mapping[AnswerKey, Sequence[ImportedScore]],
    found: list[Oddity],
) -> Iterator[ImportedAnswer]:
    for key, one in answers.items():
        own = tuple(scores.get(key, ()))
        for score in own:
            if score.line.record.response_text != one.record.response_text:
                what = f"{_about(one.record)} was scored on other words than in {one.at.file}"
                found.append(Oddity("other_text", score.line.at, what))
        yield ImportedAnswer(key, one, own)


def _alone(
    scores: Mapping[AnswerKey, Sequence[ImportedScore]], named: bool, found: list[Oddity]
) -> Iterator[ImportedAnswer]:
    """Answers out of scored records; `named` where there is an answer file, which lacks them."""
    for key, own in scores.items():
        at, record = own[0].line.at, own[0].line.record
        if not record.response_text and not record.error:
            found.append(Oddity("score_of_nothing", at, f"{_about(record)} has no answer anywhere"))
        elif named:
            found.append(Oddity("no_answer_line", at, f"{_about(record)} is not in the answer file"))
        yield ImportedAnswer(key, ParsedLine(at, recovered(record), {}), tuple(own))


def _name_absent(
    answers: Sequence[ImportedAnswer], rows: Mapping[str, GridRow], folder: RentFolder, found: list[Oddity]
) -> None:
    """Name the prompts of the grid that a model has no record of."""
    there = {one.key for one in answers}
    at = LinePosition((folder.answers or folder.scored or folder.path).name, 0)
    for model, run_id in dict.fromkeys(one.key[:2] for one in answers):
        for scenario, row in rows.items():
            if (model, run_id, scenario) not in there:
                found.append(Oddity("missing_answer", at, f"prompt {row.prompt_id} of {model} is not there"))


def _check_summary(folder: RentFolder, suite: Suite, answers: Sequence[ImportedAnswer], found: list[Oddity]) -> None:
    """Compare the summary with the scores of the one judge; of several it would not say whose it is."""
    judges = {score.line.record.scorer_model for one in answers for score in one.scores}
    if folder.summary is None or len(judges) != 1 or suite.grid is None:
        return
    rated = [
        summary.rated(one.record.model_id, one.record.factors, one.scores[0].score if one.scores else None)
        for one in answers
    ]
    text = files.content(folder.summary).decode("utf-8", "replace")
    sides = AskingParties(*list(suite.grid.sides)[:2])
    found.extend(summary.differences(folder.summary.name, text, rated, sides))
