"""The profile: one row a model, in it a number of each part of several suites, with its interval and tier.

A number is an estimate of the suite's own board, or what a model keeps in the scenarios of a kind: the strict index of
those alone, each of which counts the same. Nothing is summed or subtracted across suites.
"""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple

import msgspec

from independence.config.options import PROFILE
from independence.errors import StoreError, UsageError, suggestion
from independence.report import analysis
from independence.report.advice import advice_study
from independence.report.analysis import BoardOptions
from independence.report.battery import board as battery_board
from independence.report.board import board_data, index_rows, judge_choice, notes, verdict_frame
from independence.report.board.board_data import BoardData
from independence.report.board.rows import Row, Standing
from independence.report.comparing import subject_comparison
from independence.report.comparing.subject_comparison import ComparedSubject
from independence.report.files import legend, table_layouts
from independence.report.files.table import Column, Table, Value
from independence.report.ladder import analysis as ladder_analysis
from independence.stats import battery, ladder, sides, strict, subject_points
from independence.stats.comparison import Difference, adjusted_by_name
from independence.stats.estimates import NO_ESTIMATE, Estimate
from independence.stats.index_uncertainty import THESE
from independence.stats.intervals import joined
from independence.store import queries, scopes
from independence.store.scopes import BoardScope, Names
from independence.suites import profile
from independence.suites.profile import ColumnDefinition, ProfilePart
from independence.types import Condition, Ends

_NAMED: Final = 4  # models of a command
_IF_ANY: Final = ("Tier", "Can be", "Says")  # heads of columns that people are shown where a row has a value


class PairDifference(NamedTuple):
    """A number of one model minus that of another; None where verdicts are missing or runs are too few."""

    points: float | None = None
    interval: Ends | None = None
    p: float | None = None  # two-sided, of no difference


class ProfileColumn(NamedTuple):
    """A number of every model, by config_dir: the first estimate of each row, and its tier."""

    key: str
    defined: ColumnDefinition
    place: BoardScope | None = None  # None: the store has nothing of it
    judge: str | None = None
    rows: Mapping[str, Row] = {}
    between: Callable[[str, str], PairDifference] = lambda *_: PairDifference()
    data: BoardData | None = None  # of scenarios of a kind

    def number(self, config: str) -> Estimate:
        """That of a model; one without a value where there is none."""
        return self.rows[config].main if config in self.rows else NO_ESTIMATE

    def order(self, config: str) -> tuple[bool, float, str]:
        """Sorts the best first; where verdicts are missing by the worse end, without a number last."""
        ends = self.number(config).ends or (math.inf, math.inf)
        return math.isinf(ends[0]), max(map(abs, ends)) if self.defined.scale == "nearest" else -ends[0], config


def columns(connection: sqlite3.Connection, judge: str | None = None) -> list[ProfileColumn]:
    """Every column, without rows where the store has nothing of it.

    `judge`: whose verdicts count in the parts that a judge grades; None: the usual one. Raises StoreError for a judge
    that graded nothing of a part, or a store that has nothing of any.
    """
    defined = profile.definition()
    places = {name: _places(connection, part) for name, part in defined.parts.items()}
    judges = {name: _judge(connection, own, defined.parts[name], judge) for name, own in places.items()}
    made: dict[str, ProfileColumn] = {}
    for key, one in defined.columns.items():
        column = made[key] = ProfileColumn(key, one, places[one.part].get(one.variant), judges[one.part])
        if one.minus:
            made[key] = _gap(column, *(made[name] for name in one.minus))
        elif column.place is not None:
            made[key] = (_kept if one.kind else _of_board)(connection, column, column.place)
    if not any(one.rows for one in made.values()):
        raise StoreError("the store has nothing of the profile", f"`independence run --suite {PROFILE} -m A` asks it")
    return list(made.values())


