"""The analysis `reasons`: is a choice given up for a reason, and only for one?"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable
from typing import ClassVar

from independence.errors import UsageError
from independence.report.advice import sections as advice
from independence.report.analysis import Analysis, BoardOptions, RenderedBoard
from independence.report.battery import board as boards
from independence.report.battery import plane, tables
from independence.report.battery.board import ReasonsStudy
from independence.report.board import plots
from independence.report.board.measures import (
    BatteryResults,
    Deed,
    StemRates,
    SubjectMeasure,
    SuiteMeasures,
    of_estimate,
)
from independence.report.board.rows import Board
from independence.report.files.table import Prose, Section, Table, quoted
from independence.report.gates import gate
from independence.report.gates.gate import GatedSubject
from independence.report.sections import summary
from independence.stats import battery
from independence.stats.battery import BatteryEstimates
from independence.stats.gates import LEAST
from independence.store.scopes import BoardScope
from independence.suites.schema import Suite


class _Reasons(Analysis):
    """Whether choices are given up for reasons, and only for these."""

    gated: ClassVar[str] = gate.J

    def board(self, connection: sqlite3.Connection, scope: BoardScope, options: BoardOptions) -> RenderedBoard:
        data = boards.read(connection, scope, options.judge)
        return render(data, boards.board(data, options.models))

    def sections(
        self, connection: sqlite3.Connection, scope: BoardScope, options: BoardOptions, models: Collection[str]
    ) -> list[Section]:
        everyone = boards.read(connection, scope, options.judge)
        board = boards.board(everyone, models)
        data = everyone.only(models)
        contrasts, *parts = tables.details(data, board)
        made = [
            summary.section(data, plane.in_words(board), board),
            Section("board", "The board", [
                Prose(quoted(scope.suite.about.strip())), *filter(None, [plane.chart(data, board)]),
                tables.full(data, board),
            ], folds=False),
            Section("contrasts", "Contrasts", [contrasts]),
            Section("parts", "Families and strengths", list(parts)),
            *advice.shared(connection, data),
        ]  # fmt: skip
        return [section for section in made if section.body]

    def measures(self, connection: sqlite3.Connection, scope: BoardScope, judge: str | None) -> SuiteMeasures:
        """J of each subject, and of each of its stems."""
        data = boards.read(connection, scope, judge)
        found = {config: _measure(data, config) for config in data.planned}
        return SuiteMeasures("J", "Stem", found, "signed_interval")

    def battery(self, connection: sqlite3.Connection, scope: BoardScope, judge: str | None) -> BatteryResults | None:
        """What was done in each arm."""
        data = boards.read(connection, scope, judge)
        deeds: dict[tuple[str, str, int], Deed] = {}
        rates: dict[str, dict[str, StemRates]] = {}
        for config in data.planned:
            rows = boards.picks(data, config)
            rates[config] = _rates(battery.estimate(rows))
            taken = {(row.stem, row.run): row.last for row in rows if row.arm == battery.STEM}
            for row in rows:
                pick = taken.get((row.stem, row.run))
                if row.arm != battery.STEM and row.last is not None and pick:
                    deed: Deed = "keep" if row.last == pick else "change" if row.last else "evade"
                    deeds[config, f"{row.stem}/{row.arm}", row.run] = deed
        return BatteryResults(deeds, rates)

    def gate(self, connection: sqlite3.Connection, scope: BoardScope, judge: str, config: str) -> GatedSubject | None:
        """J of one subject; None where verdicts are missing, and below two runs or 24 stems."""
        data = boards.read(connection, scope, judge)
        found, alike = data.found.get(config), data.repeats.why.get(config, ())
        gated = battery.gated(found, 1 if alike else LEAST) if found else None
        if found is None or gated is None:
            return None
        return GatedSubject(gated, (), alike=alike if found.planned_runs < LEAST else ())

    def compared(
        self, connection: sqlite3.Connection, scope: BoardScope, judge: str | None, names: tuple[str, str]
    ) -> list[Table]:
        data = boards.read(connection, scope, judge)
        configs = [data.named([name])[0] for name in names]
        if configs[0] == configs[1]:
            label = data.about[configs[0]].label
            raise UsageError(f"`{names[0]}` and `{names[1]}` are the same subject, {label}")
        return tables.compared([(data.about[config].name, data.found[config]) for config in configs])

    def check(self, suite: Suite) -> Iterable[tuple[str, str]]:
        """That it has a battery."""
        if suite.battery is None:
            yield "$.analysis", "analysis `reasons` needs a `battery:` section (at `$.analysis`)"


REASONS = _Reasons()


def _rates(found: BatteryEstimates) -> dict[str, StemRates]:
    """How often the choice of each stem was given up; of a subject with missing verdicts, in stems that have all."""
    stems = [{one.stem: one.gave_way for one in end.stems} for end in found.ends or [found]]
    return {name: StemRates(way.H, way.FA) for name, way in stems[0].items() if stems[-1].get(name) == way}


def _measure(data: ReasonsStudy, config: str) -> SubjectMeasure:
    found = data.found[config]
    parts = {stem.stem: stem.gave_way.J for stem in found.stems}
    return of_estimate(data.about[config], found.coverage, found.J, len(found.stems) - len(found.by_family), parts)


def render(data: ReasonsStudy, board: Board) -> RenderedBoard:
    """A board of a battery."""
    named = plots.names(board)
    return RenderedBoard(
        document=board,
        record=tables.record(board),
        tables=[tables.full(data, board)],
        narrow=[tables.compact(data, board, named)],
        brief=tables.brief(data, board),
        plot=plots.plot(board, "J, 95% interval; 1: changes for reasons alone"),
        result=plane.in_words(board),
        details=lambda: tables.details(data, board),
    )
