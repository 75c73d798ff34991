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
from independence.exchange.rent import grid, prompts, replies, summary, words
from independence.exchange.rent import oddities as odd
from independence.exchange.rent.edition import Edition
from independence.exchange.rent.folder import Folder, Line
from independence.exchange.rent.grid import Asked
from independence.exchange.rent.oddities import Oddity
from independence.exchange.rent.prompts import Row
from independence.exchange.rent.records import AnswerRecord, Decoded, JudgedRecord, decode
from independence.stats.stance import AskingParties
from independence.store.queries import PUBLISHED
from independence.suites.schema import Field, Suite

R = TypeVar("R", AnswerRecord, JudgedRecord)
Place = tuple[str, int, str]  # model, run id, scenario


class Judged(NamedTuple):
    """A scored record."""

    at: Line
    read: Decoded[JudgedRecord]
    score: float | None  # None where there is none in range


class Held(NamedTuple):
    """What a folder holds of one prompt asked of one model in one run."""

    scenario: str
    run_id: int
    at: Line
    read: Decoded[AnswerRecord]
    judged: tuple[Judged, ...]  # one for each judge

    @property
    def place(self) -> Place:
        """Model, run id, scenario."""
        return self.read.record.model_id, self.run_id, self.scenario


class Imported(msgspec.Struct, frozen=True):
    """A run folder. `held` in the order of the answer file."""

    held: tuple[Held, ...]
    planned: tuple[str, ...]  # scenarios of the grid and of the records, in the suite's order
    snapshot: bytes  # as it came, empty where there is none
    grid: bytes  # the same of the prompts
    oddities: tuple[Oddity, ...]
    others: tuple[str, ...]  # files that are no part of a run; ignored
    edition: str = PUBLISHED  # what the answers are kept under


def read(folder: Folder, suite: Suite, edition: Edition | None = None) -> Imported:
    """Read a folder whole; with an edition, only answers that were given to its words.

    Raises UsageError for a damaged file, for a suite without a grid, and where no record is sound.
    """
    if suite.grid is None:
        raise UsageError(f"suite {suite.suite} has no grid of sides; name the one these answers were given to")
    found: list[Oddity] = []
    answers = [*_records(folder.answers, AnswerRecord, found)]
    judged = [*_records(folder.judged, JudgedRecord, found)]
    if edition:
        answers, judged = [*_in_words(answers, edition, found)], [*_in_words(judged, edition, found)]
    by_id = edition is not None and bool(edition.asked)
    placing = _placing(suite, [*answers, *judged], found, by_id)
    field = suite.rubrics[suite.grid.rubric].fields[suite.grid.stance]
    by_place, scores = _by_place(answers, placing, found), _scores(judged, placing, field, found)
    held = [*_held(by_place, scores, found)]
    held += _alone({place: own for place, own in scores.items() if place not in by_place}, bool(answers), found)
    if not held:
        raise UsageError(f"{folder.path}: no record of suite {suite.suite} can be read; nothing was imported")
    # Rows of a snapshot are counted, not named: their facts say which prompts they are.
    wanted = grid.asked(suite, grid.rows(folder, found), found, by_id and folder.prompts is not None)
    if not wanted:
        grid.whole(suite, {one.scenario: Asked(one.at, one.read.record.prompt_id) for one in held}, found)
    _absent(held, wanted, folder, found)
    _check_summary(folder, suite, held, found)
    asked = wanted.keys() | {one.scenario for one in held}
    planned = tuple(scenario.id for scenario in suite.scenarios if scenario.id in asked)
    return Imported(
        tuple(held), planned, _whole(folder.snapshot), _whole(folder.prompts), tuple(found), folder.others,
        edition.name if edition else PUBLISHED,
    )  # fmt: skip


def _whole(file: Path | None) -> bytes:
    return files.content(file) if file else b""


