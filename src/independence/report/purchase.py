"""What to buy next: what more scenarios, runs or judges would leave of the error of a typical index, and cost."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from independence.report import declared
from independence.report.difficulty import headcount
from independence.report.study import Study
from independence.report.table import Table, Value
from independence.stats import components
from independence.stats.components import DesignErrors, ErrorSources, JudgeError, balanced_runs
from independence.stats.index_uncertainty import Array
from independence.stats.subject_points import SubjectPoints
from independence.store import queries, spending
from independence.types import Where

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


def tables(study: Study, spent: Mapping[str, SubjectSpend] | None = None, others: Sequence[Study] = ()) -> list[Table]:
    """One table of options. `spent`: dollars by config_dir; `others`: the same place under other judges.

    Without a subject that repeated its runs there is no standard error to predict, and no row.
    """
    fleet = list(study.these)
    if not fleet and study.single_runs:
        return [_once_each(study, spent or {})]
    if not fleet:
        note = "No complete subject has two runs of every scenario, so there is no spread to predict from."
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
        "Scenarios before runs: as many dialogues as now, each on a scenario of its own, would leave an SE of "
        f"{own:.2f} for scenarios like these; twice as many on the present scenarios would leave {twice:.2f}."
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
