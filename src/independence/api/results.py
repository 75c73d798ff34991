"""What comes back from a store: boards, comparisons and rows, with a display for notebooks and data frames."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from typing import Any, Generic, Literal, TypeVar

import msgspec

from independence.errors import IndependenceError, UsageError
from independence.report import analysis
from independence.report.analysis import RenderedBoard
from independence.report.board.rows import Board, Row, row_values
from independence.report.files import html
from independence.report.files.table import Table, display_text, spelled_out
from independence.types import REPR_COLUMNS, REPR_LINES

T = TypeVar("T", bound=msgspec.Struct | Mapping[str, Any])
# Objects that become a column for each key.
_OPENED = ("values", "factors", "flags")


def printed(title: str, *tables: Table) -> str:
    """What a result prints as: its title and its tables in at most ten lines; rows of the last one go first."""
    lines = [title]
    for place, table in enumerate(tables):
        cells = [[column.head for column in table.columns]]
        cells += [list(map(display_text, table.columns, row)) for row in table.rows]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        kept = sum(end <= REPR_COLUMNS for end in itertools.accumulate(width + 2 for width in widths))
        text = ["  ".join(one.rjust(width) if column.numeric else one.ljust(width)
                          for column, one, width in zip(table.columns[:kept], row, widths, strict=False)).rstrip()
                for row in cells]  # fmt: skip
        room = REPR_LINES - len(lines) - 2 * (len(tables) - 1 - place)  # of those that follow, head and first row
        lines += text if len(text) <= room else [*text[: room - 1], f"... and {len(text) - room + 1} more"]
    safe = map(spelled_out, lines)
    return "\n".join(line if len(line) <= REPR_COLUMNS else f"{line[: REPR_COLUMNS - 1]}…" for line in safe)


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


class Shown(Tabular):
    """A result with tables that people read, and a display for notebooks."""

    @property
    def tables(self) -> list[Table]:
        """What people read."""
        raise NotImplementedError

    def _repr_html_(self) -> str:
        """The tables for a notebook, all of it escaped."""
        return html.fragment(self.tables)


class Decided(Shown):
    """What runs were bought to decide: a document, and its tables."""

    def __init__(self, document: Any, stopped_by: IndependenceError | None, *, started: bool) -> None:
        self.document = document  # everything, as the command prints it with `--format json`
        self.stopped_by = stopped_by  # what ended it early; None where nothing did
        self.started = started  # False: a dry run, or not approved; nothing was asked

    @property
    def exit_code(self) -> int:
        """That of the command: 0 decided or passed, 1 failed, 3 incomplete, 5 open or undecided, 130 interrupted."""
        return int(self.document.exit_code)

    def to_json(self) -> str:
        """As the command prints it with `--format json`."""
        return msgspec.json.format(msgspec.json.encode(self.document), indent=2).decode()

    def __repr__(self) -> str:
        return printed(self.document.reason, *self.tables[:2])


def _library(name: Literal["pandas", "polars"]) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        raise UsageError(f"{name} is not installed, and nothing here brings it", f"pip install {name}") from error


class Rows(Tabular, Generic[T]):
    """Rows of a store, read anew whenever it is iterated over, one by one: never all of them in memory."""

    def __init__(self, read: Callable[[], Iterable[T]]) -> None:
        self._read = read

    def __repr__(self) -> str:
        return f"{type(self).__name__} of a store: iterate over them, or take to_pandas() or to_polars()"

    def __iter__(self) -> Iterator[T]:
        return iter(self._read())

    def records(self) -> Iterator[dict[str, object]]:
        """The rows, flat."""
        return (flattened(row) for row in self)


def flattened(row: msgspec.Struct | Mapping[str, Any]) -> dict[str, object]:
    """A row of plain values; an object with known keys becomes a column for each of them."""
    out: dict[str, object] = {}
    # Messages of a request are kept as the bytes that were sent.
    for name, value in msgspec.to_builtins(row, enc_hook=msgspec.json.decode).items():
        if name in _OPENED and isinstance(value, Mapping):
            out |= {f"{name}.{key}": inner for key, inner in value.items()}
        else:
            out[name] = value
    return out


class BoardResult(Shown):
    """A board: the ranked table of one wording of a suite, one condition, one judge and one scoring rule."""

    def __init__(self, built: RenderedBoard) -> None:
        self.built = built

    @property
    def document(self) -> Board:
        """The board as a typed value, unrounded: what `to_json` encodes."""
        return self.built.document

    @property
    def rows(self) -> tuple[Row, ...]:
        """One row for each subject, in the order of the board: `row.main` is what orders it, `row["NAME"]` another
        estimate.
        """
        return self.document.rows

    @property
    def tables(self) -> list[Table]:
        """The board as tables for people."""
        return list(self.built.tables)

    def records(self) -> Iterator[dict[str, object]]:
        """One flat row for each subject, by the names of columns of CSV, and a column for each mark."""
        for row in self.rows:
            marks = {f"flags.{mark}": count for mark, count in row.flags.items()}
            yield {**row_values(row), **marks, **self.built.added.get(row.config, {})}

    def to_json(self) -> str:
        """As `independence leaderboard --format json` prints it."""
        return analysis.to_json([self.built])

    def to_csv(self) -> str:
        """As `independence leaderboard --format csv` prints it."""
        return analysis.to_csv([self.built])

    def to_markdown(self) -> str:
        """As `independence leaderboard --format md` prints it."""
        return analysis.to_markdown(self.built)

    def __repr__(self) -> str:
        narrow = self.built.narrow[0]
        return printed(narrow.title, narrow)
