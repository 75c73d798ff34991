"""What a hybrid would have made of verdicts that are all known: routed indices, and estimates over redraws."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from independence.engine import routing
from independence.engine.routing import RoutingCandidate
from independence.judge.offline.grading import typed
from independence.judge.offline.training.cross_validation import HeldOutPredictions
from independence.judge.offline.training.training_set import FieldScale
from independence.judge.protocol import PurchaseRule
from independence.stats import prediction_powered
from independence.stats.prediction_powered import MeasuredSample
from independence.stats.strict import ScoringFrame
from independence.stats.subject_points import Leverage, leverage

Array = NDArray[np.float64]


class HeldOutVerdicts(NamedTuple):
    """n verdicts of configurations of which every scenario was graded: in points of their configuration's index."""

    configs: tuple[str, ...]
    scenario: tuple[str, ...]
    config: NDArray[np.intp]
    share: Array  # of its scenario's runs
    truth: Array
    predicted: Array  # predicted
    predicted_as_verdict: Array  # predicted, as a verdict's fields hold it
    error: Array  # expected
    constant: float  # of the index

    def totals(self, points: Array) -> Array:
        """Indices by configuration."""
        return np.asarray(self.constant + np.bincount(self.config, points, len(self.configs)), dtype=np.float64)


class HybridRedraws(NamedTuple):
    """Over D redraws and C configurations."""

    bought: float  # mean share of verdicts
    truth: Array  # (C,)
    routed: Array  # (D, C)
    estimate: Array  # (D, C)
    half_width: Array  # (D, C), NaN where there is no interval


class _VerdictPoints(NamedTuple):
    truth: float
    predicted: float
    predicted_as_verdict: float
    error: float


def held_out_verdicts(
    held: Sequence[HeldOutPredictions], scales: Mapping[str, FieldScale], frame: ScoringFrame
) -> HeldOutVerdicts:
    """Verdicts in points, from fields that were held out."""
    lever = leverage(frame)
    found: dict[tuple[str, str, int], dict[str, _VerdictPoints]] = {}
    for one in held:
        scale = scales[one.field]
        for lesson, *shares in zip(one.lessons, one.truth, one.value, one.error, strict=True):
            weight = lever.weights.get(lesson.scenario, {}).get(one.field, 0.0)
            place = (lesson.config, lesson.scenario, lesson.run)
            found.setdefault(place, {})[one.field] = _points(weight, scale, shares)
    configs = _whole(lever, found)
    places = [place for place in found if place[0] in set(configs)]
    runs = Counter(place[:2] for place in places)
    share = np.array([1 / runs[place[:2]] for place in places])
    sums = np.array([[sum(part) for part in zip(*found[place].values(), strict=True)] for place in places])
    truth, predicted, predicted_as_verdict, error = sums.reshape(-1, len(_VerdictPoints._fields)).T * share
    group = np.array([configs.index(place[0]) for place in places], dtype=np.intp)
    scenarios = tuple(scenario for _, scenario, _ in places)
    return HeldOutVerdicts(
        configs=configs,
        scenario=scenarios,
        config=group,
        share=share,
        truth=truth,
        predicted=predicted,
        predicted_as_verdict=predicted_as_verdict,
        error=error,
        constant=lever.constant,
    )


def _whole(lever: Leverage, found: Mapping[tuple[str, str, int], Mapping[str, _VerdictPoints]]) -> tuple[str, ...]:
    """Configurations with every field of every scenario of the index."""
    there: dict[str, set[str]] = {}
    for (config, scenario, _), own in found.items():
        if lever.weights.get(scenario, {}).keys() <= own.keys():
            there.setdefault(config, set()).add(scenario)
    return tuple(sorted(config for config, own in there.items() if lever.weights.keys() <= own))


def _points(weight: float, scale: FieldScale, shares: Sequence[float]) -> _VerdictPoints:
    width = scale.high - scale.low
    truth, predicted, error = shares[0] * width + scale.low, shares[1] * width + scale.low, shares[2] * width
    return _VerdictPoints(
        weight * truth, weight * predicted, weight * float(typed(predicted, scale.field())), abs(weight) * error
    )


def redraw(verdicts: HeldOutVerdicts, buying: PurchaseRule, draws: int, untrained: bool = False) -> HybridRedraws:
    """Draw and buy again and again. `untrained`: as if the offline judge had been trained on none of the scenarios."""
    strata = np.unique(verdicts.scenario, return_inverse=True)[1] if untrained else np.zeros(len(verdicts.truth), int)
    bought, routed, estimate, half = 0.0, [], [], []
    for draw in range(draws):
        candidates = [
            RoutingCandidate(f"{draw}:{at}", scenario, error, trained_on=not untrained)
            for at, (scenario, error) in enumerate(zip(verdicts.scenario, verdicts.error.tolist(), strict=True))
        ]
        routes = routing.routes(candidates, buying)
        ways = [routes[one.key] for one in candidates]
        asked = np.array([route.way != "offline" for route in ways])
        sample = MeasuredSample(
            group=verdicts.config,
            stratum=strata,
            predicted=verdicts.predicted,
            measured=np.where(asked, verdicts.truth, np.nan),
            probability=np.array([route.probability for route in ways]),
            size=verdicts.share if untrained else verdicts.error,
            weight=verdicts.share,
        )
        totals = prediction_powered.totals(sample, len(verdicts.configs), range(strata.max() + 1) if untrained else ())
        bought += float(asked.mean()) / draws
        routed.append(verdicts.totals(np.where(asked, verdicts.truth, verdicts.predicted_as_verdict)))
        estimate.append(verdicts.constant + totals.total)
        half.append(totals.half)
    truth = verdicts.totals(verdicts.truth)
    return HybridRedraws(bought, truth, np.array(routed), np.array(estimate), np.array(half))


def draw_configurations(verdicts: HeldOutVerdicts, configs: int, seed: int) -> HeldOutVerdicts:
    """The verdicts of so many drawn configurations."""
    drawn = np.sort(np.random.default_rng(seed).choice(len(verdicts.configs), configs, replace=False))
    rows = np.flatnonzero(np.isin(verdicts.config, drawn))
    return HeldOutVerdicts(
        configs=tuple(verdicts.configs[at] for at in drawn),
        scenario=tuple(verdicts.scenario[at] for at in rows),
        config=np.searchsorted(drawn, verdicts.config[rows]),
        share=verdicts.share[rows],
        truth=verdicts.truth[rows],
        predicted=verdicts.predicted[rows],
        predicted_as_verdict=verdicts.predicted_as_verdict[rows],
        error=verdicts.error[rows],
        constant=verdicts.constant,
    )