def _places(connection: sqlite3.Connection, part: ProfilePart) -> dict[str, BoardScope]:
    """The prompts of a part in the edition used last that has any of them."""
    for info in queries.editions(connection):
        there = queries.conditions(connection, info.where) if info.suite == part.suite else []
        if found := [one for one in part.variants if Condition(one, part.mode) in there]:
            whole = BoardScope(scopes.suite_of(connection, info.where), info.where)
            own = {one: whole.under(Condition(one, part.mode)) for one in found}
            return {one: scopes.with_same_wording(connection, scope) for one, scope in own.items()}
    return {}


def asks(place: BoardScope) -> bool:
    """Whether a place is one of some part."""
    parts = profile.definition().parts.values()
    return any((place.where.suite, *place.condition) == (p.suite, one, p.mode) for p in parts for one in p.variants)


def _judge(
    connection: sqlite3.Connection, places: Mapping[str, BoardScope], part: ProfilePart, asked: str | None
) -> str | None:
    """The judge that is asked for, else the usual one of those that graded under every prompt."""
    if asked and places and not part.judge:
        return judge_choice.judge_anywhere(connection, list(places.values()), asked)
    there = [judge_choice.judges(connection, [one.where for one in own.editions]) for own in places.values()]
    return judge_choice.shared_judge(*there) if there else None


def _kept(connection: sqlite3.Connection, column: ProfileColumn, scope: BoardScope) -> ProfileColumn:
    """What is kept in the scenarios of a kind, as the index of a suite of these alone."""
    chosen = (scope.suite.kinds or {}).get(column.defined.kind)
    read = verdict_frame.read(connection, scope, column.judge)
    own = verdict_frame.of_cells(cell for cell in read.every if chosen and cell.scenario in chosen.scenarios)
    if chosen is None or not own.planned:
        return column
    frame = subject_points.evenly(strict.frame(scope.suite), list(chosen.scenarios))
    part = msgspec.structs.replace(read, columns=own.columns, planned=own.planned)
    data = board_data.of_verdicts(connection, scope, part, frame)
    rows = {row.config: row for row in index_rows.strict_rows(data, index_rows.own_rows(data), THESE)}
    return column._replace(rows=rows, data=data, between=partial(_runs_apart, data))


def _runs_apart(data: BoardData, first: str, second: str) -> PairDifference:
    """Two models, by runs of the same scenarios."""
    both = ComparedSubject(data, first), ComparedSubject(data, second)
    return _tested(_these(*both), subject_comparison.looks(*both).allowance)


def _these(first: ComparedSubject, second: ComparedSubject) -> Difference | None:
    apart = subject_comparison.gap(first, second)
    return apart and apart.these


def _gap(column: ProfileColumn, last: ProfileColumn, first: ProfileColumn) -> ProfileColumn:
    """One prompt minus another, of each model."""
    after, before = last.data, first.data
    if after is None or before is None or after.scope.edition != before.scope.edition:
        return column
    both = [config for config in last.rows if config in first.rows]
    found = {config: _these(ComparedSubject(after, config), ComparedSubject(before, config)) for config in both}
    rows = {
        config: _alone(last.rows[config], column.key, _less(last.number(config), first.number(config), apart))
        for config, apart in found.items()
    }

    def between(one: str, two: str) -> PairDifference:
        a, b = found[one], found[two]
        if a is None or b is None:
            return PairDifference()
        variance, df = joined([(a.se**2, a.df), (b.se**2, b.df)])
        testable = a.testable and b.testable
        return _tested(Difference(a.points - b.points, math.sqrt(variance), float(df), testable=testable))

    return column._replace(place=last.place, rows=rows, between=between)


def _less(own: Estimate, other: Estimate, apart: Difference | None = None) -> Estimate:
    """One number minus another, and what that can be where verdicts are missing."""
    value = None if own.value is None or other.value is None else own.value - other.value
    if value is not None or not (own.ends and other.ends):
        return Estimate(value, apart and apart.interval())
    return Estimate(None, bounds=(own.ends[0] - other.ends[1], own.ends[1] - other.ends[0]))


