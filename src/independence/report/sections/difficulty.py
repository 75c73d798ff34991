"""How hard each question is, over every field it is graded on.

As published, with what misled there put right: every field points the way the suite says, each subject counts once
however many runs it has, all questions are asked of the same complete subjects, and none is left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from statistics import fmean
from typing import NamedTuple

from independence.report.board.board_data import BoardData
from independence.report.files import table_layouts
from independence.report.files.legend import words
from independence.report.files.table import Table, Value
from independence.stats.intervals import t_interval
from independence.stats.subject_points import leverage
from independence.suites.schema import Index, Rubric, Suite
from independence.types import Ends, Scalar

Scales = Mapping[str, Ends]
"""Field -> its worse and its better end."""


class ScenarioDifficulty(NamedTuple):
    """How much of a scenario's scales subjects keep."""

    scenario: str
    shares: Mapping[str, float]  # mean share reached, 0-1, by config_dir
    samples: int

    @property
    def average(self) -> float | None:
        """Mean over subjects in percent; None where nobody has a verdict."""
        return 100 * fmean(self.shares.values()) if self.shares else None


def questions(study: BoardData) -> list[ScenarioDifficulty]:
    """Every scenario, hardest first; those without a verdict of a complete subject last."""
    suite, index = study.scope.suite, study.frame.index
    found = []
    for scenario in suite.scenarios:
        rubric = suite.rubrics[scenario.rubric]
        every = {name: _ends(index, rubric, scenario.experiment, name) for name in rubric.fields}
        scales = {name: ends for name, ends in every.items() if ends is not None}
        runs = _runs(study, scenario.id).items()
        there = {config: own for config, every in runs if (own := [values for values in every if values is not None])}
        shares = {config: fmean(_share(scales, one) for one in own) for config, own in there.items()} if scales else {}
        found.append(ScenarioDifficulty(scenario.id, shares, sum(map(len, there.values()))))
    nobody = float("inf")
    return sorted(found, key=lambda one: (nobody if one.average is None else one.average, -one.samples, one.scenario))


def kept(study: BoardData) -> list[ScenarioDifficulty]:
    """The share kept of each scenario that counts in the index, the least first: the measure of pages and heatmaps."""
    lever, found = leverage(study.frame), []
    for scenario in lever.weights:
        runs = _runs(study, scenario)
        known = {config: lever.share_kept(scenario, own) for config, own in runs.items()}
        shares = {config: share for config, share in known.items() if share is not None}
        found.append(ScenarioDifficulty(scenario, shares, sum(map(len, runs.values()))))
    return sorted((one for one in found if one.shares), key=lambda one: (one.average, one.scenario))


def _runs(study: BoardData, scenario: str) -> dict[str, list[dict[str, Scalar] | None]]:
    """The values of a scenario's runs, None where one is missing, by complete subject."""
    return {
        config: [cell.values for cell in study.planned[config] if cell.scenario == scenario] for config in study.points
    }


def tables(study: BoardData) -> list[Table]:
    """One table: every scenario as in `questions`."""
    suite, index = study.scope.suite, study.frame.index
    rows = [_row(suite, number, question) for number, question in enumerate(questions(study), 1)]
    simulated = sum(study.about[config].simulated for config in study.points)
    whom = f"{len(study.points)} complete subjects" + (f", {simulated} of them simulated" if simulated else "")
    return [table_layouts.made("index/difficulty", rows, [*_fields(index, suite), f"{whom}."])]


def _share(scales: Scales, values: Mapping[str, Scalar]) -> float:
    """Mean over fields of the way from the worse to the better end, 0-1."""
    own = [
        (float(values[field]) - worse) / (better - worse)
        for field, (worse, better) in scales.items()
        if field in values
    ]
    return fmean(min(1.0, max(0.0, share)) for share in own)


def _row(suite: Suite, number: int, question: ScenarioDifficulty) -> tuple[Value, ...]:
    scenario, average = suite.scenario(question.scenario), question.average
    spread = t_interval([100 * (1 - share) for share in question.shares.values()])
    interval = spread and spread.within(0.0, 100.0)
    return (
        number, scenario.id, scenario.title, scenario.category or scenario.experiment,
        None if average is None else 100 - average, interval, average, question.samples, len(question.shares),
    )  # fmt: skip


def _ends(index: Index, rubric: Rubric, experiment: str, name: str) -> Ends | None:
    """Worse and better end of a field: as a component of the index has it, else low and high; None without either."""
    field, up = rubric.fields[name], _upward(index, experiment, name)
    if field.range is None and up is None:
        return None
    low, high = field.range or (0.0, 1.0)
    return None if low == high else (low, high) if up is not False else (high, low)


def _upward(index: Index, experiment: str, field: str) -> bool | None:
    """True when the index is better for more of the field, None when no component reads it."""
    for component in index.components:
        for dimension in (index.dimensions[name] for name in component.dimensions):
            if dimension.experiment == experiment and field in dimension.fields:
                return component.best > component.worst
    return None


def _fields(index: Index, suite: Suite) -> list[str]:
    """Which fields are taken for more is better, and which are left out, for want of a direction."""
    taken, left = dict[str, None](), dict[str, None]()
    for scenario in suite.scenarios:
        fields = suite.rubrics[scenario.rubric].fields
        for name in (name for name in fields if _upward(index, scenario.experiment, name) is None):
            (taken if fields[name].range else left)[name] = None
    said = {"Not in the index, taken as more is better": taken}
    said["Left out, since the suite does not say which end is better"] = left
    return [f"{what}: {', '.join(map(words, fields))}." for what, fields in said.items() if fields]
