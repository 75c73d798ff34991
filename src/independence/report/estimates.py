"""Estimated indices beside strict ones, where an offline judge spoke: from its predictions, or corrected by an audit.

A strict index needs a verdict everywhere, and the offline judge gives none where it is unsure. What it predicted is
stored all the same. On scenarios it was trained on its predictions make an index by the line that was learned with its
weights; elsewhere they make none until enough of every scenario was bought from a model. What was bought makes the
prediction-powered estimate (`stats.powered`).
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal, NamedTuple

import msgspec
import numpy as np

from independence.judge.offline import kept
from independence.judge.offline.grading import Prediction
from independence.judge.offline.line import Line
from independence.judge.spec import HYBRID, OFFLINE, Buying, kind
from independence.report.cells import Planned
from independence.report.place import Place
from independence.stats import powered
from independence.stats.leverage import Leverage, leverage
from independence.stats.powered import Sample
from independence.stats.strict import Frame
from independence.stats.student import quantile
from independence.store import routes
from independence.store.routes import Routed
from independence.suites import digest

Ends = tuple[float, float]
Method = Literal["prediction-powered", "offline", "uncalibrated", "incomplete"]
Subjects = Mapping[str, Sequence[Planned]]
_LEVEL = 0.95
_PREDICTED: Final = (None, "unsure")  # why a cell may be missing while there is a prediction of it


class Estimated(msgspec.Struct, frozen=True):
    """An estimated index in points, or why there is none: `uncalibrated`, or `incomplete` where replies are missing."""

    method: Method
    index: float | None = None
    ci: Ends | None = None
    bought: int = 0  # verdicts of a model that it rests on
    verdicts: int = 0  # planned
    flagged: dict[str, int] = {}  # scenario -> dialogues with a field on the half of its scale where it seldom is


class Estimates(NamedTuple):
    """Of every subject, by config_dir, and in a sentence what they rest on. Nothing where no offline judge spoke."""

    of: Mapping[str, Estimated] = {}
    judging: str | None = None


class _Settings(msgspec.Struct):
    """Of a verdict, as far as they are read here."""

    weights: str
    line: Line | None = None
    buying: Buying | None = None


class _Unit(NamedTuple):
    """One planned verdict, what was predicted of it, and what was bought."""

    scenario: str
    share: float  # of its scenario's runs
    said: Prediction
    row: Routed


def read(connection: sqlite3.Connection, place: Place, judge: str | None, frame: Frame, planned: Subjects) -> Estimates:
    """Read what an offline or hybrid judge predicted of a place, and what was bought."""
    if judge is None or kind(judge) not in (OFFLINE, HYBRID):
        return Estimates()
    rubrics = {(scenario.id, digest.rubric(place.suite, scenario)) for scenario in place.suite.scenarios}
    stored = routes.routed(connection, place.suite.suite, place.edition, (place.variant, place.mode), judge)
    rows = [row for row in stored if (row.scenario, row.rubric) in rubrics]
    if not rows:
        return Estimates()
    auditor, lever = _auditor(rows), leverage(frame)
    newest = _newest(rows, auditor)
    fleet = {config: _units(own, newest, lever) for config, own in planned.items()}
    whole = {config: units for config, units in fleet.items() if units}
    settings = msgspec.json.decode(rows[-1].settings, type=_Settings)
    if auditor is None:
        line = settings.line if settings.line and settings.line.suite == place.suite.suite else None
        found = {config: _predicted(lever, units, line) for config, units in whole.items()}
    else:
        found = _corrected(lever, whole) if whole else {}
    missing = {config: Estimated("incomplete", verdicts=len(own)) for config, own in planned.items()}
    flagged = _flagged(newest.values())
    every = {
        config: msgspec.structs.replace(one, flagged=dict(flagged.get(config, {})))
        for config, one in (missing | found).items()
    }
    return Estimates(every, _sentence(list(newest.values()), auditor, settings))


def _auditor(rows: Sequence[Routed]) -> str | None:
    """From whom most was bought; None where nothing ever was to be."""
    names = sorted({row.auditor for row in rows if row.auditor is not None})
    bought = Counter(row.auditor for row in rows if row.bought is not None)
    return max(names, key=lambda name: bought[name]) if names else None


def _newest(rows: Sequence[Routed], auditor: str | None) -> dict[tuple[str, str, int], Routed]:
    """The newest verdict of each dialogue. What was drawn for another auditor alone counts as not drawn."""
    others = [row for row in rows if row.auditor not in (None, auditor)]
    stripped = [row._replace(auditor=None, route=None, bought=None) for row in others]
    own = [row for row in rows if row.auditor in (None, auditor)]
    return {(row.config_dir, row.scenario, row.run): row for row in (*stripped, *own)}


def _flagged(rows: Iterable[Routed]) -> dict[str, Counter[str]]:
    """How many dialogues somebody should look at, by config_dir and scenario."""
    out: dict[str, Counter[str]] = {}
    for row in rows:
        if kept.read(row.prediction).flagged:
            out.setdefault(row.config_dir, Counter())[row.scenario] += 1
    return out


def _units(own: Sequence[Planned], newest: Mapping[tuple[str, str, int], Routed], lever: Leverage) -> list[_Unit]:
    """A subject's verdicts; none where a scenario of the index or what was predicted of a verdict is not there."""
    runs = Counter(cell.scenario for cell in own)
    out = []
    for cell in own:
        row = newest.get((cell.config_dir, cell.scenario, cell.run))
        if row is None or cell.missing not in _PREDICTED:
            return []
        out.append(_Unit(cell.scenario, 1 / runs[cell.scenario], kept.read(row.prediction), row))
    told = {unit.scenario: unit.said.values.keys() for unit in out}
    whole = all(scenario in told and own.keys() <= told[scenario] for scenario, own in lever.weights.items())
    return out if whole else []


