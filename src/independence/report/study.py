"""A place read once: its planned verdicts, its complete subjects in index points, and how sure their indices are."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Mapping, Sequence
from typing import Final, Literal, NamedTuple, Protocol, Self, TypeVar

import msgspec

from independence.judge import kinds
from independence.report import estimates, looks, planned_verdicts, verdict_cells
from independence.report.estimates import EstimatedIndices
from independence.report.legend import subject_name
from independence.report.looks import RunCount
from independence.report.planned_verdicts import Judging
from independence.report.repeats import Repeats
from independence.report.verdict_cells import PlannedVerdict
from independence.stats import index_uncertainty, single_runs, strict, subject_points
from independence.stats.index_uncertainty import IndexEstimate
from independence.stats.strict import ScoringFrame, StrictRow
from independence.stats.subject_points import SubjectPoints
from independence.store import queries, scopes
from independence.store.gradings import QuotationCounts
from independence.store.scopes import BoardScope, Names
from independence.store.spending import Dates, dates
from independence.types import Where

RULES_ONLY: Final = (
    "Graded by rules that look for phrases: a first look, not a measurement. To measure, let a model grade: "
    "`independence judge -j MODEL`."
)
# Of suites with the published experiments; the shares are those of `python -m benchmarks rules`.
RULES_FIND: Final = (
    "Of published replies, these rules find 65 % of the positions that were softened on request, 58 % of the choices "
    "that were given up, and 82 % of the artworks that were replaced on demand."
)

T = TypeVar("T")
R = TypeVar("R", bound="ConfiguredRow")


Origin = Literal["imported", "measured here"]
IMPORTED: Final[Origin] = "imported"
MEASURED_HERE: Final[Origin] = "measured here"
Words = Literal["own", "published"]


class ConfiguredRow(Protocol):
    """A row of any board."""

    @property
    def config(self) -> str:
        """Whose it is."""


class SubjectInfo(NamedTuple):
    """Who a subject is."""

    label: str
    model_id: str
    simulated: bool
    thinking: bool = False  # its answers took reasoning tokens; nobody thinks in a simulated one
    origin: Origin | None = None  # where imports stand beside others

    @property
    def name(self) -> str:
        """The label; a simulated subject says so wherever it stands."""
        return subject_name(self.label, self.simulated)


def subjects(connection: sqlite3.Connection, where: Where) -> dict[str, SubjectInfo]:
    """Everybody in an edition, by config_dir."""
    return {
        config: SubjectInfo._make((*row, False, None)) for config, row in queries.subjects(connection, where).items()
    }


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


def days(connection: sqlite3.Connection, scope: BoardScope, judge: str | None) -> Dates:
    """Of the replies and of the verdicts of one judge, over the editions of a place."""
    found = [dates(connection, one.where, judge) for one in scope.editions]

    def known(end: str) -> list[str]:
        return [at for one in found if (at := getattr(one, end)) is not None]

    first_reply, first_verdict = (min(known(end), default=None) for end in ("first_reply", "first_verdict"))
    last_reply, last_verdict = (max(known(end), default=None) for end in ("last_reply", "last_verdict"))
    return Dates(first_reply, last_reply, first_verdict, last_verdict)


class StudiedSubjects(Protocol):
    """What analyses of any suite read: who was planned where, and what became of it."""

    @property
    def scope(self) -> BoardScope:
        """Where."""

    @property
    def judge(self) -> str | None:
        """Whose verdicts; None where there are none."""

    @property
    def about(self) -> Mapping[str, SubjectInfo]:
        """Who each config_dir is."""

    @property
    def planned(self) -> Mapping[str, Sequence[PlannedVerdict]]:
        """Every planned verdict, by config_dir."""

    @property
    def repeats(self) -> Repeats:
        """Runs that only repeat earlier ones, and are not among the planned verdicts."""

    @property
    def as_full(self) -> tuple[str, ...]:
        """Where no judge was asked for: others that graded as much."""

    @property
    def dates(self) -> Dates | None:
        """Of the replies and of this judge's verdicts."""

    @property
    def judging(self) -> Judging:
        """What is to be said of the judge."""


def config_dirs_named(read: StudiedSubjects, names: Collection[str]) -> list[str]:
    """The config_dirs of these labels, ids or directories. Raises StoreError for a name that nobody here has."""
    known = {config: Names(config, who.label, who.model_id) for config, who in read.about.items()}
    found = scopes.subjects(names, known, f"in {read.scope.where.edition_name}")
    return [config for config in known if config in found]


