"""Estimated indices beside strict ones, where an offline judge spoke: from its predictions, or corrected by an audit.

A strict index needs a verdict everywhere, and the offline judge gives none where it is unsure. What it predicted is
stored all the same. On scenarios it was trained on its predictions make an index by the line that was learned with its
weights; elsewhere they make none until enough of every scenario was bought from a model. What was bought makes the
prediction-powered estimate (`stats.prediction_powered`). A bought verdict that came to nothing leaves its subject
bounds: it may have come to nothing for what the reply is like.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final, Literal, NamedTuple

import msgspec
import numpy as np

from independence import stats
from independence.judge import kinds, protocol
from independence.judge.protocol import CalibrationLine, Prediction, PurchaseRule
from independence.report.planned_verdicts import PlannedVerdict
from independence.report.table import on_scale
from independence.stats import engagement
from independence.stats.intervals import t_quantile
from independence.stats.prediction_powered import floored
from independence.stats.strict import ScoringFrame
from independence.stats.subject_points import Leverage, leverage
from independence.store import routes
from independence.store.routes import RoutedVerdict
from independence.store.scopes import BoardScope, grading
from independence.suites import digest
from independence.types import Ends

Method = Literal["prediction-powered", "bounded", "offline", "uncalibrated", "undrawn", "incomplete"]
_LEVEL = 0.95


class EstimatedIndex(msgspec.Struct, frozen=True):
    """An estimated index in points, or why there is none.

    `uncalibrated`: the offline judge was trained on other words and too little was bought; `undrawn`: too little was
    drawn at random to tell how far off the rest is; `incomplete`: replies or verdicts are missing, or not yet bought;
    `bounded`: bought verdicts came to nothing.
    """

    method: Method
    index: float | None = None
    ci: Ends | None = None  # of a bounded one from the lowest estimate's lower end to the highest one's upper end
    bought: int = 0  # verdicts of a model that it rests on
    verdicts: int = 0  # planned
    bounds: Ends | None = None  # of a bounded one: what came to nothing at either end of its scale
    lost: dict[str, int] = {}  # scenario -> bought verdicts that came to nothing
    flagged: dict[str, int] = {}  # scenario -> dialogues with a field on the half of its scale where it seldom is

    @property
    def least(self) -> float:
        """The estimate, or the lowest that it can be; 0 without any."""
        return self.index if self.index is not None else (self.bounds or (0.0, 0.0))[0]


class EstimatedIndices(NamedTuple):
    """Of every subject, by config_dir, and in a sentence what they rest on. Nothing where no offline judge spoke."""

    of: Mapping[str, EstimatedIndex] = {}
    judging: str | None = None


def estimate(
    connection: sqlite3.Connection,
    scope: BoardScope,
    judge: str | None,
    planned: Mapping[str, Sequence[PlannedVerdict]],
    frame: ScoringFrame,
) -> EstimatedIndices:
    """The estimate of every subject of a place, where an offline judge spoke."""
    said = _read(connection, scope, judge, planned)
    if said is None:
        return EstimatedIndices()
    lever = leverage(frame)
    whole = {config: units for config, units in said.units.items() if _whole(lever, units)}
    if said.auditor is None:
        line = said.settings.line if said.settings.line and said.settings.line.suite == scope.suite.suite else None
        found = {config: _predicted(lever, units, line) for config, units in whole.items()}
    else:
        found = _corrected(lever, frame, whole) if whole else {}
    missing = {config: EstimatedIndex("incomplete", verdicts=len(own)) for config, own in planned.items()}
    every = {
        config: msgspec.structs.replace(one, flagged=dict(said.flagged[config]))
        for config, one in (missing | found).items()
    }
    return EstimatedIndices(every, _sentence(said))


def _whole(lever: Leverage, units: Sequence[PredictedVerdict]) -> bool:
    """Whether every scenario of the index is there, all its fields are told, and all that was drawn has been asked."""
    if not lever.weights.keys() <= {unit.scenario for unit in units}:
        return False
    told = all(lever.weights.get(unit.scenario, {}).keys() <= unit.prediction.values.keys() for unit in units)
    return told and not any(unit.drawn and not unit.row.answered for unit in units)


def _predicted(lever: Leverage, units: Sequence[PredictedVerdict], line: CalibrationLine | None) -> EstimatedIndex:
    """By predictions alone."""
    if line is None or not all(unit.prediction.known for unit in units):
        return EstimatedIndex("uncalibrated", verdicts=len(units))
    index = line.at(lever.constant + sum(lever.points(u.scenario, u.prediction.values) * u.share for u in units))
    half = t_quantile(max(line.families - 1, 1), _LEVEL) * line.error
    return EstimatedIndex("offline", on_scale(index), _ends(index, half), 0, len(units))


def _corrected(
    lever: Leverage, frame: ScoringFrame, fleet: Mapping[str, Sequence[PredictedVerdict]]
) -> dict[str, EstimatedIndex]:
    """By predictions and what was bought, as sure as the whole fleet makes it."""
    every = [(group, unit) for group, units in enumerate(fleet.values()) for unit in units]
    strange = sorted({unit.scenario for _, unit in every if not unit.prediction.known})
    strata = {scenario: at for at, scenario in enumerate(strange, start=1)}  # 0: all that it was trained on
    rows = []
    errors = [lever.error(unit.scenario, unit.prediction.expected_error) * unit.share for _, unit in every]
    for (group, unit), error in zip(every, floored(errors), strict=True):
        stratum = strata.get(unit.scenario, 0)
        rows.append(
            (
                group, stratum, lever.points(unit.scenario, unit.prediction.values) * unit.share,
                _measured(lever, unit), _chance(unit), unit.share if stratum else error, unit.share,
                _ends_of_lost(lever, frame, unit),
            )
        )  # fmt: skip
    columns = [np.array(column) for column in zip(*rows, strict=True)]
    sample = stats.prediction_powered.MeasuredSample._make(columns)
    totals = stats.prediction_powered.totals(sample, len(fleet), strata.values())
    return {
        config: _estimated(units, (lever.constant + totals.bounds[at]).tolist(), float(totals.half[at]))
        for at, (config, units) in enumerate(fleet.items())
    }


def _measured(lever: Leverage, unit: PredictedVerdict) -> float:
    """Points that a bought verdict brings; NaN where none was."""
    if unit.row.bought is None:
        return float("nan")
    values = {name: float(value) for name, value in unit.row.bought.items()}
    return lever.points(unit.scenario, values) * unit.share


def _chance(unit: PredictedVerdict) -> float:
    """Probability that a verdict was drawn."""
    return unit.row.route.probability if unit.row.route is not None else 0.0


def _ends_of_lost(lever: Leverage, frame: ScoringFrame, unit: PredictedVerdict) -> Ends:
    """Fewest and most points of a bought verdict that came to nothing; NaN of all others."""
    if not unit.lost:
        return float("nan"), float("nan")
    scales = frame.scenarios[unit.scenario]
    spans = [
        sorted(weight * end for end in scales[field]) for field, weight in lever.weights.get(unit.scenario, {}).items()
    ]
    return unit.share * sum(low for low, _ in spans), unit.share * sum(high for _, high in spans)


def _estimated(units: Sequence[PredictedVerdict], ends: Sequence[float], half: float) -> EstimatedIndex:
    """`ends`: lowest and highest estimate, the same where everything that was bought came."""
    bought, known = sum(unit.row.bought is not None for unit in units), all(unit.prediction.known for unit in units)
    lost = dict(Counter(unit.scenario for unit in units if unit.lost))
    without = EstimatedIndex("undrawn" if known else "uncalibrated", bought=bought, verdicts=len(units), lost=lost)
    if np.isnan(half):
        return without
    low, high = ends
    ci = on_scale(low - half), on_scale(high + half)
    if not lost:
        return msgspec.structs.replace(without, method="prediction-powered", index=on_scale(low), ci=ci)
    return msgspec.structs.replace(without, method="bounded", ci=ci, bounds=(on_scale(low), on_scale(high)))


def _ends(index: float, half: float) -> Ends:
    """The interval as far as it lies on the scale."""
    return on_scale(index - half), on_scale(index + half)


def _sentence(said: PlacePredictions) -> str:
    """What estimates rest on."""
    who = f"Offline judge, weights {said.settings.weights}"
    if said.auditor is None:
        return f"{who}: no model was asked"
    ways = Counter(row.route.way for row in said.rows if row.route is not None)
    bought, buying = sum(row.bought is not None for row in said.rows), said.settings.buying
    wanted = f" (asked for: {buying.unsure:.0%} and {buying.audit:.0%})" if buying else ""
    rest = ways["unsure"] + ways["audit"] - bought
    left = f"; {rest:,} of these were not bought, or failed" if rest else ""
    which = f"{ways['unsure']:,} least certain and {ways['audit']:,} drawn at random{wanted}"
    return f"{who}; bought from {said.auditor}: {bought:,} of {len(said.rows):,} verdicts, {which}{left}"


DialogueId = tuple[str, str, int]  # config_dir, scenario, run
_PREDICTED: Final = (None, "unsure")  # why a cell may be missing while what is predicted of it counts
_UNREADABLE: Final = "unreadable_verdict"  # of a hybrid: what it bought came to nothing


class PredictionSettings(msgspec.Struct):
    """Of a verdict, as far as they are read here."""

    weights: str
    line: CalibrationLine | None = None
    buying: PurchaseRule | None = None


class PredictedVerdict(NamedTuple):
    """One planned verdict, what was predicted of it, and what was bought."""

    scenario: str
    share: float  # of its scenario's runs
    prediction: Prediction
    row: RoutedVerdict

    @property
    def drawn(self) -> bool:
        """Whether it was to be bought."""
        return self.row.route is not None and self.row.route.way != "offline"

    @property
    def lost(self) -> bool:
        """Whether it was bought and came to nothing."""
        return came_to_nothing(self.row)


class PlacePredictions(NamedTuple):
    """Of a place."""

    settings: PredictionSettings
    auditor: str | None  # from whom verdicts were bought
    units: Mapping[
        str, list[PredictedVerdict]
    ]  # by config_dir; subjects with a verdict of which nothing is predicted have none
    flagged: Mapping[str, Counter[str]]  # by config_dir and scenario: dialogues that somebody should look at
    rows: Sequence[RoutedVerdict]


def _read(
    connection: sqlite3.Connection,
    scope: BoardScope,
    judge: str | None,
    planned: Mapping[str, Sequence[PlannedVerdict]],
) -> PlacePredictions | None:
    """Read a place; None where no offline judge spoke.

    One version of the weights counts, the newest; of several auditors the one that was asked last.
    """
    if judge is None or not kinds.of(judge).predicts:
        return None
    rows = [row for one in reversed(scope.editions) for row in _routed(connection, scope, one, judge)]
    if not rows:
        return None
    known = {text: msgspec.json.decode(text, type=PredictionSettings) for text in {row.settings for row in rows}}
    settings = known[rows[-1].settings]
    auditor = max((row for row in rows if row.auditor), key=lambda row: row.routed_at, default=rows[-1]).auditor
    newest = _newest([row for row in rows if known[row.settings].weights == settings.weights], auditor)
    found = {config: _units(own, newest) for config, own in planned.items()}
    whole = {config: units if len(units) == len(planned[config]) else [] for config, units in found.items()}
    flagged = {
        config: Counter(one.scenario for one in units if one.prediction.flagged) for config, units in found.items()
    }
    return PlacePredictions(settings, auditor, whole, flagged, list(newest.values()))


def _routed(connection: sqlite3.Connection, scope: BoardScope, one: BoardScope, judge: str) -> list[RoutedVerdict]:
    """The judge's verdicts in one of the editions of a place, by its rubrics; what was bought as it counts."""
    suite = grading(connection, one)
    required = engagement.requirements(suite)
    rubrics = {(scenario.id, digest.rubric(suite, scenario)) for scenario in suite.scenarios}
    stored = routes.routed(connection, one.where, judge, hybrid=kinds.of(judge).repeats_bought)
    return [
        row._replace(
            config_dir=scope.key(one.where, row.config_dir),
            bought=engagement.counted(row.bought, required[row.scenario]).values
            if row.bought is not None and row.scenario in required
            else row.bought,
        )
        for row in stored
        if (row.scenario, row.rubric) in rubrics
    ]


