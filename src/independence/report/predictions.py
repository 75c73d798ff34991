"""What an offline or hybrid judge predicted of every planned verdict of a place, and what was bought from a model."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import msgspec

from independence.judge import kinds
from independence.judge.offline import prediction
from independence.judge.offline.calibration_line import CalibrationLine
from independence.judge.offline.prediction import Prediction
from independence.judge.protocol import PurchaseRule
from independence.report.planned_verdicts import PlannedVerdict
from independence.store import routes
from independence.store.routes import RoutedVerdict
from independence.store.scopes import BoardScope, grading
from independence.suites import digest

DialogueId = tuple[str, str, int]  # config_dir, scenario, run
_PREDICTED: Final = (None, "unsure")  # why a cell may be missing while what is predicted of it counts


class PredictionSettings(msgspec.Struct):
    """Of a verdict, as far as they are read here."""

    weights: str
    line: CalibrationLine | None = None
    buying: PurchaseRule | None = None


class PredictedVerdict(NamedTuple):
    """One planned verdict, what was predicted of it, and what was bought."""

    scenario: str
    share: float  # of its scenario's runs
    said: Prediction
    row: RoutedVerdict

    @property
    def drawn(self) -> bool:
        """Whether it was to be bought."""
        return self.row.route is not None and self.row.route.way != "offline"


class PlacePredictions(NamedTuple):
    """Of a place."""

    settings: PredictionSettings
    auditor: str | None  # from whom verdicts were bought
    units: Mapping[
        str, list[PredictedVerdict]
    ]  # by config_dir; subjects with a verdict of which nothing is predicted have none
    flagged: Mapping[str, Counter[str]]  # by config_dir and scenario: dialogues that somebody should look at
    rows: Sequence[RoutedVerdict]


def read(
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
    suite = grading(connection, scope)
    rubrics = {(scenario.id, digest.rubric(suite, scenario)) for scenario in suite.scenarios}
    stored = routes.routed(connection, scope.where, judge, hybrid=kinds.of(judge).repeats_bought)
    rows = [row for row in stored if (row.scenario, row.rubric) in rubrics]
    if not rows:
        return None
    known = {text: msgspec.json.decode(text, type=PredictionSettings) for text in {row.settings for row in rows}}
    settings = known[rows[-1].settings]
    auditor = max((row for row in rows if row.auditor), key=lambda row: row.routed_at, default=rows[-1]).auditor
    newest = _newest([row for row in rows if known[row.settings].weights == settings.weights], auditor)
    found = {config: _units(own, newest) for config, own in planned.items()}
    whole = {config: units if len(units) == len(planned[config]) else [] for config, units in found.items()}
    flagged = {config: Counter(one.scenario for one in units if one.said.flagged) for config, units in found.items()}
    return PlacePredictions(settings, auditor, whole, flagged, list(newest.values()))


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
    """A subject's verdicts, those left out that are missing for another reason than being unsure."""
    runs = Counter(cell.scenario for cell in own)
    rows = [(cell.scenario, newest.get((cell.config_dir, cell.scenario, cell.run)), cell.missing) for cell in own]
    return [
        PredictedVerdict(scenario, 1 / runs[scenario], prediction.read(row.prediction), row)
        for scenario, row, missing in rows
        if row is not None and missing in _PREDICTED
    ]
