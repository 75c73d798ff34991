"""What comes back from a store: boards, comparisons and rows, with a display for notebooks and data frames."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from typing import Any, Generic, Literal, TypeVar

import msgspec

from independence.errors import IndependenceError, UsageError
from independence.report import (
    analysis,
    comparison_tables,
    gate_files,
    html,
    subject_comparison,
    suite_comparison_tables,
    table,
)
from independence.report.analysis import RenderedBoard
from independence.report.gate_files import CheckDocument
from independence.report.subject_comparison import ComparedSubject, IndexGap
from independence.report.suite_comparison import ComparedSuites
from independence.report.table import Table, flat
from independence.stats.equating import Equating
from independence.stats.gates import Decision

T = TypeVar("T", bound=msgspec.Struct)
_OPENED = (
    "values",
    "factors",
    "subject",
    "dimensions",
    "flags",
    "points_lost",
)  # objects that become a column for each key


class Tabular:
    """Something that is rows of plain values."""

    def records(self) -> Iterator[dict[str, object]]:
        """The rows, flat: objects with known keys have a value for each, named KEY.NAME."""
        raise NotImplementedError

    def to_pandas(self) -> Any:
        """A `pandas.DataFrame` of `records`. Raises UsageError where pandas is not installed."""
        return _library("pandas").DataFrame(list(self.records()))

    def to_polars(self) -> Any:
        """A `polars.DataFrame` of `records`. Raises UsageError where polars is not installed."""
        return _library("polars").DataFrame(list(self.records()), infer_schema_length=None)


def _library(name: Literal["pandas", "polars"]) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        raise UsageError(f"{name} is not installed, and nothing here brings it", f"pip install {name}") from error


class Rows(Tabular, Generic[T]):
    """Rows of a store, read anew whenever it is iterated over, one by one: never all of them in memory."""

    def __init__(self, read: Callable[[], Iterable[T]]) -> None:
        self._read = read

    def __iter__(self) -> Iterator[T]:
        return iter(self._read())

    def records(self) -> Iterator[dict[str, object]]:
        """The rows, flat."""
        return (_flat(row) for row in self)


def _flat(row: msgspec.Struct) -> dict[str, object]:
    out: dict[str, object] = {}
    for name, value in msgspec.to_builtins(row, enc_hook=_decoded).items():
        if name in _OPENED and isinstance(value, Mapping):
            out |= {f"{name}.{key}": inner for key, inner in value.items()}
        else:
            out[name] = value
    return out


def _decoded(raw: msgspec.Raw) -> object:
    """Messages of a request, which a dialogue keeps as the bytes that were sent."""
    return msgspec.json.decode(raw)


class BoardResult(Tabular):
    """A board: the ranked table of one wording of a suite, one condition, one judge and one scoring rule."""

    def __init__(self, built: RenderedBoard) -> None:
        self.built = built

    @property
    def document(self) -> Any:
        """The board as a typed value, unrounded: what `to_json` encodes. Indices, bounds and intervals on 0-100.

        Its type is the analysis's own: `Board` of an index, `SidesBoard`, `StanceBoard`, or another package's.
        """
        return self.built.document

    @property
    def rows(self) -> tuple[Any, ...]:
        """One typed row for each subject, in the order of the board."""
        return tuple(self.document.rows)

    @property
    def tables(self) -> list[Table]:
        """The board as tables for people."""
        return list(self.built.tables)

    def records(self) -> Iterator[dict[str, object]]:
        """One flat row for each subject."""
        return (_flat(row) for row in self.rows)

    def to_json(self) -> str:
        """As `independence leaderboard --format json` prints it."""
        return analysis.to_json([self.built])

    def to_csv(self) -> str:
        """As `independence leaderboard --format csv` prints it."""
        return analysis.to_csv([self.built])

    def to_markdown(self) -> str:
        """As `independence leaderboard --format md` prints it."""
        return analysis.to_markdown(self.built)

    def _repr_html_(self) -> str:
        """The board for a notebook, all of it escaped."""
        return html.fragment(self.tables)


class ComparisonResult(Tabular):
    """Two sides paired by scenario; every difference is the first minus the second."""

    def __init__(self, first: ComparedSubject, second: ComparedSubject, equivalence: float) -> None:
        self.first = first
        self.second = second
        self.equivalence = equivalence  # index points
        self.tables: list[Table] = comparison_tables.tables(first, second, equivalence)

    @property
    def difference(self) -> IndexGap | None:
        """How far apart both are in index points, with standard errors: for these scenarios and for others like them.

        None where a side is incomplete or has a scenario with a single run.
        """
        return subject_comparison.gap(self.first, self.second)

    def records(self) -> Iterator[dict[str, object]]:
        """One flat row for each scenario."""
        keys, rows = flat(next(table for table in self.tables if table.id == "scenarios"))
        return (dict(zip(keys, row, strict=True)) for row in rows)

    def to_json(self) -> str:
        """As `independence compare --format json` prints it."""
        return table.to_json(self.tables)

    def _repr_html_(self) -> str:
        """The comparison for a notebook, all of it escaped."""
        return html.fragment(self.tables)


class CheckResult(Tabular):
    """What a gate decided about one subject, and why."""

    def __init__(self, document: CheckDocument, stopped_by: IndependenceError | None, *, started: bool) -> None:
        self.document = document  # everything, as `independence check --format json` prints it
        self.stopped_by = stopped_by  # what ended it early; None where nothing did
        self.started = started  # False: a dry run, or not approved; nothing was asked

    @property
    def decision(self) -> Decision | None:
        """Pass, fail or undecided; None without a bar, and where verdicts are missing."""
        return self.document.decision

    @property
    def exit_code(self) -> int:
        """That of the command: 0 pass, 1 fail, 3 incomplete, 5 undecided, 130 interrupted."""
        return self.document.exit_code

    @property
    def tables(self) -> list[Table]:
        """The bars, and the scenarios by points lost."""
        return gate_files.tables(self.document)

    def records(self) -> Iterator[dict[str, object]]:
        """One flat row for each scenario."""
        return (_flat(one) for one in self.document.scenarios)

    def to_json(self) -> str:
        """As `independence check --format json` prints it."""
        return msgspec.json.format(msgspec.json.encode(self.document), indent=2).decode()

    def to_markdown(self) -> str:
        """A summary for people, with words of the scenarios that lost most, which cannot leave their block."""
        return gate_files.markdown(self.document)

    def to_junit(self) -> str:
        """JUnit XML: a test case for each scenario and one for the index."""
        return gate_files.junit(self.document)

    def to_baseline(self) -> str:
        """JSON that later gates are held against. Raises UsageError where verdicts are missing."""
        if self.document.baseline is None:
            raise UsageError("verdicts are missing, so there is no index to hold later ones against")
        return msgspec.json.format(msgspec.json.encode(self.document.baseline), indent=2).decode()

    def _repr_html_(self) -> str:
        """The decision for a notebook, all of it escaped."""
        return html.fragment(self.tables)


class SuiteComparisonResult(Tabular):
    """Two suites over the subjects that both have; every difference is the first minus the second."""

    def __init__(self, compared: ComparedSuites) -> None:
        self.compared = compared
        self.tables: list[Table] = suite_comparison_tables.tables(compared)

    @property
    def equating(self) -> Equating:
        """Slope and intercept of the second given the first, rank correlation, mean difference, with 95 % intervals.

        Below 4 subjects the difference alone.
        """
        return self.compared.equating

    def records(self) -> Iterator[dict[str, object]]:
        """One flat row for each subject."""
        keys, rows = flat(next(table for table in self.tables if table.id == "subjects"))
        return (dict(zip(keys, row, strict=True)) for row in rows)

    def to_json(self) -> str:
        """As `independence compare --suites --format json` prints it."""
        return table.to_json(self.tables)

    def _repr_html_(self) -> str:
        """The comparison for a notebook, all of it escaped."""
        return html.fragment(self.tables)
