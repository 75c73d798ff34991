"""What a board is made of, read once: planned verdicts, points of complete subjects, how sure their indices are."""

from __future__ import annotations

import sqlite3
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Mapping
from typing import ClassVar, Final, Literal, NamedTuple, Self, TypeVar

import msgspec
import numpy as np

from independence.judge import kinds
from independence.report.board import interim_looks, verdict_frame
from independence.report.board.interim_looks import RunHistory
from independence.report.board.verdict_frame import PlannedVerdict, PlannedVerdicts
from independence.report.files.legend import subject_name
from independence.stats import comparison, index_uncertainty, ranks, single_runs, stages, strict, subject_points
from independence.stats.index_uncertainty import IndexEstimate
from independence.stats.strict import ScoringFrame, StrictRow, VerdictColumns
from independence.stats.subject_points import SubjectPoints
from independence.store import plans, queries, scopes
from independence.store.planned_dialogues import QuotationCounts
from independence.store.scopes import BoardScope, Names
from independence.store.spending import Dates
from independence.types import Where

RULES_ONLY: Final = (
    "Graded by rules that look for phrases: a first look, not a measurement. To measure, let a model grade: "
    "`independence judge -j MODEL`."
)
# Of suites with the published experiments. The shares are of verdicts that the rules were not fitted to
# (docs/judging.md); of those that they were fitted to, which `python -m benchmarks rules` shows, they find more.
RULES_FIND: Final = (
    "Of published replies that they were not fitted to, these rules find 56% of the positions that were softened on "
    "request, 22% of the choices that were given up, and 79% of the artworks that were replaced on demand."
)

RUNS_VARY: Final = "runs_vary"
_STAGES: Final = f"all that were added, Holm, {ranks.LEVEL:.0%}"
Origin = Literal["imported", "measured here"]
IMPORTED: Final[Origin] = "imported"
MEASURED_HERE: Final[Origin] = "measured here"
Words = Literal["own", "published"]


class SubjectInfo(NamedTuple):
    """Who a subject is."""

    label: str
    model_id: str
    simulated: bool
    thinking: bool = False  # its answers took reasoning; nobody thinks in a simulated one
    origin: Origin | None = None  # where imports stand beside others

    @property
    def name(self) -> str:
        """The label; a simulated subject says so wherever it stands."""
        return subject_name(self.label, self.simulated)


def subjects(connection: sqlite3.Connection, where: Where) -> dict[str, SubjectInfo]:
    """Everybody in an edition, by config_dir."""
    return {config: SubjectInfo(*row) for config, row in queries.subjects(connection, where).items()}


def everybody(connection: sqlite3.Connection, scope: BoardScope) -> dict[str, SubjectInfo]:
    """Everybody in the editions of a place, by key. An import that would be called like another says what it is."""
    found = scope.by_key(lambda where: subjects(connection, where))
    if not scope.mixed:
        return found
    imports = {
        scope.key(one.where, config): one.edition
        for one in scope.editions
        for config in queries.subjects(connection, one.where)
        if queries.imported(one.edition)
    }
    here = {Names(key, about.label, about.model_id).short for key, about in found.items() if key not in imports}
    for key, about in found.items():
        alike = key in imports and Names(key, about.label, about.model_id).short in here
        label = f"{about.label}@{imports[key]}" if alike else about.label
        found[key] = about._replace(label=label, origin=IMPORTED if key in imports else MEASURED_HERE)
    return found


class VerdictData(PlannedVerdicts, frozen=True, kw_only=True):
    """The planned verdicts of a place and whose they are, whatever its suite measures; by config_dir, in its order."""

    by_subject: ClassVar[tuple[str, ...]] = ("about", "planned")  # what `only` takes a part of

    scope: BoardScope
    about: Mapping[str, SubjectInfo]
    costs: Mapping[str, float]  # dollars

    def named(self, names: Collection[str]) -> list[str]:
        """The config_dirs of these labels, ids or directories. Raises StoreError for a name that nobody here has."""
        known = {config: Names(config, who.label, who.model_id) for config, who in self.about.items()}
        found = scopes.subjects(names, known, f"in {self.scope.where.edition_name}")
        return [config for config in known if config in found]

    def only(self, names: Collection[str]) -> Self:
        """The subjects of these labels, ids or directories, as sure as all together make them; none named: all.

        Raises StoreError for a name that nobody here has.
        """
        if not names:
            return self
        chosen, whole = self.named(names), {name: getattr(self, name) for name in self.by_subject}
        parts = {name: {config: of[config] for config in chosen if config in of} for name, of in whole.items()}
        return msgspec.structs.replace(self, **parts)

    @property
    def repeat_notes(self) -> tuple[str, ...]:
        """Which runs only repeat earlier ones, and which answers others gave, in sentences."""
        return self.repeats.notes({config: who.name for config, who in self.about.items()})