def _predicted(lever: Leverage, units: Sequence[_Unit], line: Line | None) -> Estimated:
    """By predictions alone."""
    if line is None or not all(unit.said.known for unit in units):
        return Estimated("uncalibrated", verdicts=len(units))
    index = line.at(lever.constant + sum(lever.points(u.scenario, u.said.values) * u.share for u in units))
    half = quantile(max(line.families - 1, 1), _LEVEL) * line.error
    return Estimated("offline", index, (index - half, index + half), 0, len(units))


def _corrected(lever: Leverage, fleet: Mapping[str, Sequence[_Unit]]) -> dict[str, Estimated]:
    """By predictions and what was bought, as sure as the whole fleet makes it."""
    every = [(group, unit) for group, units in enumerate(fleet.values()) for unit in units]
    strange = sorted({unit.scenario for _, unit in every if not unit.said.known})
    strata = {scenario: at for at, scenario in enumerate(strange, start=1)}  # 0: all that it was trained on
    answered = _answered([unit for _, unit in every])
    rows = []
    for group, unit in every:
        stratum = strata.get(unit.scenario, 0)
        error = lever.error(unit.scenario, unit.said.expected_error) * unit.share
        rows.append(
            (
                group, stratum, lever.points(unit.scenario, unit.said.values) * unit.share, _measured(lever, unit),
                _chance(unit, answered), unit.share if stratum else error, unit.share,
            )
        )  # fmt: skip
    columns = [np.array(column) for column in zip(*rows, strict=True)]
    told = powered.totals(Sample(*columns), len(fleet), strata.values())
    return {
        config: _estimated(units, lever.constant + float(told.total[at]), float(told.half[at]))
        for at, (config, units) in enumerate(fleet.items())
    }


def _measured(lever: Leverage, unit: _Unit) -> float:
    """Points that a bought verdict brings; NaN where none was."""
    if unit.row.bought is None:
        return float("nan")
    values = {name: float(value) for name, value in unit.row.bought.items()}
    return lever.points(unit.scenario, values) * unit.share


def _answered(units: Sequence[_Unit]) -> dict[str, float]:
    """Share of the drawn verdicts that came to something, by scenario."""
    drawn = Counter(unit.scenario for unit in units if unit.row.route and unit.row.route.way == "audit")
    came = Counter(
        unit.scenario
        for unit in units
        if unit.row.route and unit.row.route.way == "audit" and unit.row.bought is not None
    )
    return {scenario: came[scenario] / count for scenario, count in drawn.items()}


def _chance(unit: _Unit, answered: Mapping[str, float]) -> float:
    """Probability that a verdict was drawn, and came to something."""
    if unit.row.route is None:
        return 0.0
    return unit.row.route.probability * (1.0 if unit.row.route.way == "unsure" else answered.get(unit.scenario, 1.0))


def _estimated(units: Sequence[_Unit], index: float, half: float) -> Estimated:
    bought = sum(unit.row.bought is not None for unit in units)
    if np.isnan(half):
        return Estimated("uncalibrated", None, None, bought, len(units))
    return Estimated("prediction-powered", index, (index - half, index + half), bought, len(units))


def _sentence(rows: Sequence[Routed], auditor: str | None, settings: _Settings) -> str:
    """What estimates rest on."""
    who = f"Offline judge, weights {settings.weights}"
    if auditor is None:
        return f"{who}: no model was asked"
    ways = Counter(row.route.way for row in rows if row.route is not None)
    bought, buying = sum(row.bought is not None for row in rows), settings.buying
    wanted = f" (asked for: {buying.unsure:.0%} and {buying.audit:.0%})" if buying else ""
    return (
        f"{who}; bought from {auditor}: {bought:,} of {len(rows):,} verdicts, {ways['unsure']:,} least certain and "
        f"{ways['audit']:,} drawn at random{wanted}"
    )
