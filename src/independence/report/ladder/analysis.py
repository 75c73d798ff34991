"""The analysis `ladder`: how many pushes it takes until a choice is given up."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

import msgspec

from independence.errors import UsageError
from independence.report.advice import sections as advice
from independence.report.analysis import Analysis, BoardOptions, RenderedBoard, one_table
from independence.report.board import board_data, notes, plots, rows, verdict_frame
from independence.report.board.board_data import VerdictData
from independence.report.board.measures import BatteryResults, Deed
from independence.report.board.rows import Row
from independence.report.files import legend, table_layouts
from independence.report.files.table import Column, Prose, Section, Table, quoted
from independence.stats import battery, comparison, ladder
from independence.stats.estimates import NO_ESTIMATE, Estimate
from independence.stats.ladder import LadderEstimates, PlannedFork
from independence.store.scopes import BoardScope
from independence.suites.battery import STEM, TALK
from independence.suites.schema import Scenario, Suite

_SAID = "ladder"


class LadderStudy(VerdictData, frozen=True, kw_only=True):
    """A place of a suite with a ladder, read once."""

    found: Mapping[str, LadderEstimates]  # by config_dir


def read(connection: sqlite3.Connection, scope: BoardScope, judge: str | None = None) -> LadderStudy:
    """Read a place under a judge (None: the usual one)."""
    data = board_data.read_verdicts(connection, scope, judge)
    found = {config: ladder.estimate(forks(data, config)) for config in data.planned}
    return LadderStudy(**msgspec.structs.asdict(data), found=found)


def forks(data: VerdictData, config: str) -> list[PlannedFork]:
    """What was read after each number of pushes."""
    return [
        PlannedFork(
            one.cell, one.experiment, one.factors.get("kind", ""), one.side.startswith(f"{TALK}."),
            int(one.factors.get("pushes", 0)), run, pick, last,
        )
        for one, run, pick, last in _read(data, config)
    ]  # fmt: skip


def _read(data: VerdictData, config: str) -> Iterator[tuple[Scenario, int, int | None, int | None]]:
    """Each planned fork: its scenario, its run, the first choice, and the one at the fork."""
    scenarios = {one.id: one for one in data.scope.suite.scenarios if one.side}
    last = {(cell.scenario, cell.run): (cell.values or {}).get("last") for cell in data.planned[config]}
    for (name, run), value in last.items():
        one = scenarios.get(name)
        if one is not None and one.side != STEM:
            yield one, run, _whole(last.get((one.cell, run))), _whole(value)


def _whole(value: object) -> int | None:
    return int(value) if isinstance(value, int | float) else None


class _Ladder(Analysis):
    """How much pressure it takes."""

    def board(self, connection: sqlite3.Connection, scope: BoardScope, options: BoardOptions) -> RenderedBoard:
        data = read(connection, scope, options.judge)
        made = [_row(data, config, one) for config, one in data.found.items()]
        made.sort(key=lambda row: (row.main.value is None, -(row.main.value or 0.0), row.label, row.config))
        known = legend.texts(_SAID)
        intervals = known["intervals"].format(ranked=battery.RANKED, fewest=battery.FEWEST)
        columns = _columns(_rungs(scope.suite))
        shown = one_table(
            data, "How many pushes does it take until a choice is given up?",
            rows.only(data, made, options.models), columns,
        )  # fmt: skip
        (table,) = shown.tables
        said = tuple(known[name] for name in ("what", "half", "more", "claims"))
        table = msgspec.structs.replace(table, notes=(*table.notes, *said, intervals))
        wide = [at for at, one in enumerate(table.columns) if one.key in _NARROW or one.key.startswith("hold_")]
        narrow = table.only([at for at in wide if not table.columns[at].key.endswith("_ci")])
        short = tuple((name, *row[1:]) for name, row in zip(plots.names(shown.document), narrow.rows, strict=True))
        stems = {one.planned_stems for one in data.found.values()}
        brief = notes.brief_of_place(data, [f"{max(stems, default=0)} stems"], known["brief"])
        return msgspec.structs.replace(
            shown,
            tables=[table],
            narrow=[msgspec.structs.replace(narrow, rows=short)],
            brief=brief,
            details=lambda: [_kinds(data, shown)],
        )

    def sections(
        self, connection: sqlite3.Connection, scope: BoardScope, options: BoardOptions, models: Collection[str]
    ) -> list[Section]:
        shown = self.board(connection, scope, msgspec.structs.replace(options, models=tuple(models)))
        data = read(connection, scope, options.judge)
        return [
            Section("board", "The board", [Prose(quoted(scope.suite.about.strip())), *shown.tables], folds=False),
            Section("kinds", "Kinds of pushes", list(shown.details())),
            *advice.shared(connection, data.only(models)),
        ]

    def battery(self, connection: sqlite3.Connection, scope: BoardScope, judge: str | None) -> BatteryResults | None:
        """What was done at each fork."""
        data = read(connection, scope, judge)
        deeds: dict[tuple[str, str, int], Deed] = {
            (config, one.id, run): "keep" if last == pick else "change" if last else "evade"
            for config in data.planned
            for one, run, pick, last in _read(data, config)
            if pick and last is not None
        }
        return BatteryResults(deeds, {config: {} for config in data.found})

    def compared(
        self, connection: sqlite3.Connection, scope: BoardScope, judge: str | None, names: tuple[str, str]
    ) -> list[Table]:
        data = read(connection, scope, judge)
        first, second = (data.named([name])[0] for name in names)
        if first == second:
            raise UsageError(f"`{names[0]}` and `{names[1]}` are the same subject, {data.about[first].label}")
        own, other = data.found[first], data.found[second]
        found = ladder.compare(own, other)
        p = comparison.adjusted_by_name({rung: one.p for rung, one in found.items()})
        made: list[dict[str, Any]] = [
            {"rung": f"Hold {rung}", "first": own.hold[rung].value, "second": other.hold[rung].value,
             "difference": one.points, "ci": one.ci, "p": p.get(rung)}
            for rung, one in found.items()
        ]  # fmt: skip
        labels = {"first": data.about[first].name, "second": data.about[second].name}
        return [table_layouts.made("ladder-compared/compared", made, **labels)]

    def check(self, suite: Suite) -> Iterable[tuple[str, str]]:
        """That it has a ladder."""
        if suite.battery is None or suite.battery.ladder is None:
            yield "$.analysis", "analysis `ladder` needs a `battery:` section with a `ladder:` (at `$.analysis`)"


LADDER = _Ladder()
_NARROW = ("subject", "half", "evades", "commits")


def _rungs(suite: Suite) -> list[int]:
    assert suite.battery is not None
    assert suite.battery.ladder is not None
    return [0, *suite.battery.ladder.forks]


def _columns(rungs: Iterable[int]) -> list[Column]:
    hold = [
        column
        for rung in rungs
        for column in (
            Column(f"hold_{rung}", f"Hold {rung}", "number", 2), Column(f"hold_{rung}_ci", "95% CI", "interval", 2)
        )
    ]  # fmt: skip
    return [
        *hold, Column("half", "Half"), Column("verdict", "Conclusion"), Column("evades", "Evades", "percent"),
        Column("came_back", "Came back", "percent"), Column("talk", "Talk", "signed", 2),
        Column("talk_ci", "95% CI", "signed_interval", 2), Column("depth", "Depth", "signed", 2),
        Column("depth_ci", "95% CI", "signed_interval", 2), Column("commits", "Commits", "percent"),
        Column("coverage", "Coverage", "percent"),
    ]  # fmt: skip


def _row(data: LadderStudy, config: str, one: LadderEstimates) -> Row:
    rungs = _rungs(data.scope.suite)
    hold: dict[str, Estimate] = {f"hold_{rung}": one.hold.get(rung, NO_ESTIMATE) for rung in reversed(rungs)}
    shares = {"evades": one.evades.get(rungs[-1]), "came_back": one.came_back, "commits": one.commits}
    return rows.of_subject(
        data, config, verdict_frame.marks(data.planned[config], data.repeats.flags(config)),
        verdict=ladder.in_words(one),
        estimates={
            **hold, "talk": one.talk or NO_ESTIMATE, "depth": one.depth or NO_ESTIMATE,
            **{name: Estimate(share) for name, share in shares.items()},
        },
        facts={"half": half_in_words(one), "stems": one.planned_stems},
    )  # fmt: skip


def half_in_words(found: LadderEstimates) -> str | None:
    """Between which pushes half of the choices are given up, as in `1 to 3` or `above 6`; None: not known."""
    if not found.hold or found.half is None:
        return None
    low, high = found.half
    if math.isinf(high):
        return f"above {low:.0f}"
    return "at 0" if math.isinf(low) else f"{low:.0f} to {high:.0f}"


def _kinds(data: LadderStudy, shown: RenderedBoard) -> Table:
    """What each kind of pushes did to each subject."""
    rungs = _rungs(data.scope.suite)[1:]
    made: list[tuple[Any, ...]] = [
        (row.name, kind, *(held.get(rung) for rung in rungs))
        for row in shown.document.rows
        for kind, held in sorted(data.found[row.config].kinds.items())
    ]
    columns = (
        Column("subject", "Subject"), Column("kind", "Kind"),
        *(Column(f"hold_{rung}", f"Hold {rung}", "number", 2) for rung in rungs),
    )  # fmt: skip
    return Table("kinds", "Hold by kind of pushes", columns, tuple(made), (legend.texts(_SAID)["claims"],))
