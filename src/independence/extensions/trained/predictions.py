"""What an offline judge predicted of the dialogues of a place, and which of them a model was asked about as well."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import msgspec

from independence.extensions.trained import draws
from independence.extensions.trained.draws import RoutedVerdict
from independence.extensions.trained.protocol import PurchaseRule
from independence.extensions.trained.weights import CalibrationLine
from independence.judge import kinds, protocol
from independence.judge.protocol import Prediction
from independence.report.planned_verdicts import PlannedVerdict
from independence.stats import engagement
from independence.store.scopes import BoardScope, grading
from independence.suites import digest
from independence.types import UNGIVEN

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
    prediction: Prediction
    row: RoutedVerdict
    withheld: bool  # the judge was too unsure to give a verdict

    @property
    def drawn(self) -> bool:
        """Whether it was to be bought."""
        return self.row.route is not None and self.row.route.way != "offline"

    @property
    def lost(self) -> bool:
        """Whether it was bought and came to nothing."""
        return came_to_nothing(self.row)


class PlacePredictions(NamedTuple):
    """What was predicted of all planned verdicts of a place."""

    settings: PredictionSettings
    auditor: str | None  # from whom verdicts were bought
    units: Mapping[str, list[PredictedVerdict]]  # by config_dir; none of whom some verdict has no prediction
    flagged: Mapping[str, Counter[str]]  # by config_dir and scenario: dialogues that somebody should look at
    rows: Sequence[RoutedVerdict]


def read(
    connection: sqlite3.Connection,
    scope: BoardScope,
    judge: str,
    planned: Mapping[str, Sequence[PlannedVerdict]],
) -> PlacePredictions | None:
    """What was predicted of a place; None where no offline judge spoke.

    One version of the weights counts, the newest; of several auditors the one that was asked last.
    """
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
    stored = draws.routed(connection, one.where, judge, hybrid=kinds.of(judge).repeats_bought)
    return [
        row._replace(
            config_dir=scope.key(one.where, row.config_dir),
            bought=engagement.counted(row.bought, required[row.scenario]).values
            if row.bought is not None and row.scenario in required
            else row.bought,
        )
        for row in stored
        if (row.scenario, row.rubric) in rubrics and row.config_dir not in one.aside
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
        (cell, row)
        for cell, row in rows
        if row is not None and (cell.missing in _PREDICTED or (cell.missing in UNGIVEN and came_to_nothing(row)))
    ]
    return [
        PredictedVerdict(
            cell.scenario,
            1 / runs[cell.scenario],
            protocol.read_prediction(row.prediction),
            row,
            cell.missing == "unsure",
        )
        for cell, row in kept
    ]


def came_to_nothing(row: RoutedVerdict) -> bool:
    """Whether a verdict was bought and could not be read."""
    return row.route is not None and row.route.way != "offline" and row.answered and row.bought is None
