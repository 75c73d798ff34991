"""Every planned verdict of a place under one judge: its values, or why there are none. Repeated runs are left out.

Most dialogues are finished, graded once and without a mark: nothing is to be said of them but their values, and one
join brings these. All others are looked at one by one, and so is a subject whose replies may repeat each other.
"""

from __future__ import annotations

import itertools
import sqlite3
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from independence.errors import StoreError
from independence.judge import kinds
from independence.judge.cues import answer_lines
from independence.judge.replies import repeated_answers
from independence.judge.replies.repeated_answers import ReplyToQuestion
from independence.report import judge_choice, replayed_runs
from independence.report.replayed_runs import Repeats
from independence.stats import engagement, strict
from independence.stats.engagement import FieldRequirements
from independence.stats.strict import ScoringFrame, VerdictColumns, void_reason
from independence.store import field_values, place_dialogues, queries, scopes
from independence.store.dialogue_rows import UNKNOWN
from independence.store.digests import REMEDY
from independence.store.place_dialogues import JudgedDialogues, QuotationCounts
from independence.store.queries import StoredVerdict, TrialState
from independence.store.scopes import BoardScope
from independence.store.spending import Dates
from independence.suites import digest
from independence.suites.schema import Suite
from independence.types import Scalar

REREAD = "reread_verdict"  # the flag of a verdict that its publisher could not read
OUR_RUBRIC = "our_rubric"  # the flag of a verdict on an imported dialogue that a judge gave by a rubric of ours
MISQUOTED = "misquoted"  # the flag of a verdict whose quotation is not in the replies
_SAMPLES = 8  # of so many replies one has the sample of another where half may repeat others
K = TypeVar("K")
C = TypeVar("C")


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


def grouped(cells: Iterable[C], by: Callable[[C], K]) -> dict[K, list[C]]:
    """Planned verdicts or dialogues by what they share, in the order in which that comes."""
    out: dict[K, list[C]] = {}
    for cell in cells:
        out.setdefault(by(cell), []).append(cell)
    return out


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


def planned_verdicts(connection: sqlite3.Connection, scope: BoardScope, asked_judge: str | None) -> PlannedVerdicts:
    """Read a place, under the asked judge or the usual one. Of editions of one wording all are read."""
    reads = [place_dialogues.read(connection, one.where) for one in scope.editions]
    there = judge_choice.together(own.judges for own in reads)
    name = asked_judge or judge_choice.usual_judge(there)
    found = [_of_edition(connection, one, name, own) for one, own in zip(scope.editions, reads, strict=True)]
    places = [one.where for one in scope.editions]
    quoted = place_dialogues.quotations(reads, name) if name is not None and kinds.of(name).needs_model else None
    independents = judge_choice.independent(there)
    return msgspec.structs.replace(
        _joined(scope, found) if scope.beside else found[0],
        judge=name,
        as_full=judge_choice.as_full(there, name) if asked_judge is None else (),
        other_judges=tuple(one for one in independents if one != name) if name in independents else (),
        dates=place_dialogues.dates(reads, name),
        quotations=quoted if quoted and quoted.asked else None,
        half_finished=judge_choice.half_finished(connection, places, name, there if asked_judge is None else ()),
    )


def _joined(scope: BoardScope, found: Sequence[PlannedVerdicts]) -> PlannedVerdicts:
    """Editions of one wording together; a dialogue that several of them use counts once."""
    cells: dict[tuple[str, int, str], PlannedVerdict] = {}
    dialogues: dict[str, int] = {}
    why: dict[str, tuple[str, ...]] = {}
    thinking: set[str] = set()
    for one, own in zip(scope.editions, found, strict=True):
        keys = {config: scope.key(one.where, config) for config in own.planned}
        for config, planned in own.planned.items():
            for cell in planned:
                cells.setdefault((keys[config], cell.run, cell.scenario), cell._replace(config_dir=keys[config]))
        thinking |= {keys[config] for config in own.thinking}
        dialogues = {scope.key(one.where, config): count for config, count in own.repeats.dialogues.items()} | dialogues
        why = {scope.key(one.where, config): said for config, said in own.repeats.why.items()} | why
    planned_ = grouped((cells[at] for at in sorted(cells)), lambda cell: cell.config_dir)
    return PlannedVerdicts(
        columns=strict.columns(planned_),
        planned=planned_,
        repeats=Repeats(dialogues, why),
        thinking=frozenset(thinking),
    )


