"""Every planned verdict of a place under one judge: its values, or why there are none. Repeated runs are left out."""

from __future__ import annotations

import itertools
import sqlite3
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

import msgspec
import numpy as np

from independence.errors import StoreError
from independence.judge import kinds
from independence.judge.replies import diagnosis, repeated_answers
from independence.report.board import judge_choice, other_models, repeated_runs
from independence.report.board.repeated_runs import Repeats
from independence.stats import engagement, strict
from independence.stats.engagement import FieldRequirements
from independence.stats.strict import ScoringFrame, VerdictColumns, void_reason
from independence.store import planned_dialogues, queries, repetitions, scopes
from independence.store.dialogue_rows import DIGITS
from independence.store.file.digests import REMEDY
from independence.store.planned_dialogues import (
    DialogueKind,
    PlannedDialogues,
    PlannedScript,
    QuotationCounts,
    SubjectRun,
)
from independence.store.repetitions import RunAnswers
from independence.store.scopes import BoardScope
from independence.store.spending import Dates, together
from independence.suites import digest
from independence.suites.schema import Suite
from independence.types import Scalar, Where, grouped

REREAD = "reread_verdict"  # the flag of a verdict that its publisher could not read
_OTHER_MODEL: Final = "other_model"  # why a verdict is missing
OUR_RUBRIC = "our_rubric"  # the flag of a verdict on an imported dialogue that a judge gave by a rubric of ours
UNMEASURABLE = "unmeasurable"  # the flag of a bad answer by a subject on which nothing can be measured
MISQUOTED = "misquoted"  # the flag of a verdict whose quotation is not in the replies


class PlannedVerdict(NamedTuple):
    """One planned verdict. Exactly one of `values` and `missing` is set.

    `values` are those that count under strict scoring (`stats.engagement`), `given` those of the judge.
    """

    config_dir: str
    experiment: str
    scenario: str
    run: int
    values: dict[str, Scalar] | None
    missing: str | None
    given: dict[str, Scalar] | None  # the verdict as it was given, void or partial dialogues included
    flags: tuple[str, ...]
    evadable: bool = False  # whether the verdict says if a stand was taken

    @property
    def evaded(self) -> bool:
        """Whether the subject took no stand."""
        return engagement.EVADED in self.flags


def check_scales(frame: ScoringFrame, columns: VerdictColumns[PlannedVerdict]) -> None:
    """Raises StoreError for a value that its scale does not have: no judge can give one."""
    for number, at in zip(*(each.tolist() for each in np.unique(columns.verdict, return_index=True)), strict=True):
        cell = columns.verdicts[number]
        scales, values = frame.scenarios.get(cell.scenario, {}), cell.values or {}
        for field in frame.fields:
            low, high = scales.get(field, (-np.inf, np.inf))
            if not low <= values.get(field, low) <= high:
                where = f"{columns.subjects[columns.subject[at]]}, {cell.scenario}, run {columns.run[at]}"
                what = f"a value of `{field}` is outside of its scale: {values[field]:g} ({where})"
                raise StoreError(f"the store is damaged (verdicts: {what})", REMEDY)


class VerdictsBySubject(Mapping[str, Sequence[PlannedVerdict]]):
    """Planned verdicts by config_dir, in the order of columns: made of them when somebody looks at a subject."""

    def __init__(self, columns: VerdictColumns[PlannedVerdict]) -> None:
        self._columns = columns
        self._made: dict[str, Sequence[PlannedVerdict]] = {}

    def __getitem__(self, config: str) -> Sequence[PlannedVerdict]:
        if config not in self._made:
            runs = self._columns.run[self._columns.of(config)].tolist()
            said = zip(self._columns.said(config), runs, strict=True)
            self._made[config] = [cell._replace(config_dir=config, run=run) for cell, run in said]
        return self._made[config]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns.subjects)

    def __len__(self) -> int:
        return len(self._columns.subjects)


