"""A store opened for reading: boards, replies, verdicts and dialogues as typed values."""

from __future__ import annotations

import sqlite3
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self, TypeVar, Unpack

from independence.api.results import BoardResult, Rows
from independence.config.options import Place
from independence.errors import StoreError, UsageError, ambiguous, suggestion
from independence.exchange import export_tables, trajectory_reading
from independence.exchange.export_tables import ExportedEdition, Row
from independence.exchange.trajectory import Trajectory
from independence.exchange.trajectory_reading import DialogueReader
from independence.report import analysis, items
from independence.report.analysis import BoardOptions
from independence.report.board import judge_choice
from independence.report.board.board import DEFAULT, InferenceOptions
from independence.report.board.rows import STRICT
from independence.report.files.table import Section, Table
from independence.report.gates import gate_files
from independence.report.index import matrix
from independence.store import queries, scopes
from independence.store.decisions import Side
from independence.store.file import database
from independence.store.queries import EditionInfo
from independence.store.scopes import BoardScope
from independence.suites import load
from independence.suites.load import LoadedSuite

if TYPE_CHECKING:  # reading a store loads nothing that calls a server
    from independence.engine.resolve import RunPlan

Names = str | Sequence[str]


class ReportOptions(Place, total=False):
    """What a report is about and how it is read, as for `Store.board`."""

    scoring: str
    models: Names
    reading: InferenceOptions
    pooled: bool


T = TypeVar("T")
_NAMED = 3  # editions


def load_suite(name: str | Path = "v2") -> LoadedSuite:
    """A suite with its texts: a built-in name, or a folder with `suite.yaml`. `.suite` is it, `.edition` its digest.

    Raises UsageError for a name that there is none of, DocumentError for a suite that does not fit its schema.
    """
    return load.load(str(name), analysis.check)