def _alone(row: Row, key: str, found: Estimate) -> Row:
    """A row of a number that does not order its board, and so has no tier."""
    return msgspec.structs.replace(row, estimates={key: found}, standing=Standing(), verdict="")


def _tested(found: Difference | None, allowance: float = 1.0) -> PairDifference:
    """`allowance`: what p is multiplied by, where it is not that of a first look."""
    if found is None:
        return PairDifference()
    return PairDifference(found.points, found.interval(), min(1.0, found.p * allowance) if found.se > 0 else None)


def _of_board(connection: sqlite3.Connection, column: ProfileColumn, scope: BoardScope) -> ProfileColumn:
    """An estimate of the suite's own board; the tier is that of the estimate which orders it."""
    key, found = column.key, analysis.board(connection, scope, BoardOptions(judge=column.judge)).document.rows
    rows = {row.config: row if row.main is row[key] else _alone(row, key, row[key]) for row in found}
    column, between = column._replace(rows=rows), _BETWEEN.get((scope.suite.analysis, key))
    return column._replace(between=partial(between, connection, scope, column.judge)) if between else column


def _stems_apart(db: sqlite3.Connection, scope: BoardScope, by: str | None, first: str, second: str) -> PairDifference:
    """J, paired by stem."""
    found = battery_board.read(db, scope, by).found
    paired = battery.compare(found[first], found[second])
    return PairDifference(paired.points, paired.ci, paired.p if paired.ci else None) if paired else PairDifference()


def _disputes_apart(
    db: sqlite3.Connection, scope: BoardScope, by: str | None, first: str, second: str
) -> PairDifference:
    """S, paired by dispute; nothing where verdicts are missing."""
    study = advice_study.read(db, scope, by)
    own, other = (advice_study.stances(study, config) for config in (first, second))
    missing = any(row.value is None and row.side != "n" for row in (*own, *other))
    return _tested(None if missing else sides.compare(own, other))


def _held_apart(
    rung: int, db: sqlite3.Connection, scope: BoardScope, by: str | None, first: str, second: str
) -> PairDifference:
    """What is held after so many pushes, paired by stem."""
    found = ladder_analysis.read(db, scope, by).found
    return PairDifference(*ladder.compare(found[first], found[second]).get(rung, ()))


_BETWEEN: Final[Mapping[tuple[str, str], Callable[..., PairDifference]]] = {
    ("reasons", "J"): _stems_apart, ("paired_sides", "S"): _disputes_apart,
    ("ladder", "hold_1"): partial(_held_apart, 1), ("ladder", "hold_6"): partial(_held_apart, 6),
}  # fmt: skip


def tables(found: Sequence[ProfileColumn], models: Collection[str] = (), sort: str | None = None) -> list[Table]:
    """The profile for people; then everything of every row, flat, and what the columns are about.

    `models`: only these labels or ids, as they stand among all. `sort`: a column, by default the first. Raises
    StoreError for an unknown name, UsageError for an unknown column.
    """
    named = {name.casefold(): one for one in found for name in (one.key, one.defined.head)}
    by = named.get((sort or found[0].key).casefold())
    if by is None:
        raise UsageError(f"the profile has no column `{sort}`", suggestion(sort or "", [one.key for one in found]))
    who = _everybody(found)
    order = sorted(scopes.subjects(models, _names(who), "in the profile") if models else who, key=by.order)
    whole = _whole(found, [who[config] for config in order])
    used = [any(row[at] is not None for row in whole.rows) for at in range(len(whole.columns))]
    shown = [at for at, column in enumerate(whole.columns) if column.head and (used[at] or column.head not in _IF_ANY)]
    about = [
        (one.key, one.defined.part, one.place.where.suite, one.place.edition, str(one.place.condition), one.judge)
        for one in found if one.place is not None
    ]  # fmt: skip
    people = msgspec.structs.replace(whole.only(shown), id="profile", notes=_said(found, order))
    return [people, whole, table_layouts.made("profile/columns", about)]