def _newest(rows: Sequence[RoutedVerdict], auditor: str | None) -> dict[DialogueId, RoutedVerdict]:
    """The newest verdict of each dialogue. What was drawn for another auditor alone counts as not drawn."""
    out: dict[DialogueId, RoutedVerdict] = {}
    for row in rows:
        spot = (row.config_dir, row.scenario, row.run)
        before = out.get(spot)
        if row.auditor == auditor or row.auditor is None:
            out[spot] = row
        elif before is None or before.verdict != row.verdict:
            out[spot] = row._replace(auditor=None, route=None, bought=None, answered=False)
    return out


def _units(own: Sequence[PlannedVerdict], newest: Mapping[DialogueId, RoutedVerdict]) -> list[PredictedVerdict]:
    """A subject's verdicts, those left out that are missing for other reasons than doubt or a purchase in vain."""
    runs = Counter(cell.scenario for cell in own)
    rows = [(cell, newest.get((cell.config_dir, cell.scenario, cell.run))) for cell in own]
    kept = [
        (cell.scenario, row)
        for cell, row in rows
        if row is not None and (cell.missing in _PREDICTED or (cell.missing == _UNREADABLE and came_to_nothing(row)))
    ]
    return [
        PredictedVerdict(scenario, 1 / runs[scenario], protocol.read_prediction(row.prediction), row)
        for scenario, row in kept
    ]


def came_to_nothing(row: RoutedVerdict) -> bool:
    """Whether a verdict was bought and could not be read."""
    return row.route is not None and row.route.way != "offline" and row.answered and row.bought is None