class PlannedVerdicts(msgspec.Struct, frozen=True, kw_only=True):
    """All planned verdicts of a place under one judge, those on replies that only repeat earlier ones left out."""

    judge: str | None = None
    columns: VerdictColumns[PlannedVerdict]  # of all subjects
    planned: Mapping[str, Sequence[PlannedVerdict]]  # the same by config_dir, in its order
    repeats: Repeats = Repeats()
    thinking: frozenset[str] = frozenset()  # config_dirs of those whose answers took reasoning tokens
    as_full: tuple[str, ...] = ()  # where no judge was asked for: others that graded everything
    other_judges: tuple[str, ...] = ()  # that grade by themselves, as this one does; none where this one does not
    dates: Dates = Dates()  # of replies and of this judge's verdicts
    quotations: QuotationCounts | None = None  # None: the judge was to quote nothing
    half_finished: str = ""  # where nobody was asked for: that its judge, like all, or a later one graded a part alone

    @property
    def every(self) -> list[PlannedVerdict]:
        """Those of all subjects."""
        return list(itertools.chain.from_iterable(self.planned.values()))


def read(connection: sqlite3.Connection, scope: BoardScope, asked_judge: str | None) -> PlannedVerdicts:
    """Read a place, under the asked judge or the usual one. Of editions of one wording all are read."""
    places = [one.where for one in scope.editions]
    there = judge_choice.judges(connection, places)
    name = asked_judge or judge_choice.usual_judge(there)
    found = [_of_edition(connection, one, name) for one in scope.editions]
    own = [one.quotations for one in found if one.quotations]
    quoted = QuotationCounts(sum(one.asked for one in own), sum(one.not_found for one in own))
    independents = judge_choice.independent(there)
    return msgspec.structs.replace(
        _joined(scope, found) if scope.beside else found[0],
        judge=name,
        as_full=judge_choice.as_full(there, name) if asked_judge is None else (),
        other_judges=tuple(one for one in independents if one != name) if name in independents else (),
        dates=together(own.dates for own in found),
        quotations=quoted if quoted.asked and name is not None and kinds.of(name).needs_model else None,
        half_finished=judge_choice.half_finished(connection, places, name, there if asked_judge is None else ()),
    )


def _joined(scope: BoardScope, found: Sequence[PlannedVerdicts]) -> PlannedVerdicts:
    """Editions of one wording together; a dialogue that several of them use counts once."""
    cells: dict[tuple[str, int, str], PlannedVerdict] = {}
    dialogues: dict[str, int] = {}
    why, others = dict[str, tuple[str, ...]](), dict[str, tuple[str, ...]]()
    thinking: set[str] = set()
    for one, own in zip(scope.editions, found, strict=True):
        keys = {config: scope.key(one.where, config) for config in own.planned}
        for config, planned in own.planned.items():
            for cell in planned:
                cells.setdefault((keys[config], cell.run, cell.scenario), cell._replace(config_dir=keys[config]))
        thinking |= {keys[config] for config in own.thinking}
        dialogues = {scope.key(one.where, config): count for config, count in own.repeats.dialogues.items()} | dialogues
        why = {scope.key(one.where, config): said for config, said in own.repeats.why.items()} | why
        others = {scope.key(one.where, config): said for config, said in own.repeats.others.items()} | others
    every = of_cells(cells[at] for at in sorted(cells))
    return msgspec.structs.replace(every, repeats=Repeats(dialogues, why, others), thinking=frozenset(thinking))