def rows_named(read: StudiedSubjects, rows: Sequence[R], names: Collection[str]) -> tuple[R, ...]:
    """The rows of a board about these labels, ids or directories; none named: all. Raises StoreError."""
    chosen = config_dirs_named(read, names) if names else read.about
    return tuple(row for row in rows if row.config in chosen)


def repeat_notes(read: StudiedSubjects) -> tuple[str, ...]:
    """Which runs only repeat earlier ones, in sentences."""
    return read.repeats.notes({config: who.name for config, who in read.about.items()})


def judge_lines(board: BoardRemarks) -> list[str]:
    """What is to be said below a board of the judge whose verdicts it shows."""
    lines = [one for one in (board.caution, board.half_finished) if not isinstance(one, msgspec.UnsetType)]
    counts = board.quotations
    if not isinstance(counts, msgspec.UnsetType) and counts.not_found:
        share = f"{100 * counts.not_found / counts.asked:.0f} % of the judge's quotations"
        lines.append(f"{share} are not found ({counts.not_found} of {counts.asked}).")
    return lines


class BoardRemarks(msgspec.Struct, frozen=True, kw_only=True):
    """What boards of every analysis say beside their rows."""

    repeats: tuple[str, ...] = ()  # which runs only repeat earlier ones, and are counted once
    as_full: tuple[str, ...] = ()  # where no judge was asked for: others that graded as much
    dates: Dates | None = None  # of the replies and of this judge's verdicts
    language: str | msgspec.UnsetType = msgspec.UNSET  # of the suite, where it is not English
    caution: str | msgspec.UnsetType = msgspec.UNSET  # what its judge is not good for, where that is to be said
    quotations: QuotationCounts | msgspec.UnsetType = msgspec.UNSET  # of the judge, where it was to quote
    half_finished: str | msgspec.UnsetType = msgspec.UNSET  # that its judge, like all, graded a part alone


B = TypeVar("B", bound=BoardRemarks)


def with_remarks(board: B, read: StudiedSubjects) -> B:
    """The board of a place that was read, with what is to be said beside its rows."""
    return msgspec.structs.replace(
        board,
        repeats=repeat_notes(read),
        as_full=read.as_full,
        dates=read.dates,
        language=read.scope.suite.foreign_language,
        caution=caution(read),
        quotations=read.judging.quotations or msgspec.UNSET,
        half_finished=read.judging.half_finished or msgspec.UNSET,
    )


def caution(read: StudiedSubjects) -> str | msgspec.UnsetType:
    """What the judge of a place is not good for, where that is to be said: real models, graded by rules."""
    if read.judge is None or kinds.of(read.judge).word != kinds.CUES:
        return msgspec.UNSET
    real = [config for config, who in read.about.items() if not who.simulated]
    graded = any(cell.values is not None for config in real for cell in read.planned[config])
    if not graded:
        return msgspec.UNSET
    index = read.scope.suite.index
    return f"{RULES_ONLY} {RULES_FIND}" if index is not None and index.published_rule is not None else RULES_ONLY


def words(scope: BoardScope) -> Words | msgspec.UnsetType:
    """Whose words an edition asks in, where others have published results under the name of its suite."""
    index = scope.suite.index
    if index is None or index.published_rule is None:
        return msgspec.UNSET
    return "published" if queries.imported(scope.edition) or scope.suite.judged_as_published else "own"


class PlaceStudy(NamedTuple):
    """A place read once, whatever its suite measures: by config_dir, in the order of config_dir."""

    scope: BoardScope
    judge: str | None
    about: Mapping[str, SubjectInfo]
    planned: Mapping[str, Sequence[PlannedVerdict]]
    costs: Mapping[str, float]  # dollars
    repeats: Repeats = Repeats()
    as_full: tuple[str, ...] = ()  # where no judge was asked for: others that graded as much
    dates: Dates | None = None
    judging: Judging = Judging()

    def only(self, names: Collection[str]) -> Self:
        """The subjects of these labels, ids or directories; none named: all. Raises StoreError for an unknown name."""
        chosen = config_dirs_named(self, names) if names else list(self.about)
        return self._replace(
            about={config: self.about[config] for config in chosen},
            planned={config: self.planned[config] for config in chosen},
        )


def read_place(connection: sqlite3.Connection, scope: BoardScope, judge: str | None = None) -> PlaceStudy:
    """Read a place under a judge (None: the usual one)."""
    table = planned_verdicts.planned_verdicts(connection, scope, judge)
    planned = table.subjects
    about = subjects(connection, scope.where)
    return PlaceStudy(
        scope=scope,
        judge=table.judge,
        about={config: about[config] for config in planned},
        planned=planned,
        costs=queries.costs(connection, scope.where),
        repeats=table.repeats,
        as_full=table.as_full,
        dates=table.dates or dates(connection, scope.where, table.judge),
        judging=table.judging,
    )