class _Grading(NamedTuple):
    """By what the verdicts of an edition under a judge count."""

    suite: Suite
    imported: bool  # dialogues and verdicts stay as they were published
    rubrics: Mapping[str, str]  # scenario -> digest
    required: Mapping[str, FieldRequirements]  # by scenario

    def cell(
        self, state: TrialState, found: Mapping[tuple[str, str, str], StoredVerdict], marked: tuple[str, ...] = ()
    ) -> PlannedVerdict:
        """A dialogue; `found` by trial, context and rubric; `marked`: why its replies are no answers."""
        verdict = None
        for rubric in (self.rubrics.get(state.scenario, ""), queries.PUBLISHED, queries.REREAD):
            verdict = verdict or found.get((state.key, state.at or "", rubric))
        given = verdict.fields if verdict and verdict.missing is None else None
        missing = state.missing
        if missing is None and state.stale:
            missing = "stale"
        elif missing is None and state.end is None:
            missing = "not_run"
        elif missing is None:
            missing = (verdict.missing or void_reason(state.flags)) if verdict else "unjudged"
        missing = missing or (strict.NO_ANSWER if marked else None)
        flags = [*state.flags]
        if self.imported and verdict and verdict.rubric != queries.PUBLISHED:
            if verdict.rubric == queries.REREAD:
                flags.append(REREAD)
            elif not self.suite.judged_as_published:
                flags.append(OUR_RUBRIC)
        if verdict and verdict.quote_found is False:
            flags.append(MISQUOTED)
        by_this_rubric = verdict is not None and verdict.rubric == self.rubrics.get(state.scenario)
        needed = self.required.get(state.scenario) if by_this_rubric else None
        values, evaded = _counted(given if missing is None else None, needed)
        return PlannedVerdict(
            config_dir=state.config_dir,
            experiment=state.experiment,
            scenario=state.scenario,
            run=state.run,
            values=values,
            missing=missing,
            given=given,
            flags=(*flags, *marked, *[engagement.EVADED] * bool(evaded)),
            evadable=evaded is not None,
        )


def _of_edition(
    connection: sqlite3.Connection, scope: BoardScope, judge: str | None, read: JudgedDialogues
) -> PlannedVerdicts:
    """The planned verdicts of one edition; imports are looked at one by one."""
    suite = scopes.grading(connection, scope)
    by = _Grading(
        suite=suite,
        imported=queries.imported(scope.edition),
        rubrics={s.id: digest.rubric(suite, s) for s in suite.scenarios},
        required=engagement.requirements(suite),
    )
    if by.imported:
        return _one_by_one(connection, scope, judge, by)
    columns, plain = _by_values(connection, read, judge, by)
    flagged = np.flatnonzero(~plain).tolist()
    trials = {read.trial[place] for place in flagged}
    states = [one for one in queries.states(connection, scope.where, trials) if one.key in trials] if trials else []
    verdicts = _by_dialogue(queries.verdicts(connection, scope.where, judge, trials)) if trials else {}
    found = {(state.config_dir, state.scenario, state.run): by.cell(state, verdicts) for state in states}
    spots = [(read.subjects[read.subject[at]], read.scripts[read.script[at]].scenario, read.run[at]) for at in flagged]
    own, repeated = grouped(states, lambda state: state.config_dir), Repeats()
    cells: dict[str, Sequence[PlannedVerdict]] = dict.fromkeys(read.subjects, ())
    cells |= grouped((found[spot] for spot in spots), lambda cell: cell.config_dir)
    thinking = read.thinking | {one.config_dir for one in states if one.thought}
    compared = [one for one in read.subjects if _may_repeat(read, columns.of(one), own.get(one, ()))]
    if compared:
        whole = _one_by_one(connection, scope, judge, by, compared)
        cells |= {config: whole.planned.get(config, ()) for config in compared}
        repeated, thinking = whole.repeats, thinking | whole.thinking
        plain &= ~np.isin(columns.subject, [read.subjects.index(one) for one in compared])
    columns = strict.merged(columns, plain, cells)
    return PlannedVerdicts(
        columns=columns, planned=VerdictsBySubject(columns), repeats=repeated, thinking=frozenset(thinking)
    )