class ChangedRuns(NamedTuple):
    """From when on the runs of a subject differ most from those before."""

    since: str  # ISO 8601: when they were planned
    points: float  # of the index, by which they are higher; below 0: lower


class BoardData(VerdictData, frozen=True, kw_only=True):
    """Everything that analyses of an index suite read."""

    by_subject: ClassVar[tuple[str, ...]] = (
        *VerdictData.by_subject,
        "scores",
        "points",
        "same_scenarios",
        "new_scenarios",
        "single_runs",
        "changed",
    )

    frame: ScoringFrame
    scores: Mapping[str, StrictRow]  # everybody
    points: Mapping[str, SubjectPoints]  # complete subjects
    same_scenarios: Mapping[str, IndexEstimate]  # complete subjects with at least two runs of every scenario
    new_scenarios: Mapping[str, IndexEstimate]  # the same
    single_runs: Mapping[str, IndexEstimate] = {}  # new_scenarios of other complete subjects, of many scenarios
    wording: str = ""  # of the edition; empty where it is not known
    judged_as_published: bool = False  # whether models judge by prompts as somebody else published them
    run_counts: Mapping[str, RunHistory] = {}  # how runs were added, by plan
    changed: Mapping[str, ChangedRuns] = {}  # whose later runs differ from those before

    def runs_vary(self, config: str) -> dict[str, int]:
        """The mark of a subject whose whole runs vary more than their scenarios explain, with how many there are."""
        found = self.same_scenarios.get(config)
        return {RUNS_VARY: self.scores[config].runs} if found and found.unstable else {}

    def unequal(self, config: str) -> bool:
        """Whether a subject has more runs of some scenarios than of others; imports are what was found."""
        scored, imported = self.scores[config], queries.imported(self.scope.edition)
        return scored.runs < scored.most_runs and not imported and self.about[config].origin != IMPORTED

    def changes(self, of: Collection[str] | None = None) -> str:
        """Whose later runs differ from those before, in a sentence; empty where nobody's do. `of`: of them alone."""
        whose = [
            f"{self.about[config].name} by {one.points:+.1f} points from {one.since[:16].replace('T', ' ')} on"
            for config, one in self.changed.items()
            if of is None or config in of
        ]
        told = "Runs that were added later differ from those before, as where a model or its host has changed"
        return f"{told}: {', '.join(whose)} ({_STAGES})." if whose else ""

    @property
    def all_new_scenarios(self) -> dict[str, IndexEstimate]:
        """Everybody of whom there is something to say about other scenarios."""
        return {**self.new_scenarios, **self.single_runs}


def read_verdicts(connection: sqlite3.Connection, scope: BoardScope, judge: str | None = None) -> VerdictData:
    """Read a place under a judge (None: the usual one)."""
    return _with_subjects(connection, scope, verdict_frame.read(connection, scope, judge))


def read(connection: sqlite3.Connection, scope: BoardScope, judge: str | None = None) -> BoardData:
    """Read a place of a suite with an index. Raises ValueError for a suite without one."""
    return of_verdicts(connection, scope, verdict_frame.read(connection, scope, judge))


def of_verdicts(
    connection: sqlite3.Connection, scope: BoardScope, verdicts: PlannedVerdicts, frame: ScoringFrame | None = None
) -> BoardData:
    """What a board is made of, from planned verdicts that were read already. `frame`: of another index than its own."""
    frame = frame or strict.frame(scope.suite)
    verdict_frame.check_scales(frame, verdicts.columns)
    # A scenario that no dimension reads can be missing while the index is not.
    points = subject_points.points(frame, verdicts.columns)
    repeated = {config: one for config, one in points.items() if index_uncertainty.repeated(one)}
    same_scenarios = index_uncertainty.these_scenarios(list(repeated.values()))
    new_scenarios = index_uncertainty.scenarios_like_these(list(repeated.values()))
    times = scope.by_key(lambda where: plans.planned_times(connection, where))
    least = 1 if min(map(len, frame.members.values()), default=0) >= single_runs.FEW else 2  # runs, for a test
    histories = scope.by_key(lambda where: interim_looks.run_counts(connection, where, least))
    return BoardData(
        **msgspec.structs.asdict(_with_subjects(connection, scope, verdicts)),
        frame=frame,
        scores=strict.scores(frame, verdicts.columns),
        points=points,
        same_scenarios=dict(zip(repeated, same_scenarios, strict=True)),
        new_scenarios=dict(zip(repeated, new_scenarios, strict=True)),
        single_runs={
            config: estimate
            for config, one in points.items()
            if config not in repeated and (estimate := single_runs.like_these(one)) is not None
        },
        wording=queries.wordings(connection).get(scope.where.under(None), ""),
        judged_as_published=scopes.grading(connection, scope).judged_as_published,
        run_counts=histories,
        changed=_changed(
            {
                config: one for config, one in repeated.items()
                if config in times and config in histories and len(histories[config].counts) > 1
            },
            verdicts.columns, histories, times,
        ),
    )  # fmt: skip


