"""Reads run folders: one record for each model and prompt, and every oddity.

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
from independence.exchange.rent.folder import Oddity, OddityKind, RentFolder
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
from independence.exchange.rent.words import FolderEdition
from independence.store.queries import PUBLISHED
from independence.suites.schema import Grid, Suite

R = TypeVar("R", AnswerRecord, ScoredRecord)
AnswerKey = tuple[str, int, str]  # model, run id, scenario


class ImportedScore(NamedTuple):
    """A line of the scored file, and its score."""

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
        raise UsageError(f"suite {suite.suite} has no grid of sides", "name the one these answers were given to")
    return _FolderReader(folder, suite, suite.grid, edition).read()


class _AnswerKeys(NamedTuple):
    scenarios: Mapping[str, str]  # by prompt id
    run_id: int  # of records that do not say

    def of(self, record: AnswerRecord | ScoredRecord) -> AnswerKey | None:
        """Model, run and scenario of a record; None where the suite has no such prompt."""
        scenario = self.scenarios.get(record.prompt_id)
        run_id = self.run_id if record.run is None else record.run
        return (record.model_id, run_id, scenario) if scenario else None


class _FolderReader:
    """Reads one folder once. Oddities are kept in the order in which they are met."""

    def __init__(self, folder: RentFolder, suite: Suite, grid: Grid, edition: FolderEdition | None) -> None:
        self._folder, self._suite, self._grid, self._edition = folder, suite, grid, edition
        self._by_id = edition is not None and bool(edition.words)
        self._found: list[Oddity] = []

    def _report(self, kind: OddityKind, at: LinePosition, detail: str) -> None:
        self._found.append(Oddity(kind, at, detail))

    def read(self) -> ImportedFolder:
        folder, suite, found = self._folder, self._suite, self._found
        answered = [*self._records(folder.answers, AnswerRecord)]
        scored = [*self._records(folder.scored, ScoredRecord)]
        if self._edition:
            answered = [*self._in_words(answered, self._edition)]
            scored = [*self._in_words(scored, self._edition)]
        keys = self._keys([*answered, *scored])
        by_key, scores = self._by_key(answered, keys), self._scores(scored, keys)
        answers = [*self._answers(by_key, scores)]
        answers += self._alone({key: own for key, own in scores.items() if key not in by_key}, bool(answered))
        if not answers:
            raise UsageError(f"{folder.path}: no record of suite {suite.suite} can be read", "nothing was imported")
        # Rows of a snapshot are counted, not named: their facts say which prompts they are.
        by_id = self._by_id and folder.prompts is not None
        rows = prompts.by_scenario(suite, prompts.grid_rows(folder, found), found, by_id)
        if not rows:
            there = {one.key[2]: grid_row(one.line.at, one.record.prompt_id, {}) for one in answers}
            prompts.report_split(suite, there, found)
        self._report_absent(answers, rows)
        self._check_summary(answers)
        asked = rows.keys() | {one.key[2] for one in answers}
        return ImportedFolder(
            answers=tuple(answers), planned=tuple(one.id for one in suite.scenarios if one.id in asked),
            snapshot=files.content(folder.snapshot), grid=files.content(folder.prompts), oddities=tuple(found),
            others=folder.others, edition=self._edition.name if self._edition else PUBLISHED,
        )  # fmt: skip

    def _records(self, file: Path | None, kind: type[R]) -> Iterator[ParsedLine[R]]:
        """The records of a file that name a model and a prompt."""
        for at, line in files.lines(file) if file else ():
            try:
                one = parse(at, line, kind)
            except ValueError as error:
                self._report("broken_line", at, str(error))
                continue
            for key in one.unknown:
                self._report("unknown_key", at, f"key `{key}`")
            for key in one.wrong:
                if key != "score":
                    self._report("wrong_type", at, f"`{key}` has another type")
            if not one.record.model_id:
                self._report("no_model", at, "a record that names no model")
            elif not one.record.prompt_id:
                self._report("no_prompt", at, f"a record of {one.record.model_id} that names no prompt")
            else:
                yield one

    def _in_words(self, read: Iterable[ParsedLine[R]], edition: FolderEdition) -> Iterator[ParsedLine[R]]:
        """The records that were given the words of the edition."""
        for one in read:
            if edition.fits(one.record.prompt_id, words.role_texts(one.record.messages)):
                yield one
            else:
                what = f"{_about(one.record)} was asked in other words than those of {edition.name}"
                self._report("other_words", one.at, what)

    def _keys(self, read: Sequence[ParsedLine[AnswerRecord] | ParsedLine[ScoredRecord]]) -> _AnswerKeys:
        """Report prompts that the suite does not have. The facts of a prompt are those of its first record."""
        first: dict[str, GridRow] = {}
        for one in read:
            name = one.record.prompt_id
            first.setdefault(name, grid_row(one.at, name, one.record.factors, one.record.perspective))
        run_ids = Counter(one.record.run for one in read if one.record.run is not None)
        rows = [first[prompt] for prompt in sorted(first)]
        placed = prompts.matching_scenarios(self._suite, rows, self._by_id)
        out = {row.prompt_id: scenario for row, scenario in zip(rows, placed, strict=True) if scenario}
        for one in read:
            if one.record.prompt_id not in out:
                self._report("unknown_prompt", one.at, f"{_about(one.record)} is none of suite {self._suite.suite}")
        return _AnswerKeys(out, next(iter(run_ids.most_common(1)), (0, 0))[0])

    def _by_key(self, read: Iterable[ParsedLine[R]], keys: _AnswerKeys) -> dict[AnswerKey, ParsedLine[R]]:
        """One record for each key: the first that has an answer or a score, else the first."""
        out: dict[AnswerKey, ParsedLine[R]] = {}
        for one in read:
            key = keys.of(one.record)
            before = out.setdefault(key, one) if key else one
            if key and before is not one:
                out[key] = one if _has_content(one.record) and not _has_content(before.record) else before
                stands = f"{_about(one.record)} occurs here and in line {before.at.number}"
                self._report("duplicate", one.at, f"{stands}; line {out[key].at.number} is kept")
        return out

    def _scores(
        self, read: Sequence[ParsedLine[ScoredRecord]], keys: _AnswerKeys
    ) -> dict[AnswerKey, list[ImportedScore]]:
        """The scored records of each key, one for each judge."""
        field = self._suite.rubrics[self._grid.rubric].fields[self._grid.stance]
        out: dict[AnswerKey, list[ImportedScore]] = defaultdict(list)
        for judge in dict.fromkeys(one.record.scorer_model for one in read):
            own = [one for one in read if one.record.scorer_model == judge]
            for key, one in self._by_key(own, keys).items():
                score = one.record.score if in_range(one.record, field) else None
                out[key].append(ImportedScore(one, score))
                raw = bytes(one.whole.get("score", b"null")).decode()
                if raw != "null" and score is None:
                    what = f"score {raw} of {_about(one.record)} is no number from {field.range}"
                    self._report("bad_score", one.at, what)
                if not judge:
                    self._report("no_judge", one.at, f"no judge; prompt {one.record.prompt_id}")
        return out

    def _answers(
        self, answers: Mapping[AnswerKey, ParsedLine[AnswerRecord]], scores: Mapping[AnswerKey, list[ImportedScore]]
    ) -> Iterator[ImportedAnswer]:
        for key, one in answers.items():
            own = tuple(scores.get(key, ()))
            for score in own:
                if score.line.record.response_text != one.record.response_text:
                    what = f"{_about(one.record)} was scored on other words than in {one.at.file}"
                    self._report("other_text", score.line.at, what)
            yield ImportedAnswer(key, one, own)

    def _alone(self, scores: Mapping[AnswerKey, list[ImportedScore]], named: bool) -> Iterator[ImportedAnswer]:
        """Answers read from scored records; `named` where there is an answer file, which lacks them."""
        for key, own in scores.items():
            at, record = own[0].line.at, own[0].line.record
            if not record.response_text and not record.error:
                self._report("score_of_nothing", at, f"{_about(record)} has no answer anywhere")
            elif named:
                self._report("no_answer_line", at, f"{_about(record)} is not in the answer file")
            yield ImportedAnswer(key, ParsedLine(at, recovered(record), {}), tuple(own))

    def _report_absent(self, answers: Sequence[ImportedAnswer], rows: Mapping[str, GridRow]) -> None:
        """Report the prompts of the grid that a model has no record of."""
        there = {one.key for one in answers}
        at = LinePosition((self._folder.answers or self._folder.scored or self._folder.path).name, 0)
        for model, run_id in dict.fromkeys(one.key[:2] for one in answers):
            for scenario, row in rows.items():
                if (model, run_id, scenario) not in there:
                    self._report("missing_answer", at, f"prompt {row.prompt_id} of {model} is not there")

    def _check_summary(self, answers: Sequence[ImportedAnswer]) -> None:
        """Compare the summary with the scores, if they are of one judge: the summary does not name its judge."""
        judges, file = {score.line.record.scorer_model for one in answers for score in one.scores}, self._folder.summary
        if file is None or len(judges) != 1:
            return
        rated = [
            summary.rated(one.record.model_id, one.record.factors, one.scores[0].score if one.scores else None)
            for one in answers
        ]
        text = files.content(file).decode("utf-8", "replace")
        self._found.extend(summary.differences(file.name, text, rated, summary.parties(self._grid)))


def _about(record: AnswerRecord | ScoredRecord) -> str:
    return f"prompt {record.prompt_id} of {record.model_id}"


def _has_content(record: AnswerRecord | ScoredRecord) -> bool:
    return record.score is not None if isinstance(record, ScoredRecord) else not record.error