def _records(file: Path | None, kind: type[R], found: list[Oddity]) -> Iterator[tuple[Line, Decoded[R]]]:
    """The records of a file that say whose they are; what is odd about any goes to `found`."""
    for at, line in files.lines(file) if file else ():
        try:
            one = decode(line, kind)
        except ValueError as error:
            found.append(Oddity(odd.BROKEN_LINE, at, str(error)))
            continue
        found.extend(Oddity(odd.UNKNOWN_KEY, at, f"key `{key}`") for key in one.unknown)
        found.extend(Oddity(odd.WRONG_TYPE, at, f"`{key}` has another type") for key in one.wrong if key != "score")
        if not one.record.model_id:
            found.append(Oddity(odd.NO_MODEL, at, "a record that names no model"))
        elif not one.record.prompt_id:
            found.append(Oddity(odd.NO_PROMPT, at, f"a record of {one.record.model_id} that names no prompt"))
        else:
            yield at, one


def _in_words(
    read: Iterable[tuple[Line, Decoded[R]]], edition: Edition, found: list[Oddity]
) -> Iterator[tuple[Line, Decoded[R]]]:
    """The records that were given the words of the edition."""
    for at, one in read:
        record = one.record
        if edition.fits(record.prompt_id, words.said(record.messages)):
            yield at, one
        else:
            about = f"prompt {record.prompt_id} of {record.model_id}"
            found.append(Oddity(odd.OTHER_WORDS, at, f"{about} was asked in other words than those of {edition.name}"))


class _Placing(NamedTuple):
    scenarios: Mapping[str, str]  # by prompt id
    run_id: int  # of records that do not say

    def of(self, record: AnswerRecord | JudgedRecord) -> Place | None:
        """Where a record belongs; None where the suite has no such prompt."""
        scenario = self.scenarios.get(record.prompt_id)
        run_id = self.run_id if record.run is None else record.run
        return (record.model_id, run_id, scenario) if scenario else None


def _placing(
    suite: Suite,
    read: Sequence[tuple[Line, Decoded[AnswerRecord] | Decoded[JudgedRecord]]],
    found: list[Oddity],
    by_id: bool,
) -> _Placing:
    """Names prompts that the suite does not have. The facts of a prompt are those of its first record."""
    first: dict[str, Row] = {}
    run_ids: Counter[int] = Counter()
    for _, one in read:
        record = one.record
        side = record.perspective or str(record.factors.get(prompts.PERSPECTIVE) or "")
        first.setdefault(record.prompt_id, Row(record.prompt_id, side, record.factors))
        run_ids.update(() if record.run is None else (record.run,))
    rows = [first[prompt] for prompt in sorted(first)]
    placed = prompts.place(suite, rows, by_id)
    out = {row.prompt_id: scenario for row, scenario in zip(rows, placed, strict=True) if scenario}
    for at, one in read:
        if one.record.prompt_id not in out:
            about = f"prompt {one.record.prompt_id} of {one.record.model_id}"
            found.append(Oddity(odd.UNKNOWN_PROMPT, at, f"{about} is none of suite {suite.suite}"))
    return _Placing(out, next(iter(run_ids.most_common(1)), (0, 0))[0])


def _by_place(
    read: Iterable[tuple[Line, Decoded[R]]], placing: _Placing, found: list[Oddity]
) -> dict[Place, tuple[Line, Decoded[R]]]:
    """One record a place: the first that says something, else the first."""
    out: dict[Place, tuple[Line, Decoded[R]]] = {}
    for at, one in read:
        place = placing.of(one.record)
        if place is None:
            continue
        if place in out:
            before = out[place]
            kept = (at, one) if _says(one.record) and not _says(before[1].record) else before
            about = f"prompt {one.record.prompt_id} of {one.record.model_id} stands here and in line {before[0].number}"
            found.append(Oddity(odd.DUPLICATE, at, f"{about}; line {kept[0].number} is kept"))
            out[place] = kept
        else:
            out[place] = (at, one)
    return out