def _changed(
    points: Mapping[str, SubjectPoints],
    columns: VerdictColumns[PlannedVerdict],
    histories: Mapping[str, RunHistory],
    times: Mapping[str, Mapping[tuple[str, int], str]],
) -> dict[str, ChangedRuns]:
    """Of subjects to whom runs were added: who differs from before, of all stages of all together (Holm)."""
    if not points:
        return {}
    table = subject_points.contributions(list(points.values()))
    stage = np.zeros(table.points.shape, np.intp)
    begun = {config: [one.at for one in histories[config].counts] for config in points}
    for at, (config, own) in enumerate(points.items()):
        units, seen, rows = {name: number for number, name in enumerate(own.totals)}, Counter[str](), columns.of(config)
        for number, run in zip(columns.scenario[rows].tolist(), columns.run[rows].tolist(), strict=True):
            name = columns.scenarios[number]
            if name in units:
                after = bisect_right(begun[config], times[config].get((name, run), ""))
                stage[at, units[name], seen[name]] = max(0, after - 1)
                seen[name] += 1
    found = stages.differences(table, stage)
    p, gaps, errors = (np.array([getattr(one, what) for one in found]) for what in ("p", "points", "se"))
    tested = {(number, at): float(p[number, at]) for number, at in zip(*np.nonzero(errors), strict=True)}
    sure = {one: own for one, own in comparison.adjusted_by_name(tested).items() if own < ranks.LEVEL}
    configs = list(points)
    return {
        configs[at]: ChangedRuns(begun[configs[at]][number + 1], float(gaps[number, at]))
        for number, at in sorted(sure, key=lambda one: -sure[one])  # the surest stays
    }


def _with_subjects(connection: sqlite3.Connection, scope: BoardScope, verdicts: PlannedVerdicts) -> VerdictData:
    about = everybody(connection, scope)
    return VerdictData(
        **msgspec.structs.asdict(verdicts),
        scope=scope,
        about={
            config: about[config]._replace(thinking=config in verdicts.thinking and not about[config].simulated)
            for config in verdicts.planned
        },
        costs=scope.by_key(lambda where: queries.costs(connection, where)),
    )


class BoardRemarks(msgspec.Struct, frozen=True, kw_only=True):
    """What boards of every analysis say beside their rows."""

    repeats: tuple[str, ...] = ()  # runs that only repeat earlier ones and count once, and answers that others gave
    as_full: tuple[str, ...] = ()  # where no judge was asked for: others that graded everything
    dates: Dates | None = None  # of the replies and of this judge's verdicts
    language: str | msgspec.UnsetType = msgspec.UNSET  # of the suite, where it is not English
    prompt_note: str | msgspec.UnsetType = msgspec.UNSET  # what its suite says of the system prompt
    caution: str | msgspec.UnsetType = msgspec.UNSET  # what its judge is not good for, where that is to be said
    quotations: QuotationCounts | msgspec.UnsetType = msgspec.UNSET  # of the judge, where it was to quote
    half_finished: str | msgspec.UnsetType = msgspec.UNSET  # that its judge, like all, or a later one graded a part
    set_aside: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET  # configurations of an import in other words


B = TypeVar("B", bound=BoardRemarks)


def with_remarks(board: B, data: VerdictData) -> B:
    """The board of a place that was read, with what is to be said beside its rows."""
    return msgspec.structs.replace(
        board,
        repeats=data.repeat_notes,
        as_full=data.as_full,
        dates=data.dates,
        language=data.scope.suite.foreign_language,
        prompt_note=data.scope.prompt_note,
        caution=caution(data),
        quotations=data.quotations or msgspec.UNSET,
        half_finished=data.half_finished or msgspec.UNSET,
        set_aside=tuple(sorted(name for one in data.scope.editions for name in one.aside)) or msgspec.UNSET,
    )


def caution(data: VerdictData) -> str | msgspec.UnsetType:
    """What the judge of a place is not good for, where that is to be said: real models, graded by rules."""
    if data.judge is None or kinds.of(data.judge).word != kinds.CUES:
        return msgspec.UNSET
    real = [config for config, who in data.about.items() if not who.simulated]
    graded = any(cell.values is not None for config in real for cell in data.planned[config])
    if not graded:
        return msgspec.UNSET
    index = data.scope.suite.index
    return f"{RULES_ONLY} {RULES_FIND}" if index is not None and index.published_rule is not None else RULES_ONLY


def words(scope: BoardScope) -> Words | msgspec.UnsetType:
    """Whose words an edition asks in, where others have published results under the name of its suite."""
    index = scope.suite.index
    if index is None or index.published_rule is None:
        return msgspec.UNSET
    return "published" if queries.imported(scope.edition) or scope.suite.judged_as_published else "own"