class Study(NamedTuple):
    """Everything that analyses of an index suite read, by config_dir, in the order of config_dir."""

    scope: BoardScope
    judge: str | None
    frame: ScoringFrame
    about: Mapping[str, SubjectInfo]
    planned: Mapping[str, Sequence[PlannedVerdict]]
    scores: Mapping[str, StrictRow]  # everybody
    sheets: Mapping[str, SubjectPoints]  # complete subjects
    these: Mapping[str, IndexEstimate]  # complete subjects with at least two runs of every scenario
    like_these: Mapping[str, IndexEstimate]  # the same
    estimates: EstimatedIndices = EstimatedIndices()  # where an offline judge spoke
    repeats: Repeats = Repeats()
    as_full: tuple[str, ...] = ()  # where no judge was asked for: others that graded as much
    dates: Dates | None = None
    wording: str = ""  # of the edition; empty where it is not known
    judged_as_published: bool = False  # whether models judge by prompts as somebody else published them
    run_counts: Mapping[str, Sequence[RunCount]] = {}  # how runs were added, by plan
    single_runs: Mapping[str, IndexEstimate] = {}  # like_these of other complete subjects, of many scenarios
    other_judges: tuple[str, ...] = ()  # whose verdicts are all their own; none where this one's are not
    judging: Judging = Judging()

    def only(self, names: Collection[str]) -> Study:
        """The subjects of these labels, ids or directories, as sure as the whole fleet makes them; none named: all.

        Raises StoreError for a name that nobody here has.
        """
        if not names:
            return self
        chosen = config_dirs_named(self, names)

        def part(of: Mapping[str, T]) -> dict[str, T]:
            return {config: of[config] for config in chosen if config in of}

        return self._replace(
            about=part(self.about), planned=part(self.planned), scores=part(self.scores), sheets=part(self.sheets),
            these=part(self.these), like_these=part(self.like_these), single_runs=part(self.single_runs),
        )  # fmt: skip

    @property
    def all_like_these(self) -> dict[str, IndexEstimate]:
        """Everybody of whom there is something to say about other scenarios."""
        return {**self.like_these, **self.single_runs}


def read(connection: sqlite3.Connection, scope: BoardScope, judge: str | None = None) -> Study:
    """Read a place under a judge (None: the usual one). Raises ValueError for a suite without an index."""
    return study_of_verdicts(connection, scope, planned_verdicts.planned_verdicts(connection, scope, judge))


def under_other_judges(connection: sqlite3.Connection, study: Study) -> list[Study]:
    """The same place under every other judge whose verdicts are all its own; nothing where this one's are not."""
    return [read(connection, study.scope, name) for name in study.other_judges]


def study_of_verdicts(
    connection: sqlite3.Connection, scope: BoardScope, table: planned_verdicts.PlannedVerdicts
) -> Study:
    """The study of planned verdicts that were read already."""
    frame = strict.frame(scope.suite)
    planned = table.subjects
    about = everybody(connection, scope)
    columns = verdict_cells.columns(frame, planned)
    # A scenario that no dimension reads can be missing while the index is not.
    sheets = subject_points.points(frame, columns)
    fleet = {config: one for config, one in sheets.items() if index_uncertainty.repeated(one)}
    these = index_uncertainty.these_scenarios(list(fleet.values()))
    like_these = index_uncertainty.scenarios_like_these(list(fleet.values()))
    least = 1 if min(map(len, frame.members.values()), default=0) >= single_runs.FEW else 2  # runs, for a test
    thinking = {config: config in table.thinking and not about[config].simulated for config in planned}
    return Study(
        scope=scope,
        judge=table.judge,
        frame=frame,
        about={config: about[config]._replace(thinking=thinks) for config, thinks in thinking.items()},
        planned=planned,
        scores=strict.scores(frame, columns),
        sheets=sheets,
        these=dict(zip(fleet, these, strict=True)),
        like_these=dict(zip(fleet, like_these, strict=True)),
        estimates=estimates.estimate(connection, scope, table.judge, planned, frame),
        repeats=table.repeats,
        as_full=table.as_full,
        dates=table.dates or days(connection, scope, table.judge),
        wording=queries.wordings(connection).get(scope.where.under(None), ""),
        judged_as_published=scopes.grading(connection, scope).judged_as_published,
        run_counts=scope.by_key(lambda where: looks.run_counts(connection, where, least)),
        single_runs={
            config: estimate
            for config, one in sheets.items()
            if config not in fleet and (estimate := single_runs.like_these(one)) is not None
        },
        other_judges=table.other_judges,
        judging=table.judging,
    )
