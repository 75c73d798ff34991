"""Where the noise of an index comes from, dimension by dimension, and what to buy next against it."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from typing import NamedTuple

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
    DesignErrors,
    ErrorSources,
    JudgeError,
    Scores,
    VarianceComponents,
    balanced_runs,
)
from independence.stats.index_uncertainty import Array
from independence.stats.subject_points import SubjectPoints
from independence.store import queries, spending
from independence.types import Scalar, Where

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


_OWN_SCENARIOS = "as many dialogues, each on a scenario of its own"
_TWICE_SCENARIOS, _TWICE_RUNS = "twice the scenarios", "twice the runs"
_NO_PRICES = "No costs are known here."
_PRICES = (
    "Dollars: cost of the subjects so far (answers, verdicts, failed calls), in proportion to the dialogues. "
    "Points per dollar: by how much the SE falls for each additional dollar."
)


class SubjectSpend(NamedTuple):
    """Dollars one subject took."""

    answers: float
    verdicts: float  # by the judge of the board


class _SpendBySubject(NamedTuple):
    """The same for many, (subjects,) each."""

    answers: Array
    verdicts: Array


class _DesignOption(NamedTuple):
    title: str
    errors: DesignErrors
    dollars: float | None


def spend(connection: sqlite3.Connection, study: Study) -> dict[str, SubjectSpend]:
    """What each subject of a study took, by config_dir."""

    def of_judges(where: Where) -> dict[str, dict[str, float]]:
        judges: dict[str, dict[str, float]] = {}
        for spent in spending.by_judge(connection, where):
            judges.setdefault(spent.config_dir, {})[spent.judge] = spent.cost_usd
        return judges

    judges, out = study.scope.by_key(of_judges), {}
    for config, cost in study.scope.by_key(lambda where: queries.costs(connection, where)).items():
        own = judges.get(config, {})
        out[config] = SubjectSpend(max(0.0, cost - sum(own.values())), own.get(study.judge or "", 0.0))
    return out


def purchase_tables(
    study: Study, spent: Mapping[str, SubjectSpend] | None = None, others: Sequence[Study] = ()
) -> list[Table]:
    """One table of options. `spent`: dollars by config_dir; `others`: the same place under other judges.

    Without a subject that repeated its runs there is no standard error to predict, and no row.
    """
    fleet = list(study.these)
    if not fleet and study.single_runs:
        return [_once_each(study, spent or {})]
    if not fleet:
        note = "No complete subject has two runs of every scenario, so there is no spread to predict from."
        return [declared.made("index/purchase-unknown", (), [note])]
    if not any(estimate.se > 0 for estimate in (*study.these.values(), *study.like_these.values())):
        note = "Nothing varies between runs or scenarios, so there is no standard error that more of them could lower."
        return [declared.made("index/purchase-unknown", (), [note])]
    judging = _judging([study, *others]) if others else None
    noise = components.noise(
        [study.sheets[config] for config in fleet], list(study.these.values()), list(study.like_these.values()), judging
    )
    prices = _prices(fleet, spent or {})
    now, *options = _options(noise, prices)
    rows = (_row(now, None), *(_row(option, now) for option in options))
    count = f"{headcount(study, fleet)}, with at least two runs of every scenario."
    notes = [*filter(None, [_scenarios_first(options)]), _PRICES if prices else _NO_PRICES, count]
    if judging:
        notes.append(_judges_note(judging))
    elif others:
        notes.append(
            "The effect of another judge is not known: the judges share no two complete subjects with two runs."
        )
    return [declared.made("index/purchase", rows, notes)]


def _once_each(study: Study, spent: Mapping[str, SubjectSpend]) -> Table:
    """Where many scenarios were run once: other scenarios are all that helps, and runs are not asked for."""
    prices = _prices(list(study.single_runs), spent)
    total = float((prices.answers + prices.verdicts).mean()) if prices else None
    error = components.typical([estimate.se for estimate in study.single_runs.values()]) or 0.0
    now, twice = (
        _DesignOption(title, DesignErrors(None, error / times**0.5, None), total and times * total)
        for title, times in (("nothing (now)", 1), (_TWICE_SCENARIOS, 2))
    )
    notes = [_PRICES if prices else _NO_PRICES, f"{headcount(study, study.single_runs)}, one run of each scenario."]
    return declared.made("index/purchase", [_row(now, None), _row(twice, now)], notes)


def _scenarios_first(options: Sequence[_DesignOption]) -> str:
    """The advice to ask other texts rather than the same ones again; empty where the table does not bear it out."""
    errors = {option.title: option.errors.like_these for option in options}
    own, twice = errors[_OWN_SCENARIOS], errors[_TWICE_RUNS]
    if own >= twice:
        return ""
    return (
        "Scenarios before runs: the dialogues there are, each on a scenario of its own, would leave an SE of "
        f"{own:.2f} for scenarios like these; twice as many on these scenarios leave {twice:.2f}."
    )


def _options(noise: ErrorSources, prices: _SpendBySubject | None) -> list[_DesignOption]:
    """All options, the present design first."""
    dialogues = noise.runs.mean(axis=0)  # per scenario

    def bought(times: Array, judges: int = 1) -> float | None:
        return None if prices is None else float(((prices.answers + judges * prices.verdicts) * times).mean())

    once, twice, one_each = np.ones_like(dialogues), np.full_like(dialogues, 2.0), np.ones_like(noise.runs)
    total = bought(once)
    out = [
        _DesignOption("nothing (now)", components.forecast(noise), total),
        _DesignOption(_OWN_SCENARIOS, components.forecast(noise, one_each, dialogues), total),
        _DesignOption(_TWICE_SCENARIOS, components.forecast(noise, scenarios=twice), bought(twice)),
        _DesignOption("1 more run", components.forecast(noise, noise.runs + 1), bought(1 + 1 / dialogues)),
        _DesignOption(_TWICE_RUNS, components.forecast(noise, 2 * noise.runs), bought(twice)),
    ]
    if noise.judging:
        out.append(_DesignOption("1 more judge", components.forecast(noise, judges=2), bought(once, judges=2)))
    return out


def _prices(configs: Sequence[str], spent: Mapping[str, SubjectSpend]) -> _SpendBySubject | None:
    """Dollars of the subjects behind the errors; None where nothing is known to have cost anything."""
    own = np.array([spent.get(config, SubjectSpend(0.0, 0.0)) for config in configs])
    return _SpendBySubject(own[:, 0], own[:, 1]) if own.any() else None


def _judging(studies: Sequence[Study]) -> JudgeError | None:
    """Judges' part in the indices of complete subjects they share, first runs, largest balanced part."""
    shared = [config for config in studies[0].sheets if all(config in study.sheets for study in studies)]
    count = balanced_runs([_runs(studies[0].sheets[config]) for config in shared])
    kept = [config for config in shared if _runs(studies[0].sheets[config]) >= count]
    if count < 2:
        return None
    indices = [[_per_run(study.sheets[config], count) for study in studies] for config in kept]
    return components.judging(np.array(indices).transpose(0, 2, 1))


def _runs(sheet: SubjectPoints) -> int:
    return min(len(points) for points in sheet.totals.values())


def _per_run(sheet: SubjectPoints, count: int) -> list[float]:
    totals = np.array([points[:count] for points in sheet.totals.values()]).sum(axis=0)
    return [sheet.base + float(total) for total in totals]


def _row(option: _DesignOption, now: _DesignOption | None) -> tuple[Value, ...]:
    errors, extra = option.errors, None
    if now is not None and option.dollars is not None and now.dollars is not None:
        extra = option.dollars - now.dollars
    gains = [
        (before - after) / extra if extra and before is not None and after is not None else None
        for before, after in (zip(now.errors[:2], errors[:2], strict=True) if now else ((None, None), (None, None)))
    ]
    return option.title, *errors, option.dollars, extra, *gains


def _judges_note(judging: JudgeError) -> str:
    return (
        f"Judges: {judging.share:.0%} of the variance over runs is the judge's own inconsistency, halved by a second; "
        f"its bias towards some subjects has an SD of {judging.leaning**0.5:.2f} points of the index, and more "
        "scenarios are not expected to change it. A judge is assumed to cost as much as that of this board."
    )
