"""A board of any analysis: a row for each subject, in it a standing and named estimates; as JSON and as flat values.

An analysis says which estimates its rows have and by which of them they are ordered; tables, CSV and JSON follow.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeVar

import msgspec

from independence.report.board import board_data
from independence.report.board.board_data import BoardRemarks, Origin, VerdictData
from independence.report.files import table_layouts
from independence.report.files.legend import subject_name
from independence.report.files.table import Column, Kind, Table, Value
from independence.stats.estimates import NO_ESTIMATE, Estimate
from independence.types import Ends

STRICT: Final = "strict"
NONE: Final = "none"  # the name of no method
GROUP: Final = "."
"""Joins a group and a name: the estimates `dimensions.voice` and `dimensions.drift` are the group `dimensions`."""


class Standing(msgspec.Struct, frozen=True):
    """The place of a subject among all of a board, whatever its missing verdicts would be."""

    rank: int | None = None  # None where missing verdicts leave several ranks, and of a single run
    rank_bounds: tuple[int, int] | None = None  # first and last rank that missing verdicts allow
    rank_ci: tuple[int, int] | None = None  # 95 % interval of the rank
    tier: int | None = None


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One subject. Numbers are unrounded except where a published rule rounds.

    `estimates` has an entry for every number of the analysis, the one that orders the board first.
    """

    config: str
    label: str
    simulated: bool
    thinking: bool = False  # its answers used reasoning tokens, or came with their reasoning
    origin: Origin | msgspec.UnsetType = msgspec.UNSET  # on boards of imports beside others
    coverage: float  # share of its planned verdicts that are valid, 0-1
    standing: Standing = Standing()
    verdict: str = ""  # what the tests allow to say, in a phrase; empty: nothing
    estimates: dict[str, Estimate]
    intervals: dict[str, Ends | None] = {}  # of the first estimate, by each method that applies
    runs: int = 0  # of the scenario that has fewest
    most_runs: int = 0  # of the scenario that has most
    complete_runs: int = 0
    per_run: tuple[float, ...] = ()  # the first estimate of each complete run
    facts: dict[str, Value] = {}  # counts and words of its analysis, by the keys of their columns
    flags: dict[str, int]  # mark -> how often
    cost_usd: float

    def __getitem__(self, name: str) -> Estimate:
        """The estimate of that name; one without a value where the analysis has none."""
        return self.estimates.get(name, NO_ESTIMATE)

    @property
    def main(self) -> Estimate:
        """The estimate that orders the board."""
        return next(iter(self.estimates.values()), NO_ESTIMATE)

    @property
    def name(self) -> str:
        """The label; a simulated subject says so."""
        return subject_name(self.label, self.simulated)

    @property
    def unequal(self) -> bool:
        """Whether some scenarios have more runs than others."""
        return self.runs < self.most_runs

    @property
    def single(self) -> bool:
        """Whether its first estimate is that of a single run, and so has neither rank nor interval."""
        return self.main.value is not None and self.runs == 1 and self.standing.rank_bounds is None

    def count(self, name: str) -> int:
        """A fact that is a count. Raises KeyError where the analysis has none of that name."""
        found = self.facts[name]
        assert isinstance(found, int)
        return found

    def group(self, name: str) -> dict[str, float | None]:
        """The values of a group of estimates, such as `dimensions`, by name."""
        head = name + GROUP
        return {key[len(head) :]: one.value for key, one in self.estimates.items() if key.startswith(head)}


class Board(BoardRemarks, frozen=True, kw_only=True):
    """Subjects of one wording under one condition, judge and scoring rule. What one analysis adds is a subclass."""

    suite: str
    edition: str
    condition: str
    analysis: str
    scoring: str = STRICT
    judge: str | None
    correction: str = NONE  # of the tests behind tiers and conclusions, for being several
    rows: tuple[Row, ...]

    @property
    def place(self) -> dict[str, Value]:
        """What the board is about, by the columns of CSV."""
        names = ("suite", "edition", "condition", "analysis", "scoring", "judge")
        return {name: getattr(self, name) for name in names} | table_layouts.particulars(self)


B = TypeVar("B", bound=Board)


class Measure(NamedTuple):
    """An estimate as columns of CSV: its value, and what else it has."""

    name: str
    kind: Kind = "number"
    interval: bool = False
    bounds: bool = False
    n: bool = False
    method: bool = False

    @property
    def columns(self) -> Iterable[Column]:
        """One for each part, by keys that `row_values` has."""
        ends: Kind = "signed_interval" if self.kind == "signed" else "interval"
        yield Column(self.name, self.name, self.kind)
        parts: dict[str, tuple[bool, Kind]] = {
            "ci": (self.interval, ends), "bounds": (self.bounds, ends), "n": (self.n, "count"),
            "method": (self.method, "text"),
        }  # fmt: skip
        yield from (
            Column(f"{self.name}_{part}", f"{self.name}_{part}", kind) for part, (has, kind) in parts.items() if has
        )


