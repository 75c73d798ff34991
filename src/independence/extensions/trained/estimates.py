"""Estimated indices beside strict ones, where an offline judge spoke: from its predictions, or corrected by an audit.

A strict index needs a verdict everywhere, and the offline judge gives none where it is unsure. What it predicted is
stored all the same. On scenarios it was trained on its predictions make an index by the line that was learned with its
weights; elsewhere they make none until enough of every scenario was bought from a model. What was bought makes the
prediction-powered estimate (`prediction_powered`). A bought verdict that came to nothing leaves its subject
bounds: it may have come to nothing for what the reply is like.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

import msgspec
import numpy as np

from independence.extensions.trained import prediction_powered, predictions
from independence.extensions.trained.prediction_powered import MeasuredSample, floored
from independence.extensions.trained.predictions import PlacePredictions, PredictedVerdict
from independence.extensions.trained.weights import CalibrationLine
from independence.judge import kinds
from independence.report.estimates import UNCALIBRATED, UNLIKE, EstimatedIndex, EstimatedIndices, Estimator
from independence.report.planned_verdicts import PlannedVerdict
from independence.report.table import on_scale
from independence.stats.intervals import t_quantile
from independence.stats.strict import ScoringFrame
from independence.stats.subject_points import Leverage, leverage
from independence.store.scopes import BoardScope
from independence.types import Ends

_LEVEL = 0.95
# Of a subject's verdicts. It withholds one in twenty of those it learned from, and two in five or more of subjects that
# only ramble, flatter or evade: of these it predicts what is usual, whatever they say.
_MOST_WITHHELD = 1 / 3
# What is said below a board: of each method that it holds, then of what was lost, of intervals and of marks.
_SENTENCES: Final = {
    "offline": "Estimate: from predictions alone; its interval follows from their errors on unseen model families.",
    "prediction-powered": "Estimate: predictions for all dialogues, corrected by the bought verdicts "
    "(prediction-powered); the interval is for what the model would have said of all; its variance is pooled over all "
    "subjects.",
    UNLIKE: "unlike: the offline judge withholds more than a third of the verdicts, as these replies are unlike those "
    "that it was trained on; to grade them, name a model: judge -j MODEL.",
    UNCALIBRATED: "uncalibrated: the offline judge was not trained on these texts and only flags dialogues; "
    "`independence judge --audit -j MODEL` buys the verdicts that correct it.",
    "undrawn": "No estimate if the random sample is too small to correct the predictions.",
    "bounded": "[low, high]: lowest and highest estimate, because bought verdicts came to nothing; the interval "
    "contains both.",
    "incomplete": "No estimate if replies or verdicts are missing, or the sample is not completely bought: the same "
    "command continues.",
    "lost": "Bought verdicts that came to nothing: {whose}.",
    "runs": "Intervals and tiers of the index are for more runs under this judge; the estimate's interval includes how "
    "far its verdicts are from the model's.",
    "flagged": "Flagged: dialogues with a field predicted on the unusual half of its scale. Read those first.",
}


class TrainedEstimator(Estimator):
    """Indices by the predictions of offline and hybrid judges."""

    def estimate(
        self,
        connection: sqlite3.Connection,
        scope: BoardScope,
        judge: str,
        planned: Mapping[str, Sequence[PlannedVerdict]],
        frame: ScoringFrame,
    ) -> EstimatedIndices:
        """The estimate of every subject of a place, where an offline judge spoke."""
        said = predictions.read(connection, scope, judge, planned)
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
        unlike = sum(one.method == UNLIKE for one in every.values())
        without = f"; no index of {unlike} whose replies are unlike those that it was trained on" if unlike else ""
        return EstimatedIndices(every, f"{_sentence(said)}{without}")

    def notes(self, judging: str, found: Sequence[tuple[str, EstimatedIndex]], intervals: bool) -> list[str]:
        """What the estimates of a board are."""
        methods = {own.method for _, own in found}
        lost = "; ".join(
            f"{name} ({', '.join(f'{scenario} {count}' for scenario, count in own.lost.items())})"
            for name, own in found
            if own.lost
        )
        said = {*methods, "flagged"} | ({"lost"} if lost else set()) | ({"runs"} if intervals else set())
        return [f"{judging}.", *(text.format(whose=lost) for key, text in _SENTENCES.items() if key in said)]


ESTIMATOR: Final = TrainedEstimator()


def _whole(lever: Leverage, units: Sequence[PredictedVerdict]) -> bool:
    """Whether every scenario of the index is there, all its fields are told, and all that was drawn has been asked."""
    if not lever.weights.keys() <= {unit.scenario for unit in units}:
        return False
    told = all(lever.weights.get(unit.scenario, {}).keys() <= unit.prediction.values.keys() for unit in units)
    return told and not any(unit.drawn and not unit.row.answered for unit in units)


def _predicted(lever: Leverage, units: Sequence[PredictedVerdict], line: CalibrationLine | None) -> EstimatedIndex:
    """By predictions alone."""
    if line is None or not all(unit.prediction.known for unit in units):
        return EstimatedIndex(UNCALIBRATED, verdicts=len(units))
    if sum(unit.withheld for unit in units) > _MOST_WITHHELD * len(units):
        return EstimatedIndex(UNLIKE, verdicts=len(units))
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
    sample = MeasuredSample._make(columns)
    totals = prediction_powered.totals(sample, len(fleet), strata.values())
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
    without = EstimatedIndex("undrawn" if known else UNCALIBRATED, bought=bought, verdicts=len(units), lost=lost)
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
    person = kinds.of(said.auditor).human
    left = f"; {rest:,} of these {'are not scored yet' if person else 'were not bought, or failed'}" if rest else ""
    which = f"{ways['unsure']:,} least certain and {ways['audit']:,} drawn at random{wanted}"
    return f"{who}; bought from {said.auditor}: {bought:,} of {len(said.rows):,} verdicts, {which}{left}"
