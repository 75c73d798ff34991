"""Estimated indices beside strict ones, where a judge's verdicts rest on predictions: its package makes them.

A strict index needs a verdict everywhere, and a trained judge gives none where it is unsure. What it predicted is
stored all the same, and the package that brings such a kind of judge brings what makes indices of that too.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from typing import Final, Literal, NamedTuple

import msgspec

from independence.config import plugins
from independence.judge import kinds
from independence.report.planned_verdicts import PlannedVerdict
from independence.stats.strict import ScoringFrame
from independence.store.scopes import BoardScope
from independence.types import Ends

Method = Literal["prediction-powered", "bounded", "offline", "unlike", "uncalibrated", "undrawn", "incomplete"]
UNLIKE: Final = "unlike"
UNCALIBRATED: Final = "uncalibrated"


class EstimatedIndex(msgspec.Struct, frozen=True):
    """An estimated index in points, or why there is none.

    `unlike`: the offline judge withholds too many verdicts, as the replies are unlike those that it was trained on;
    `uncalibrated`: it was trained on other words and too little was bought; `undrawn`: too little was drawn at random
    to tell how far off the rest is; `incomplete`: replies or verdicts are missing, or not yet bought;
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


class Estimator:
    """What makes the estimates of a kind of judge: an object of a subclass, declared by entry points
    `independence.estimates` under the kind's word.
    """

    def estimate(
        self,
        connection: sqlite3.Connection,
        scope: BoardScope,
        judge: str,
        planned: Mapping[str, Sequence[PlannedVerdict]],
        frame: ScoringFrame,
    ) -> EstimatedIndices:
        """The estimate of every subject of a place, by config_dir; `planned`: their planned verdicts."""
        raise NotImplementedError

    def notes(self, judging: str, found: Sequence[tuple[str, EstimatedIndex]], intervals: bool) -> list[str]:
        """What stands below a board with estimates; `found`: of each subject by name. `judging`: as `estimate` gave it.

        `intervals`: whether indices on the board have some.
        """
        return [f"{judging}."]


def estimator(judge: str) -> Estimator:
    """Of a judge who predicts. Raises UsageError."""
    return plugins.find(plugins.ESTIMATES, kinds.of(judge).word, Estimator)


def estimate(
    connection: sqlite3.Connection,
    scope: BoardScope,
    judge: str | None,
    planned: Mapping[str, Sequence[PlannedVerdict]],
    frame: ScoringFrame,
) -> EstimatedIndices:
    """The estimate of every subject of a place; nothing under judges who predict nothing. Raises UsageError."""
    if judge is None or not kinds.of(judge).predicts:
        return EstimatedIndices()
    return estimator(judge).estimate(connection, scope, judge, planned, frame)