def _by_values(
    connection: sqlite3.Connection, read: JudgedDialogues, judge: str | None, by: _Grading
) -> tuple[VerdictColumns[PlannedVerdict], NDArray[np.bool_]]:
    """All dialogues by the values of their verdicts, equal ones read once; and of which there is no more to say."""
    layouts, count = field_values.layouts(connection), len(read.kinds) + 1
    script, kind = np.array(read.script, np.intp), np.array(read.newest(judge, by.rubrics), np.intp)
    distinct, verdict = np.unique(script * count + kind + 1, return_inverse=True)
    cells, looked_at = list[PlannedVerdict](), list[bool]()
    for one in distinct.tolist():
        (scenario, experiment, turns), own = read.scripts[one // count], read.kinds[one % count - 1]
        looked_at.append(one % count == 0 or own.plain != turns or own.rubric != by.rubrics.get(scenario))
        given, values, evaded = dict[str, Scalar](), None, None
        if not looked_at[-1]:
            (given,) = layouts[own.layout or 0].read(own.values or b"", 1)
            values, evaded = _counted(given, by.required.get(scenario))
        flags = (engagement.EVADED,) if evaded else ()
        cells.append(PlannedVerdict("", experiment, scenario, 0, values, None, given, flags, evaded is not None))
    scenarios = list(dict.fromkeys(one.scenario for one in read.scripts))
    columns = VerdictColumns(
        read.subjects,
        scenarios,
        subject=np.array(read.subject, np.intp),
        scenario=np.array([scenarios.index(one.scenario) for one in read.scripts], np.intp)[script],
        run=np.array(read.run, np.intp),
        verdict=verdict,
        verdicts=cells,
    )
    return columns, ~np.array(looked_at, bool)[verdict]


def _may_repeat(read: JudgedDialogues, places: slice, others: Sequence[TrialState]) -> bool:
    """Whether a subject may have replies that repeat others, so that its dialogues are to be compared.

    `places`: its dialogues; `others`: those of them that are looked at one by one.
    """
    own = list(zip(read.run[places], read.script[places], read.said[places], strict=True))
    said = [(script, digests) for _, script, digests in own if digests is not None]
    if len(set(said)) < len(said):
        runs: dict[int, dict[str, str | None]] = {}
        for run, script, digests in own:
            runs.setdefault(run, {})[read.scripts[script].scenario] = digests
        if any(replayed_runs.REPLAYED in state.flags for state in others) or replayed_runs.equal_runs(runs):
            return True
    replies = [reply for state in others for reply in state.replies]
    words = queries.digests("".join(filter(None, read.words[places])))
    words += [reply.words or UNKNOWN for reply in replies]
    return _suspect(words, sum(strict.NO_ANSWER in reply.flags for reply in replies))


def _one_by_one(
    connection: sqlite3.Connection,
    scope: BoardScope,
    judge: str | None,
    by: _Grading,
    only: Collection[str] | None = None,
) -> PlannedVerdicts:
    """Every dialogue of an edition, or of some of its subjects."""
    trials = None if only is None else queries.trials_of(connection, scope.where, only)
    every = queries.states(connection, scope.where, trials)
    there = [one for one in every if (only is None or one.config_dir in only) and one.config_dir not in scope.aside]
    found = _by_dialogue(queries.verdicts(connection, scope.where, judge, trials))
    states, left_out = (there, Repeats()) if by.imported else replayed_runs.leave_out(connection, scope.where, there)
    # Arms of a stem get the same few words, and a reply that names no choice of its stem counts for nothing anyway.
    exempt = by.imported or by.suite.battery is not None
    unanswered = {} if exempt else _unanswered(connection, by.suite, states)
    cells = [
        by.cell(state, found, unanswered.get((state.config_dir, state.scenario, state.run), ())) for state in states
    ]
    thinking = frozenset(state.config_dir for state in states if state.thought)
    return msgspec.structs.replace(of_cells(cells), repeats=left_out, thinking=thinking)


def of_cells(cells: Iterable[PlannedVerdict], judge: str | None = None) -> PlannedVerdicts:
    """Planned verdicts that are looked at one by one; those of a subject stand together."""
    planned = grouped(cells, lambda cell: cell.config_dir)
    return PlannedVerdicts(judge=judge, columns=strict.columns(planned), planned=planned)


def _by_dialogue(verdicts: Iterable[StoredVerdict]) -> dict[tuple[str, str, str], StoredVerdict]:
    return {(verdict.trial, verdict.context, verdict.rubric): verdict for verdict in verdicts}


def _counted(
    given: dict[str, Scalar] | None, own: FieldRequirements | None
) -> tuple[dict[str, Scalar] | None, bool | None]:
    """What counts of a verdict, and whether the subject evaded; None where it does not say."""
    return (given, None) if given is None or own is None else engagement.counted(given, own)


def _unanswered(
    connection: sqlite3.Connection, suite: Suite, states: Sequence[TrialState]
) -> dict[tuple[str, str, int], tuple[str, ...]]:
    """Dialogues with replies that are no answers, of subjects of whose replies half or more are none -> their marks.

    In a grid all who ask about a cell ask one question: a good adviser tells them the same. A closed question that is
    answered has its answer, however few and alike the words of such a subject are.
    """
    closed = any(answer_lines.closed(rubric.fields) for rubric in suite.rubrics.values())
    cells = {scenario.id: scenario.cell or scenario.id for scenario in suite.scenarios}
    out: dict[tuple[str, str, int], tuple[str, ...]] = {}
    for own in grouped(states, lambda state: state.config_dir).values():
        replies = [reply for state in own for reply in state.replies]
        marked = sum(strict.NO_ANSWER in reply.flags for reply in replies)
        if not _suspect([reply.words or UNKNOWN for reply in replies], marked):
            continue
        texts = place_dialogues.reply_texts(connection, {state.key for state in own})
        said = [
            (state, flags, ReplyToQuestion((cells.get(state.scenario, state.scenario), turn), text))
            for state in own
            for turn, (flags, text) in enumerate(zip(state.reply_flags, texts.get(state.key, ()), strict=False))
        ]
        again = [False] * len(said)  # which of them repeat others of their run
        runs: dict[int, list[int]] = {}
        for at, (state, *_) in enumerate(said):
            runs.setdefault(state.run, []).append(at)
        for places in runs.values():
            found = repeated_answers.repeated([said[at][2] for at in places], whole=suite.grid is not None)
            for at, twice in zip(places, found, strict=True):
                again[at] = twice
        told = {state.key for state in own if closed and answer_lines.read(texts.get(state.key, ("",))[-1]) is not None}
        lacking = [
            state.key not in told and (strict.NO_ANSWER in flags or twice)
            for (state, flags, _), twice in zip(said, again, strict=True)
        ]
        for (state, *_), none, twice in zip(said, strict.no_answers(lacking), again, strict=True):
            if none:
                spot = (state.config_dir, state.scenario, state.run)
                out[spot] = (*out.get(spot, ()), strict.UNANSWERED, *((strict.REPEATED,) if twice else ()))
    return out


def _suspect(words: Sequence[str], marked: int) -> bool:
    """Whether half of a subject's replies may be no answers, told without their texts.

    `words`: a sample of each. Replies that share most of their words share their sample often; of others only short
    ones do.
    """
    return bool(words) and 2 * marked + _SAMPLES * (len(words) - len(set(words))) >= len(words)


def reasons(cells: Collection[PlannedVerdict]) -> dict[str, int]:
    """How many planned verdicts are missing, by reason."""
    return dict(sorted(Counter(cell.missing for cell in cells if cell.missing is not None).items()))


def marks(cells: Collection[PlannedVerdict], left_out: Mapping[str, int] | None = None) -> dict[str, int]:
    """Marks on a subject's answers, those on what was left out too, and how many verdicts are missing, by reason."""
    counts = Counter(flag for cell in cells for flag in cell.flags) + Counter(left_out)
    return dict(sorted(counts.items())) | {f"missing:{reason}": n for reason, n in reasons(cells).items()}
