"""A store opened for reading: boards, replies, verdicts and dialogues as typed values."""

from __future__ import annotations

import difflib
import sqlite3
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

import msgspec

from independence.api.results import BoardResult, DialogueRecord, ReplyRecord, Rows, VerdictRecord
from independence.errors import StoreError, UsageError
from independence.exchange import export_tables
from independence.exchange.export_tables import ExportedEdition
from independence.exchange.trajectory import Trajectory
from independence.exchange.trajectory_reading import TrajectoryReader
from independence.report import analysis, planned_verdicts
from independence.report.analysis import BoardOptions
from independence.report.board import DEFAULT, STRICT, InferenceOptions
from independence.store import database, export_rows, queries, scopes
from independence.store.queries import EditionInfo
from independence.suites import load
from independence.suites.load import LoadedSuite

Names = str | Sequence[str]
T = TypeVar("T")
R = TypeVar("R", bound=DialogueRecord)


def load_suite(name: str | Path = "v2") -> LoadedSuite:
    """A suite with its texts: a built-in name, or a folder with `suite.yaml`. `.suite` is it, `.edition` its digest.

    Raises UsageError for a name that there is none of, DocumentError for a suite that does not fit its schema.
    """
    return load.load(str(name), analysis.check)


class Store:
    """An existing store, opened for reading; close it, or use it in a `with` block.

    `suite` is NAME or NAME@EDITION everywhere; it may be left out where the store holds one edition. `variant` and
    `mode` name a condition. A store of an older version is brought up to date when it is opened, as commands do.
    Raises StoreError for a file that is no store, and from every method for names that the store does not hold.
    """

    def __init__(self, path: Path | str = "independence.db") -> None:
        self.path = Path(path)
        self.connection = database.connect_existing(self.path)
        self.connection.execute("PRAGMA query_only = ON")
        self._closing = ExitStack()
        self._closing.callback(self.connection.close)
        self._finalizer = weakref.finalize(self, self._closing.close)

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
        """The board of one edition under one condition (the suite's own unless named) by one judge.

        `judge`: by default the model with most verdicts. `scoring`: strict, published, or a published rule.
        `models`: only these labels or ids, as they stand among all. `reading`: what intervals and tiers are about.
        `pooled`: one board over every condition. Raises UsageError where the suite cannot be read so.
        """
        if pooled and (variant or mode):
            raise UsageError("a pooled board is one over every condition", "leave variant and mode out")
        with self.reading() as connection:
            scope = scopes.conditions(connection, suite)[0] if pooled else scopes.find(connection, suite, variant, mode)
            written = {
                "--scoring": scoring != STRICT, "--pooled": pooled,
                "--generalises-to": reading.generalises_to != DEFAULT.generalises_to,
                "--correction": reading.correction != DEFAULT.correction,
            }  # fmt: skip
            analysis.refuse(scope.suite, [flag for flag, is_set in written.items() if is_set])
            by = planned_verdicts.judge_here(connection, scope, judge)
            asked = BoardOptions(scoring, by, reading, pooled, _names(models))
            return BoardResult(analysis.board(connection, scope, asked))

    def replies(
        self,
        suite: str | None = None,
        *,
        variant: str | None = None,
        mode: str | None = None,
        subjects: Names = (),
        scenarios: Names = (),
    ) -> Rows[ReplyRecord]:
        """Every reply with the messages that it answers, by condition, subject, run, scenario and turn.

        Without a condition: of all. `subjects` are labels or ids. A dialogue that is not finished ends in a row that
        says in `missing` why. Rows are read while they are iterated over.
        """
        edition = self._edition(suite, variant, mode, subjects, scenarios)
        return self._rows("dialogues", edition, ReplyRecord)

    def verdicts(
        self,
        suite: str | None = None,
        *,
        variant: str | None = None,
        mode: str | None = None,
        subjects: Names = (),
        scenarios: Names = (),
        judge: str | None = None,
    ) -> Rows[VerdictRecord]:
        """Every verdict, of one judge or of all, in the order of `replies`, then of judges. Else as `replies`."""
        edition = self._edition(suite, variant, mode, subjects, scenarios)
        by = self._judge(edition, judge)
        rows = self._rows("verdicts", edition, VerdictRecord)
        return Rows(lambda: (row for row in rows if by in (None, row.judge)))

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
        edition = self._edition(suite, variant, mode, subjects, scenarios)
        by = self._judge(edition, judge)

        def read() -> Iterator[Trajectory]:
            readers = {str(one.condition): TrajectoryReader(self.connection, one) for one in edition.places}
            for trial in export_rows.planned_trials(self.connection, edition.where):
                if edition.holds(trial):
                    one = readers[f"{trial.variant}/{trial.mode}"].read(trial, by)
                    if one.turns:
                        yield one

        return Rows(lambda: self._translated(read()))

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """The connection; what SQLite says is raised as StoreError or DiskFull."""
        try:
            yield self.connection
        except sqlite3.Error as error:
            raise database.translate(error, self.path) from error

    def _edition(
        self, suite: str | None, variant: str | None, mode: str | None, subjects: Names, scenarios: Names
    ) -> ExportedEdition:
        """What of an edition is meant."""
        with self.reading() as connection:
            places = scopes.conditions(connection, suite, variant, mode)
            about = export_tables.chosen_subjects(connection, places[0], _names(subjects))
        edition = ExportedEdition(connection, places, about, frozenset(_names(scenarios)))
        for name in sorted(edition.only - edition.scenarios.keys()):
            near = difflib.get_close_matches(name, edition.scenarios, n=1)
            hint = f"did you mean `{near[0]}`?" if near else f"it has {', '.join(edition.scenarios)}"
            raise StoreError(f"no scenario `{name}` in {edition.where.edition_name}", hint)
        return edition

    def _judge(self, edition: ExportedEdition, asked: str | None) -> str | None:
        with self.reading() as connection:
            return planned_verdicts.judge_anywhere(connection, edition.places, asked)

    def _rows(self, name: str, edition: ExportedEdition, kind: type[R]) -> Rows[R]:
        (table,) = (one for one in export_tables.tables(edition) if one.name == name)
        return Rows(lambda: self._translated(msgspec.convert(row, kind) for row in table.rows()))

    def _translated(self, rows: Iterable[T]) -> Iterator[T]:
        with self.reading():
            yield from rows


def _names(names: Names) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)
