"""What each scenario does for the index: difficulty, discrimination, ceiling, what it carries."""

from __future__ import annotations

from collections.abc import Collection

from independence.report.study import Study
from independence.report.table import Column, Ends, Table, Value
from independence.stats import items
from independence.stats.intervals import Interval
from independence.stats.items import SANITY_CEILING, SANITY_DISCRIMINATION, ItemStatistics

_COLUMNS = (
    Column("scenario", "Scenario"),
    Column("title", "Title"),
    Column("experiment", "Experiment", "id"),
    Column("difficulty", "Difficulty", "number"),
    Column("interval", "95% interval", "interval"),
    Column("discrimination", "Discrimination", "number", 2),
    Column("ceiling", "At ceiling", "percent"),
    Column("always", "Subjects always there", "percent"),
    Column("carried", "Index variance", "percent"),
    Column("noise", "Run noise", "percent"),
    Column("sanity", "Sanity set", "flag"),
)
_READING = (
    "Unit: the dialogue, in points of the index over all dimensions that read it. Difficulty: mean share of its points "
    "that is lost, 0-100; t interval over subjects. Discrimination: correlation over subjects with the index without "
    "it. At ceiling: verdicts with all points."
)
_SHARES = (
    "Index variance: covariance with the index over subjects, adds up to 100%. Run noise: share of the variance of "
    "single runs within subjects, adds up to 100%."
)
_SANITY = (
    f"Sanity set: discrimination below {SANITY_DISCRIMINATION} or at least {SANITY_CEILING:.0%} at the ceiling; such "
    "scenarios check what everybody should pass and say little within an index."
)


def tables(study: Study) -> list[Table]:
    """One table: the scenarios of the index, those that carry most of its variance first."""
    order = {scenario.id: number for number, scenario in enumerate(study.scope.suite.scenarios)}
    found = items.items(list(study.sheets.values()))
    found.sort(key=lambda item: (-(item.carried or 0.0), order[item.scenario]))
    repeated = sum(any(len(points) > 1 for points in sheet.totals.values()) for sheet in study.sheets.values())
    sizes = f"{headcount(study, study.sheets)}; run noise from {repeated} of them with repeated runs."
    rows = tuple(_row(study, item) for item in found)
    return [Table("items", "Item statistics", _COLUMNS, rows, (_READING, _SHARES, _SANITY, sizes))]


def clipped(interval: Interval | None) -> Ends | None:
    """An interval of a quantity on 0-100 as it is shown."""
    return None if interval is None else (max(0.0, interval.low), min(100.0, interval.high))


def headcount(study: Study, configs: Collection[str]) -> str:
    """How many complete subjects stand behind a table, and how many of them are simulated."""
    simulated = sum(study.about[config].simulated for config in configs)
    return f"{len(configs)} complete subjects" + (f", {simulated} of them simulated" if simulated else "")


def _row(study: Study, item: ItemStatistics) -> tuple[Value, ...]:
    scenario = study.scope.suite.scenario(item.scenario)
    return (
        item.scenario, scenario.title, scenario.experiment, item.difficulty, clipped(item.interval),
        item.discrimination, item.ceiling, item.always, item.carried, item.noise, item.sanity,
    )  # fmt: skip