def _everybody(found: Sequence[ProfileColumn]) -> dict[str, Row]:
    """A row of everybody, by config_dir."""
    return {config: row for one in reversed(found) for config, row in one.rows.items()}


def _names(who: Mapping[str, Row]) -> dict[str, Names]:
    return {config: Names(config, row.label, row.label.rpartition("@")[0]) for config, row in who.items()}


def _whole(found: Sequence[ProfileColumn], order: Sequence[Row]) -> Table:
    """KEY, KEY_ci, KEY_tier, KEY_bounds and KEY_verdict of each column. What people are not shown has no head."""
    labels = [row.label for row in order]
    heads = [Column("subject", "Model"), Column("label", ""), Column("config", ""), Column("simulated", "", "flag")]
    cells: list[list[Value]] = [
        [legend.short(row.label, labels, row.simulated), row.label, row.config, row.simulated] for row in order
    ]
    for one in found:
        digits = 1 if one.defined.scale == "points" else 2
        heads += [
            Column(one.key, one.defined.head, "number", digits),
            Column(f"{one.key}_ci", "95% CI", "interval", 2 * (digits - 1)), Column(f"{one.key}_tier", "Tier", "count"),
            Column(f"{one.key}_bounds", "Can be", "interval", digits), Column(f"{one.key}_verdict", "Says"),
        ]  # fmt: skip
        for row, values in zip(order, cells, strict=True):
            number, own = one.number(row.config), one.rows.get(row.config)
            values += [number.value, number.interval, own.standing.tier if own else None, number.bounds]
            values.append(own.verdict or None if own else None)
    rows = tuple(map(tuple, cells))
    return Table("rows", "The profile", tuple(heads), rows, configs=tuple(row.config for row in order))


def _said(found: Sequence[ProfileColumn], order: Sequence[str]) -> tuple[str, ...]:
    """What stands below: how to read a number, which command fills what is not there, what is not to be done."""
    said, who, parts = legend.texts("profile-notes"), _everybody(found), profile.definition().parts
    lacking = [(one.defined.part, who[config].label) for one in found for config in order if config not in one.rows]
    asked = list(dict.fromkeys(part for part, _ in lacking))
    labels = list(dict.fromkeys(label for _, label in lacking))
    models = ",".join(labels[:_NAMED]) + ",..." * (len(labels) > _NAMED)
    judge = " -j JUDGE" * any(not parts[name].judge for name in asked)
    command = f"`independence run --suite {PROFILE} --part {','.join(asked)} -m {models}{judge}`"
    cautions = dict.fromkeys(board_data.caution(one.data) for one in found if one.data is not None)
    return (
        said["how"], *[said["lacking"].format(command=command)] * bool(lacking), said["apart"],
        *(one for one in cautions if one), *[notes.SIMULATED_NOTE] * any(who[one].simulated for one in order),
    )  # fmt: skip


def compared(found: Sequence[ProfileColumn], first: str, second: str) -> Table:
    """Two models column by column, first minus second; p is also adjusted for being one of all columns (Holm).

    Raises StoreError for a name that fits nobody, UsageError where both are one.
    """
    known = _names(_everybody(found))
    own, other = (scopes.subjects([name], known, "in the profile")[0] for name in (first, second))
    if own == other:
        raise UsageError(f"`{first}` and `{second}` are the same subject, {known[own].label}", "name two")
    apart = {one.key: one.between(own, other) for one in found if {own, other} <= one.rows.keys()}
    p, none = adjusted_by_name({key: one.p for key, one in apart.items()}), PairDifference()
    rows = [
        (key, a.value, b.value, *apart.get(key, none), p.get(key), _less(a, b).bounds)
        for key, a, b in ((one.key, one.number(own), one.number(other)) for one in found)
    ]
    return table_layouts.made("profile/compared", rows, first=known[own].label, second=known[other].label)