def of_subject(data: VerdictData, config: str, flags: Mapping[str, int], **known: Any) -> Row:
    """A row about a subject of a place; `known`: what its analysis found."""
    who = data.about[config]
    cells = data.planned[config]
    given: dict[str, Any] = {
        "coverage": sum(cell.values is not None for cell in cells) / len(cells), "thinking": who.thinking,
        "origin": who.origin or msgspec.UNSET,
    }  # fmt: skip
    return Row(
        config=config, label=who.label, simulated=who.simulated, flags=dict(flags),
        cost_usd=data.costs.get(config, 0.0), **given | known,
    )  # fmt: skip


def bounded(found: Estimate | None, bounds: Ends | None) -> Estimate:
    """An estimate with what it can still be."""
    return msgspec.structs.replace(found or NO_ESTIMATE, bounds=bounds)


def of_place(kind: type[B], data: VerdictData, **known: Any) -> B:
    """The board of a place with what is said beside its rows; `known`: its rows and what its kind of board adds."""
    scope = data.scope
    board = kind(
        suite=scope.suite.suite, edition=scope.edition, condition=str(scope.condition), analysis=scope.suite.analysis,
        judge=data.judge, **known,
    )  # fmt: skip
    return board_data.with_remarks(board, data)


def row_values(row: Row) -> dict[str, Any]:
    """Everything of a row, by the keys of columns: NAME, NAME_ci, NAME_bounds, NAME_n and NAME_method of an estimate.

    `ci` and `bounds` alone are those of the first one.
    """
    found: dict[str, Any] = {
        "subject": row.name, "config": row.config, "label": row.label, "simulated": row.simulated,
        "thinking": row.thinking, "origin": row.origin or None, "coverage": row.coverage, "verdict": row.verdict,
        "runs": row.runs, "complete_runs": row.complete_runs, "cost_usd": row.cost_usd, "ci": row.main.interval,
        "bounds": row.main.ends, **msgspec.structs.asdict(row.standing), **row.facts,
        **{name.replace("-", "_"): ends for name, ends in row.intervals.items()},
    }  # fmt: skip
    for name, one in row.estimates.items():
        key = name.replace(GROUP, "_")
        found |= {
            key: one.value, f"{key}_ci": one.interval, f"{key}_bounds": one.bounds, f"{key}_n": one.n,
            f"{key}_method": one.method or None,
        }  # fmt: skip
    return found


_PLACES: Final = (
    Column("rank", "rank", "count"), Column("rank_bounds", "rank_bounds", "interval"),
    Column("rank_ci", "rank_ci", "interval"), Column("tier", "tier", "count"),
)  # fmt: skip
_SUBJECT: Final = (
    Column("label", "label"), Column("config", "config"), Column("origin", "origin"),
    Column("simulated", "simulated", "flag"), Column("thinking", "thinking", "flag"),
    Column("coverage", "coverage", "percent"), Column("verdict", "verdict"),
)  # fmt: skip


def flat_table(
    board: Board, measures: Sequence[Measure], facts: Sequence[Column], rows: Sequence[Mapping[str, Value]]
) -> Table:
    """Everything of every row, flat: where it is of, who, its place, each estimate, what else is known, and its cost.

    `rows`: those of the board as `row_values`, with what its analysis adds.
    """
    place = board.place
    columns = [
        *table_layouts.columns(place), *_SUBJECT, *_PLACES, *(column for own in measures for column in own.columns),
        *facts, Column("cost_usd", "cost_usd", "dollars"),
    ]  # fmt: skip
    found = tuple(tuple((place | row).get(column.key) for column in columns) for row in map(dict, rows))
    return Table("board", "The board", tuple(columns), found, configs=tuple(row.config for row in board.rows))


def document(board: Board, added: Mapping[str, Mapping[str, Value]]) -> dict[str, Any]:
    """The board in types of JSON. A row has each number under its name, and all of it in `estimates`.

    `bounds`, `ci` and `ci_method` are those of the first estimate. `added`: by config_dir, what packages add to rows.
    """
    made: dict[str, Any] = msgspec.to_builtins(board)
    made["rows"] = [{**row_document(row), **added.get(row.config, {})} for row in board.rows]
    return made


def row_document(row: Row) -> dict[str, Any]:
    """A row in types of JSON."""
    made: dict[str, Any] = msgspec.to_builtins(row)
    standing, facts = made.pop("standing"), made.pop("facts")
    main, groups = row.main, dict.fromkeys(name.split(GROUP)[0] for name in row.estimates if GROUP in name)
    return {
        **standing, **made, **facts,
        **{name: one.value for name, one in row.estimates.items() if GROUP not in name},
        **{name: row.group(name) for name in groups},
        "bounds": main.ends, "ci": main.interval, "ci_method": main.method or NONE,
    }  # fmt: skip


def only(data: VerdictData, rows: Iterable[Row], names: Collection[str]) -> tuple[Row, ...]:
    """The rows about these labels, ids or directories; none named: all. Raises StoreError for an unknown name."""
    chosen = data.named(names) if names else data.about
    return tuple(row for row in rows if row.config in chosen)