class _Grading(NamedTuple):
    """By what the verdicts of an edition under a judge count."""

    suite: Suite
    imported: bool  # dialogues and verdicts stay as they were published
    rubrics: Mapping[str, str]  # scenario -> digest
    required: Mapping[str, FieldRequirements]  # by scenario

    def cell(self, script: PlannedScript, kind: DialogueKind, marked: tuple[str, ...] = ()) -> PlannedVerdict:
        """What dialogues of a kind say; `marked`: why their replies are no answers, or not the subject's."""
        given = queries.read_values(kind.fields) if kind.rubric is not None and kind.unreadable is None else None
        flags = [flag for own in queries.reply_flags(kind.flags or "") for flag in own]
        missing = kind.missing
        if missing is None and kind.stale:
            missing = "stale"
        elif missing is None and not kind.finished:
            missing = "not_run"
        elif missing is None:
            missing = "unjudged" if kind.rubric is None else kind.unreadable or void_reason(flags)
        if _OTHER_MODEL in marked:
            missing, marked = missing or _OTHER_MODEL, ()
        missing = missing or (strict.NO_ANSWER if marked else None)
        if self.imported and kind.rubric not in (None, queries.PUBLISHED):
            if kind.rubric == queries.REREAD:
                flags.append(REREAD)
            elif not self.suite.judged_as_published:
                flags.append(OUR_RUBRIC)
        if kind.quote_found == 0:
            flags.append(MISQUOTED)
        by_this_rubric = kind.rubric is not None and kind.rubric == self.rubrics.get(script.scenario)
        needed = self.required.get(script.scenario) if by_this_rubric else None
        values, evaded = given if missing is None else None, None
        if values is not None and needed is not None:
            values, evaded = engagement.counted(values, needed)
        return PlannedVerdict(
            config_dir="",
            experiment=script.experiment,
            scenario=script.scenario,
            run=0,
            values=values,
            missing=missing,
            given=given,
            flags=(*flags, *marked, *[engagement.EVADED] * bool(evaded)),
            evadable=evaded is not None,
        )


def _of_edition(connection: sqlite3.Connection, scope: BoardScope, judge: str | None) -> PlannedVerdicts:
    """The planned verdicts of one edition."""
    suite = scopes.grading(connection, scope)
    by = _Grading(
        suite=suite,
        imported=queries.imported(scope.edition),
        rubrics={s.id: digest.rubric(suite, s) for s in suite.scenarios},
        required=engagement.requirements(suite),
    )
    read = planned_dialogues.read(connection, scope.where, judge, by.rubrics)
    repeats, places, marks = Repeats(), [*range(len(read.trial))], dict[int, tuple[str, ...]]()
    if scope.aside:
        places = [place for place in places if read.subjects[read.subject[place]] not in scope.aside]
    if not by.imported:
        repeated, repeats = repeated_runs.found(connection, scope.where, read)
        places = [place for place in places if place not in repeated] if repeated else places
        marks = _unanswered(connection, scope, by.suite, read, places)
        others = other_models.found(connection, scope.where, read)
        void = {read.subjects.index(config) for config in others.void}
        by_others = {kind for kind, one in enumerate(read.kinds) if other_models.marked(one.flags)} if void else ()
        marks |= {
            place: (_OTHER_MODEL,) for place in places if read.subject[place] in void and read.kind[place] in by_others
        }
        told, bad = _unmeasurable(connection, scope.where, read)
        said = {config: (*told.get(config, ()), *others.told.get(config, ())) for config in {**told, **others.told}}
        repeats = repeats._replace(others=said)
        marks |= {place: (UNMEASURABLE,) for place in places if place in bad}
    distinct = dict[tuple[int, int, tuple[str, ...]], int]()
    verdict = [
        distinct.setdefault((read.script[place], read.kind[place], marks.get(place, ())), len(distinct))
        for place in places
    ]
    scenarios = sorted({script.scenario for script in read.scripts})
    number = [scenarios.index(script.scenario) for script in read.scripts]
    there = sorted({read.subject[place] for place in places})
    renumbered = {subject: at for at, subject in enumerate(there)}
    columns = VerdictColumns(
        [read.subjects[subject] for subject in there],
        scenarios,
        subject=np.array([renumbered[read.subject[place]] for place in places], np.intp),
        scenario=np.array([number[read.script[place]] for place in places], np.intp),
        run=np.array([read.run[place] for place in places], np.intp),
        verdict=np.array(verdict, np.intp),
        verdicts=[by.cell(read.scripts[script], read.kinds[kind], own) for script, kind, own in distinct],
    )
    return PlannedVerdicts(
        columns=columns,
        planned=VerdictsBySubject(columns),
        repeats=repeats,
        thinking=read.thinking.intersection(columns.subjects),
        dates=read.dates,
        quotations=read.quotations,
    )