class Store:
    """An existing store, opened for reading; close it, or use it in a `with` block.

    `suite` is NAME or NAME@EDITION everywhere; it may be left out where the store holds one edition. `variant` and
    `mode` name a condition. A store of an older version is brought up to date when it is opened, as commands do.
    `notice` is told what a person should know, such as that the newest of several editions was taken. Raises
    StoreError for a file that is no store, and from every method for names that the store does not hold.
    """

    def __init__(self, path: Path | str = "independence.db", notice: Callable[[str], object] = str) -> None:
        self.path = Path(path)
        self.notice = notice
        self.connection = database.connect_existing(self.path)
        self.connection.execute("PRAGMA query_only = ON")
        self._closing = ExitStack()
        self._closing.callback(self.connection.close)
        self._finalizer = weakref.finalize(self, self._closing.close)

    def __repr__(self) -> str:
        held = "closed"
        if self._finalizer.alive:
            held = ", ".join(f"{one.where.edition_name} ({one.trials} dialogues)" for one in self.editions()[:_NAMED])
        return f"Store({str(self.path)!r}): {held or 'empty'}"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file. Rows that were not read yet cannot be read any more."""
        self._finalizer()

    def closes(self, also: Callable[[], object]) -> Self:
        """Call this too when the store is closed."""
        self._closing.callback(also)
        return self

    def suites(self) -> list[str]:
        """Names of the suites that have trials here, the one used last first."""
        return list(dict.fromkeys(info.suite for info in self.editions()))

    def editions(self) -> list[EditionInfo]:
        """Every edition with its number of trials, the one used last first."""
        with self.reading() as connection:
            return queries.editions(connection)

    def board(
        self,
        suite: str | None = None,
        *,
        variant: str | None = None,
        mode: str | None = None,
        judge: str | None = None,
        scoring: str = STRICT,
        models: Names = (),
        reading: InferenceOptions = DEFAULT,
        pooled: bool = False,
    ) -> BoardResult:
        """The board of one wording of a suite under one condition (the suite's own unless named) by one judge.

        `judge`: by default the last that graded everything. `scoring`: strict, published, or a published rule.
        `models`: only these labels or ids, as they stand among all. `reading`: what intervals and tiers are about.
        `pooled`: one board over every condition. Raises UsageError where the suite cannot be read so.
        """
        with self.reading() as connection, database.collecting_seldom():
            scope = self._shown(suite, variant, mode, pooled=pooled)
            asked = self._options(scope, judge, scoring=scoring, reading=reading, pooled=pooled, models=models)
            return BoardResult(analysis.board(connection, scope, asked))

    def report(
        self,
        *,
        scoring: str = STRICT,
        models: Names = (),
        reading: InferenceOptions = DEFAULT,
        pooled: bool = False,
        **place: Unpack[Place],
    ) -> tuple[str, list[Section]]:
        """Title and sections of the whole report on what `board` shows, with the same arguments."""
        with self.reading() as connection, database.collecting_seldom():
            asked = ReportOptions(scoring=scoring, models=models, reading=reading, pooled=pooled, **place)
            scope, options = report_place(self, asked)
            imported = ", as published" if queries.imported(scope.edition) else ""
            return f"{scope.suite.title}{imported}: report", analysis.report(connection, scope, options, options.models)

    def matrix(self, **place: Unpack[Place]) -> list[Table]:
        """Every condition of an edition beside its baseline, over all subjects. Raises StoreError for only one."""
        with self.reading() as connection:
            scope = self.places(place, one=True)[0]
            analysis.refuse(scope.suite, ["--matrix"])
            by = judge_choice.judge_here(connection, scope, place.get("judge"))
            if tables := matrix.tables(connection, scope.suite, scope.edition, by):
                return tables
        what = f"{scope.where.edition_name} has trials under one condition only ({scope.condition})"
        raise StoreError(what, "`independence run --system-prompt A,B --delivery user_role,tool_role` adds others")

    def items(self, *, models: Names = (), **place: Unpack[Place]) -> list[Table]:
        """What each scenario, stem or dispute of a board still tells its complete subjects apart by.

        `models`: over these labels or ids alone. Raises UsageError for a suite without items, StoreError.
        """
        _check(place)
        with self.reading() as connection:
            scope = self.board_scope(place.get("suite"), place.get("variant"), place.get("mode"))
            by = judge_choice.judge_here(connection, scope, place.get("judge"))
            return items.tables(connection, scope, by, names(models))

    def _shown(self, suite: str | None, variant: str | None, mode: str | None, *, pooled: bool) -> BoardScope:
        """What a board is about; the first condition of those that are pooled. Raises UsageError, StoreError."""
        if pooled and (variant or mode):
            raise UsageError("--pooled is one board over every condition", "leave --system-prompt and --delivery out")
        return scopes.conditions(self.connection, suite)[0] if pooled else self.board_scope(suite, variant, mode)

    def _options(self, scope: BoardScope, judge: str | None, *, scoring: str, reading: InferenceOptions,
                 pooled: bool = False, models: Names = ()) -> BoardOptions:  # fmt: skip
        """How a place is to be read. Raises UsageError where its analysis has no use for it, StoreError."""
        written = {
            "--scoring": scoring != STRICT, "--pooled": pooled,
            "--generalises-to": reading.generalises_to != DEFAULT.generalises_to,
        }  # fmt: skip
        analysis.refuse(scope.suite, [flag for flag, is_set in written.items() if is_set])
        by = judge_choice.judge_here(self.connection, scope, judge)
        return BoardOptions(scoring, by, reading, pooled, names(models))

    def replies(
        self,
        suite: str | None = None,
        *,
        variant: str | None = None,
        mode: str | None = None,
        subjects: Names = (),
        scenarios: Names = (),
    ) -> Rows[Row]:
        """Every reply with the messages that it answers, by condition, subject, run, scenario and turn.

        Without a condition: of all. `subjects` are labels or ids. A dialogue that is not finished ends in a row that
        says in `missing` why. Rows are read while they are iterated over.
        """
        edition = self._edition(self.places(Place(suite=suite, variant=variant, mode=mode)), subjects, scenarios)
        return self._rows("dialogues", edition)

    def verdicts(
        self,
        suite: str | None = None,
        *,
        variant: str | None = None,
        mode: str | None = None,
        subjects: Names = (),
        scenarios: Names = (),
        judge: str | None = None,
    ) -> Rows[Row]:
        """Every verdict, of one judge or of all, in the order of `replies`, then of judges. Else as `replies`."""
        edition = self._edition(self.places(Place(suite=suite, variant=variant, mode=mode)), subjects, scenarios)
        by = self._judge(edition, judge)
        rows = self._rows("verdicts", edition)
        return Rows(lambda: (row for row in rows if by in (None, row["judge"])))

    def trajectories(
        self,
        suite: str | None = None,
        *,
        variant: str | None = None,
        mode: str | None = None,
        subjects: Names = (),
        scenarios: Names = (),
        judge: str | None = None,
    ) -> Rows[Trajectory]:
        """Every dialogue that was begun, as it was: messages, replies, verdicts of one judge or of all.

        The rest is as for `replies`.
        """
        edition = self._edition(self.places(Place(suite=suite, variant=variant, mode=mode)), subjects, scenarios)
        by = self._judge(edition, judge)
        return Rows(lambda: self._translated(one for one in edition.documents(by) if one.turns))

    def dialogues(self, subject: str, *, run: int | None = None, **place: Unpack[Place]) -> Table:
        """The dialogues of one subject under one condition with their scores by one judge. `run`: that one alone."""
        edition = self._edition(self.places(place, one=True), subject, ())
        with self.reading() as connection:
            by = judge_choice.judge_anywhere(connection, edition.places, place.get("judge"))
            return trajectory_reading.dialogue_table(connection, edition.places[0], _only(edition, subject), by, run)

    def dialogue(self, subject: str, scenario: str, *, run: int | None = None, **place: Unpack[Place]) -> Trajectory:
        """One dialogue as it was, by default the first run with an answer; verdicts of one judge or of all."""
        edition = self._edition(self.places(place, one=True), subject, scenario)
        _only(edition, subject)
        by = self._judge(edition, place.get("judge"))
        with self.reading() as connection:
            there = list(edition.dialogues(edition.places[0]))
            held = ", ".join(str(one.run) for one in there)
            fitting = [one for one in there if run in (None, one.run)]
            if not fitting:
                raise StoreError(
                    f"--run {run}: `{scenario}` has the runs {held}"
                    if there
                    else f"`{subject}` was not asked `{scenario}` under {edition.places[0].condition}"
                )
            chosen = next((one for one in fitting if one.turns), fitting[0])
            if len(fitting) > 1:
                self.notice(f"run {chosen.run} of {held}; --run N shows another")
            return DialogueReader(connection, edition.places[0]).read(chosen, by)

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """The connection; what SQLite says is raised as StoreError or DiskFull."""
        with database.translated(self.path):
            yield self.connection

    def places(self, place: Place, *, one: bool = False) -> list[BoardScope]:
        """The condition that is meant; where none is, every one of the edition or, for `one`, the suite's own.

        Raises StoreError, and UsageError for what names no place.
        """
        _check(place)
        suite, variant, mode = (place.get("suite"), place.get("variant"), place.get("mode"))
        with self.reading() as connection:
            if one:
                found = [scopes.find(connection, suite, variant, mode)]
            else:
                found = scopes.conditions(connection, suite, variant, mode)
            self._tell_newest(found[0], suite)
        return found

    def scope(self, suite: str | None, variant: str | None, mode: str | None) -> BoardScope:
        """The edition and condition that are meant. Raises StoreError."""
        return self.places(Place(suite=suite, variant=variant, mode=mode), one=True)[0]

    def board_scope(self, suite: str | None, variant: str | None, mode: str | None) -> BoardScope:
        """What a board is about: the same, with every edition of one wording unless one is named. Raises StoreError."""
        with self.reading() as connection:
            found = scopes.find(connection, suite, variant, mode)
            whole = found if suite and "@" in suite else scopes.with_same_wording(connection, found)
            self._tell_newest(whole, suite)
        return whole

    def _tell_newest(self, scope: BoardScope, suite: str | None) -> None:
        if said := scopes.newest(self.connection, scope, suite):
            self.notice(said)

    def _edition(self, places: Sequence[BoardScope], subjects: Names, scenarios: Names) -> ExportedEdition:
        """What of an edition is meant."""
        with self.reading() as connection:
            about = export_tables.chosen_subjects(connection, places[0], names(subjects))
        edition = ExportedEdition(connection, places, about, frozenset(names(scenarios)))
        for name in sorted(edition.only - edition.scenarios.keys()):
            what = f"no scenario `{name}` in {edition.where.edition_name}"
            raise StoreError(what, suggestion(name, edition.scenarios, "it has"))
        return edition

    def _judge(self, edition: ExportedEdition, asked: str | None) -> str | None:
        with self.reading() as connection:
            return judge_choice.judge_anywhere(connection, edition.places, asked)

    def _rows(self, name: str, edition: ExportedEdition) -> Rows[Row]:
        (table,) = (one for one in export_tables.tables(edition) if one.name == name)
        return Rows(lambda: self._translated(table.rows()))

    def _translated(self, rows: Iterable[T]) -> Iterator[T]:
        with self.reading():
            yield from rows


def report_place(store: Store, asked: ReportOptions) -> tuple[BoardScope, BoardOptions]:
    """What the report of these options is about, and how it is read. Raises UsageError, StoreError."""
    _check(asked, ReportOptions.__annotations__)
    pooled = asked.get("pooled", False)
    scope = store._shown(asked.get("suite"), asked.get("variant"), asked.get("mode"), pooled=pooled)
    return scope, store._options(
        scope, asked.get("judge"), scoring=asked.get("scoring", STRICT), reading=asked.get("reading", DEFAULT),
        pooled=pooled, models=asked.get("models", ()),
    )  # fmt: skip


def _check(place: Place, known: Mapping[str, object] = Place.__annotations__) -> None:
    """Raise UsageError for a keyword that is none."""
    for name in sorted(place.keys() - known.keys()):
        raise UsageError(f"there is no option `{name}`", suggestion(name, known))


def names(given: Names) -> tuple[str, ...]:
    """One name or several, as several."""
    return (given,) if isinstance(given, str) else tuple(given)


def _only(edition: ExportedEdition, name: str) -> str:
    """The config_dir of the one subject that is meant. Raises StoreError where a name means several."""
    if len(edition.about) > 1:
        labels = [about.label for about in edition.about.values()]
        raise StoreError(*ambiguous(name, f"subjects in {edition.where.edition_name}", labels))
    return next(iter(edition.about))


def words(store: Store, run: RunPlan, side: Side, scenario: str, number: int) -> tuple[str, str]:
    """What the judge of a run quoted of a dialogue, else its last reply, and the judge's reasons; both may be cut."""
    said = store.dialogue(
        side.config_dir, scenario, run=number, suite=run.where.edition_name, variant=side.condition.variant,
        mode=side.condition.mode, judge=run.judges[0].name,
    )  # fmt: skip
    verdict = next((given for given in said.verdicts if given.current), None)
    last = said.turns[-1].reply.text if said.turns else ""
    quote = verdict.quote if verdict is not None and verdict.quote and verdict.quote_found else last
    return gate_files.cut(quote), gate_files.cut(verdict.reasoning if verdict is not None else "")