def _says(record: AnswerRecord | JudgedRecord) -> bool:
    return record.score is not None if isinstance(record, JudgedRecord) else not record.error


def _scores(
    read: Sequence[tuple[Line, Decoded[JudgedRecord]]], placing: _Placing, field: Field, found: list[Oddity]
) -> dict[Place, list[Judged]]:
    """The scored records of each place, one for each judge."""
    out: dict[Place, list[Judged]] = defaultdict(list)
    for judge in dict.fromkeys(one.record.scorer_model for _, one in read):
        own = [(at, one) for at, one in read if one.record.scorer_model == judge]
        for place, (at, one) in _by_place(own, placing, found).items():
            score = one.record.score if replies.scored(one.record, field) else None
            out[place].append(Judged(at, one, score))
            raw = bytes(one.whole.get("score", b"null")).decode()
            if raw != "null" and score is None:
                about = f"score {raw} of prompt {one.record.prompt_id} of {one.record.model_id}"
                found.append(Oddity(odd.BAD_SCORE, at, f"{about} is no number from {field.range}"))
            if not judge:
                found.append(Oddity(odd.NO_JUDGE, at, f"no judge; prompt {one.record.prompt_id}"))
    return out


def _held(
    answers: Mapping[Place, tuple[Line, Decoded[AnswerRecord]]],
    judged: Mapping[Place, Sequence[Judged]],
    found: list[Oddity],
) -> Iterator[Held]:
    for place, (at, one) in answers.items():
        own = tuple(judged.get(place, ()))
        for scored in own:
            if scored.read.record.response_text != one.record.response_text:
                about = f"prompt {one.record.prompt_id} of {one.record.model_id}"
                found.append(Oddity(odd.OTHER_TEXT, scored.at, f"{about} was scored on other words than in {at.file}"))
        yield Held(place[2], place[1], at, one, own)


def _alone(judged: Mapping[Place, Sequence[Judged]], named: bool, found: list[Oddity]) -> Iterator[Held]:
    """Answers out of scored records; `named` where there is an answer file, which lacks them."""
    for place, own in judged.items():
        record, about = own[0].read.record, f"prompt {own[0].read.record.prompt_id} of {place[0]}"
        if not record.response_text and not record.error:
            found.append(Oddity(odd.SCORE_OF_NOTHING, own[0].at, f"{about} has no answer anywhere"))
        elif named:
            found.append(Oddity(odd.NO_ANSWER_LINE, own[0].at, f"{about} is not in the answer file"))
        yield Held(place[2], place[1], own[0].at, Decoded(replies.recovered(record), {}), tuple(own))


def _absent(held: Sequence[Held], wanted: Mapping[str, Asked], folder: Folder, found: list[Oddity]) -> None:
    """Name the prompts of the grid that a model has no record of."""
    there = {one.place for one in held}
    name = (folder.answers or folder.judged or folder.path).name
    for model, run_id in dict.fromkeys(place[:2] for place in there):
        for scenario, asked in wanted.items():
            if (model, run_id, scenario) not in there:
                found.append(
                    Oddity(odd.MISSING_ANSWER, Line(name, 0), f"prompt {asked.prompt_id} of {model} is not there")
                )


def _check_summary(folder: Folder, suite: Suite, held: Sequence[Held], found: list[Oddity]) -> None:
    """Compare the summary with the scores of the one judge; of several it would not say whose it is."""
    judges = {judged.read.record.scorer_model for one in held for judged in one.judged}
    if folder.summary is None or len(judges) != 1 or suite.grid is None:
        return
    rated = [
        summary.rated(one.read.record.model_id, one.read.record.factors, one.judged[0].score if one.judged else None)
        for one in held
    ]
    text = files.content(folder.summary).decode("utf-8", "replace")
    sides = AskingParties(*list(suite.grid.sides)[:2])
    found.extend(summary.differences(folder.summary.name, text, rated, sides))