def _unmeasurable(
    connection: sqlite3.Connection, where: Where, read: PlannedDialogues
) -> tuple[Mapping[str, tuple[str, ...]], set[int]]:
    """What is said of subjects on which nothing can be measured, and the places of their bad dialogues."""
    flags = [[mark for own in queries.reply_flags(kind.flags or "") for mark in own] for kind in read.kinds]
    none = ("no_answer", "transport")
    bad = {at for at, kind in enumerate(read.kinds) if diagnosis.cause(flags[at], "") or kind.missing in none}
    places = [place for place, kind in enumerate(read.kind) if kind in bad]
    found = {read.subjects[read.subject[place]]: diagnosis.Diagnosis() for place in places}
    for config, marks, detail, after, count in queries.marked_answers(connection, where, found) if found else ():
        found[config].add(marks, detail, after, count)
    told = {config: (f"not measurable, because {one.told}.",) for config, one in found.items() if one.told}
    return told, {place for place in places if read.subjects[read.subject[place]] in told}


def of_cells(cells: Iterable[PlannedVerdict], judge: str | None = None) -> PlannedVerdicts:
    """Planned verdicts that are looked at one by one; those of a subject stand together."""
    planned = grouped(cells, lambda cell: cell.config_dir)
    return PlannedVerdicts(judge=judge, columns=strict.columns(planned), planned=planned)


def _unanswered(
    connection: sqlite3.Connection, scope: BoardScope, suite: Suite, read: PlannedDialogues, places: Sequence[int]
) -> dict[int, tuple[str, ...]]:
    """Dialogues with replies that are no answers, of subjects of whose replies half or more are none -> their marks."""
    scenarios = [read.scripts[script].scenario for script in read.script]
    runs = {
        run: RunAnswers(*(own[span.start : span.stop] for own in (scenarios, read.trial, read.said)))
        for run, span in read.runs()
    }
    found = repetitions.of_runs(connection, scope.where, runs, repeated_answers.of_suite(suite))
    odd = {kind for kind, one in enumerate(read.kinds) if strict.NO_ANSWER in (one.flags or "")}
    suspects = {run.config_dir for run, signs in found.items() if signs}
    if odd:
        suspects |= {read.subjects[read.subject[place]] for place in places if read.kind[place] in odd}
    if not suspects:
        return {}
    out: dict[int, tuple[str, ...]] = {}
    of_suspects = (place for place in places if read.subjects[read.subject[place]] in suspects)
    for config, theirs in grouped(of_suspects, lambda place: read.subjects[read.subject[place]]).items():
        replies = [(place, *reply) for place in theirs for reply in _replies(read, found, config, place)]
        counted = strict.no_answers([none for _, none, _ in replies])
        for (place, _, repeated), none in zip(replies, counted, strict=True):
            if none:
                marks = (strict.UNANSWERED, strict.REPEATED) if repeated else (strict.UNANSWERED,)
                out[place] = (*out.get(place, ()), *marks)
    return out


def _replies(
    read: PlannedDialogues, found: Mapping[SubjectRun, repetitions.Signs], config: str, place: int
) -> Iterator[tuple[bool, bool]]:
    """Of the replies of a dialogue that are in line: whether each is no answer, and whether it is a repetition."""
    signs = found.get(SubjectRun(config, read.run[place]), {}).get(read.scripts[read.script[place]].scenario, "")
    count = len(read.said[place]) // DIGITS
    flags = queries.reply_flags(read.kinds[read.kind[place]].flags or "")
    for turn in range(count):
        sign = signs[turn] if signs else repeated_answers.OWN
        marked = turn < len(flags) and strict.NO_ANSWER in flags[turn]
        twice = sign == repeated_answers.REPEATED
        yield sign != repeated_answers.ANSWERED and (marked or twice), twice


def reasons(cells: Collection[PlannedVerdict]) -> dict[str, int]:
    """How many planned verdicts are missing, by reason."""
    return dict(sorted(Counter(cell.missing for cell in cells if cell.missing is not None).items()))


def marks(cells: Collection[PlannedVerdict], left_out: Mapping[str, int] | None = None) -> dict[str, int]:
    """Marks on a subject's answers, those on what was left out too, and how many verdicts are missing, by reason."""
    counts = Counter(flag for cell in cells for flag in cell.flags) + Counter(left_out)
    return dict(sorted(counts.items())) | {f"missing:{reason}": n for reason, n in reasons(cells).items()}
