"""Where the noise of an index comes from, dimension by dimension."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from independence.report import declared
from independence.report.difficulty import headcount
from independence.report.legend import words
from independence.report.study import Study
from independence.report.table import Table, Value
from independence.stats import components, strict
from independence.stats.allocation import RunNoise
from independence.stats.components import (
    RESIDUAL,
    Scores,
    VarianceComponents,
)
from independence.types import Scalar

_ONE_JUDGE = ("subject", "scenario", "subject x scenario", "run", "judge", RESIDUAL)
_SEVERAL = (
    "subject", "scenario", "subject x scenario", "run", "reply",
    "judge", "judge x subject", "judge x scenario", "judge x subject x scenario", "judge x run", RESIDUAL,
)  # fmt: skip
Runs = Mapping[str, Mapping[int, Mapping[str, Scalar]]]
"""Scenario -> run -> values of the verdict."""


def tables(study: Study, others: Sequence[Study] = ()) -> list[Table]:
    """Components and coefficients; `others`: the same place under other judges, for what judges add."""
    own = _verdicts(study)
    found = {name: _found(study, [own], name) for name in _shared(study)}
    several = "the next table has them" if others else "with one judge it cannot be separated"
    everybody = f"Taken from {headcount(study, study.sheets)}."
    whole = declared.made(
        "index/variance-components", _rows(found, _ONE_JUDGE), [*_sizes(found), everybody], several=several
    )
    return [whole, _coefficients(study, found), *([_judges(study, others, own)] if others else [])]


def _judges(study: Study, others: Sequence[Study], own: Mapping[str, Runs]) -> Table:
    judges = [own, *(_verdicts(other) for other in others)]
    found = {name: _found(study, judges, name) for name in _shared(study)}
    names = ", ".join(str(one.judge) for one in (study, *others))
    rows = _rows({name: one if one and one.judges > 1 else None for name, one in found.items()}, _SEVERAL)
    return declared.made("index/variance-judges", rows, _sizes(found), judges=len(judges), names=names)


def _shared(study: Study) -> list[str]:
    return [name for name in study.frame.index.dimensions if len(study.frame.members[name]) > 1]


def _verdicts(study: Study) -> dict[str, Runs]:
    """Valid verdicts by subject."""
    out: dict[str, Runs] = {}
    for config, cells in study.planned.items():
        runs: dict[str, dict[int, Mapping[str, Scalar]]] = {}
        for cell in cells:
            if cell.values is not None:
                runs.setdefault(cell.scenario, {})[cell.run] = cell.values
        out[config] = runs
    return out


def _found(study: Study, judges: Sequence[Mapping[str, Runs]], name: str) -> VarianceComponents | None:
    scores = _scores(study, judges, name)
    return None if scores is None else components.variance_components(scores)


def _scores(study: Study, judges: Sequence[Mapping[str, Runs]], name: str) -> Scores | None:
    """The largest balanced part of a dimension's values, (subjects, scenarios, runs, judges).

    Of complete subjects, first runs in which every judge has a verdict on every scenario.
    """
    dimension, members = study.frame.index.dimensions[name], study.frame.members[name]
    own = {config: [judge.get(config, {}) for judge in judges] for config in study.sheets}
    whole = {
        config: sorted(set.intersection(*(set(one.get(s, {})) for one in given for s in members)))
        for config, given in own.items()
    }
    count = components.balanced_runs([len(runs) for runs in whole.values()])
    if not count:
        return None
    return np.array(
        [
            [[[strict.value(dimension, one[s][run]) for one in own[config]] for run in runs[:count]] for s in members]
            for config, runs in whole.items()
            if len(runs) >= count
        ]
    )


def _rows(found: Mapping[str, VarianceComponents | None], effects: Sequence[str]) -> tuple[tuple[Value, ...], ...]:
    """One row an effect that can be told; what cannot has none, and `_sizes` says of whom that is so."""
    return tuple(
        (name, effect, part.variance, part.se, one.share(effect))
        for name, one in found.items()
        if one is not None
        for effect in effects
        if (part := one.of(effect)) is not None
    )


def _sizes(found: Mapping[str, VarianceComponents | None]) -> list[str]:
    """What each dimension's components come from, dimensions of one size together."""
    sizes: dict[str, list[str]] = {}
    for name, one in found.items():
        size = f"{one.subjects} subjects x {one.scenarios} scenarios x {one.runs} runs" if one else "too few to say"
        if one and one.judges > 1:
            size += f" x {one.judges} judges"
        sizes.setdefault(size, []).append(words(name))
    return [f"{', '.join(names)}: {size} (largest balanced part)." for size, names in sizes.items()]


def _coefficients(study: Study, found: Mapping[str, VarianceComponents | None]) -> Table:
    rows = [_coefficient(name, one) for name, one in found.items() if one is not None]
    strata = _strata(study)
    if strata:
        both = components.composite(strata)
        subjects, _, runs = strata[0].shape
        count = len(next(iter(study.sheets.values())).totals)
        rows.append((study.frame.index.name, subjects, count, runs, both.these, both.like_these, None, None))
    return declared.made("index/reliability", rows)


def _coefficient(name: str, found: VarianceComponents) -> tuple[Value, ...]:
    now = components.reliability(found)
    twice = components.reliability(found, scenarios=2 * found.scenarios)
    spread = components.reliability(found, scenarios=found.scenarios * found.runs, runs=1)
    sizes = (found.subjects, found.scenarios, found.runs)
    return name, *sizes, now.these, now.like_these, twice.like_these, spread.like_these


def _strata(study: Study) -> list[Scores]:
    """The strata of the index in index points, largest balanced part, each (subjects, scenarios, runs)."""
    have = {config: min(map(len, sheet.totals.values())) for config, sheet in study.sheets.items()}
    count = components.balanced_runs(list(have.values()))
    fleet = [study.sheets[config] for config, runs in have.items() if runs >= count]
    if not count:
        return []
    return [
        np.array([[points[:count] for points in sheet.strata[number].points] for sheet in fleet])
        for number in range(len(fleet[0].strata))
    ]


def run_noise(study: Study) -> dict[str, RunNoise]:
    """What the runs of each subject with two runs of every scenario say, by config_dir."""
    return {
        config: RunNoise(
            {scenario: float(points.var(ddof=1)) for scenario, points in study.sheets[config].totals.items()},
            {scenario: len(points) - 1 for scenario, points in study.sheets[config].totals.items()},
        )
        for config in study.these
    }
