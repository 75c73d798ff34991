"""Which dialogues' verdicts are bought from a model: those the offline judge is least sure of, and a random audit.

Of scenarios it was trained on, the least certain share is bought with certainty, and of the rest a share is drawn with
probabilities proportional to the expected error (active inference: Zrnic and Candès 2024), mixed with even ones, by
systematic sampling over an order that the digests of the verdicts give: a fixed number is drawn, and from
the same dialogues the same. Of any other scenario a number is drawn with even probabilities: nothing is known of its
doubts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import msgspec

from independence.engine import dialogue
from independence.engine.plan import Trial
from independence.engine.resume import PendingTrial, PurchasableVerdicts
from independence.judge.protocol import BatchJudge, Judge, PurchaseRule
from independence.stats.prediction_powered import FEWEST, floored
from independence.store.routes import PastDraws, VerdictRoute
from independence.suites import digest
from independence.suites.schema import Suite
from independence.types import Condition

_EVEN = 0.2  # of the draw: no verdict is beyond the audit's reach, however sure the offline judge is of it
_SURE = VerdictRoute("unsure", 1.0)
_NEVER: Mapping[str, PastDraws] = MappingProxyType({})


class RoutingCandidate(NamedTuple):
    """One dialogue that an offline judge has read."""

    key: str  # of the verdict
    scenario: str
    error: float  # expected, in what the suite makes of a verdict
    trained_on: bool  # whether the offline judge was trained on its scenario


def routes(
    candidates: Sequence[RoutingCandidate], buying: PurchaseRule, past: Mapping[str, PastDraws] = _NEVER
) -> dict[str, VerdictRoute]:
    """The route of every dialogue under one condition, by key. `past`: of its scenarios."""
    known = [one for one in candidates if one.trained_on and not buying.audits]
    out = _known(known, buying)
    untrained: dict[str, list[str]] = {}
    for one in candidates:
        if one.key not in out:
            untrained.setdefault(one.scenario, []).append(one.key)
    for scenario, keys in untrained.items():
        out |= _untrained(keys, buying, past.get(scenario, PastDraws(0, 0)))
    return out


def _known(candidates: Sequence[RoutingCandidate], buying: PurchaseRule) -> dict[str, VerdictRoute]:
    unsure = round(buying.unsure * len(candidates))
    ordered = sorted(candidates, key=lambda one: (-one.error, one.key))
    rest = ordered[unsure:]
    chances = _chances([one.error for one in rest], min(buying.audit * len(candidates), len(rest)))
    drawn = dict.fromkeys((one.key for one in ordered[:unsure]), _SURE)
    return drawn | _systematic_sample([one.key for one in rest], chances)


def _untrained(keys: Sequence[str], buying: PurchaseRule, past: PastDraws) -> dict[str, VerdictRoute]:
    """The first of them by their digests: a larger audit holds the smaller one, and none gives up what was drawn.

    Newcomers to a hybrid are drawn as often as those before them: bought whole they would be the only ones with an
    index.
    """
    if past.total and not buying.audits:
        return _systematic_sample(keys, [past.drawn / past.total] * len(keys))
    share = round((buying.unsure + buying.audit) * len(keys))
    wanted = min(max(buying.least, share, past.drawn), len(keys))
    return {
        key: VerdictRoute("audit" if at < wanted else "offline", wanted / len(keys))
        for at, key in enumerate(sorted(keys, key=_lot))
    }


def _chances(errors: Sequence[float], count: float) -> list[float]:
    """Inclusion probabilities that sum to `count`, as far as possible proportional to the errors; none above 1."""
    if not count:
        return [0.0] * len(errors)
    mean = sum(errors) / len(errors) or 1.0
    sizes = [_EVEN + (1 - _EVEN) * error / mean for error in floored(errors)]
    certain: set[int] = set()
    while True:
        left = sum(size for at, size in enumerate(sizes) if at not in certain)
        scale = (count - len(certain)) / left if left else 0.0
        above = {at for at, size in enumerate(sizes) if at not in certain and size * scale >= 1}
        if not above:
            return [1.0 if at in certain else size * scale for at, size in enumerate(sizes)]
        certain |= above


def _systematic_sample(keys: Sequence[str], chances: Sequence[float]) -> dict[str, VerdictRoute]:
    """Systematic sampling: one draw for every whole number that the running sum of chances passes.

    So as many are drawn as the chances sum to, or one more where that is no whole number.
    """
    order = sorted(range(len(keys)), key=lambda at: _lot(keys[at]))
    total, out = _start(keys), {}
    for at in order:
        before, total = total, total + chances[at]
        drawn = chances[at] >= 1 or int(total + 1e-9) > int(before + 1e-9)
        out[keys[at]] = VerdictRoute("audit" if drawn else "offline", chances[at])
    return out


def _lot(key: str) -> str:
    return digest.sha256(["audit", key])


def _start(keys: Sequence[str]) -> float:
    """Where the first of them falls, 0 to 1: as random as a digest."""
    return int(digest.sha256(sorted(keys))[:8], 16) / 2**32


_NOTHING: Mapping[Judge, PurchasableVerdicts] = MappingProxyType({})


def with_expected_purchases(
    todo: Sequence[PendingTrial], suite: Suite, stored: Mapping[Judge, PurchasableVerdicts] = _NOTHING
) -> list[PendingTrial]:
    """The same work with those judges left only where verdicts stand for what they will buy.

    What is `stored` of finished dialogues tells which an audit draws, and what need not be bought again.
    """
    buyers = dict.fromkeys(spec for item in todo for spec in item.judges if spec.purchase is not None)
    asked = {
        spec: set(_purchase_positions(todo, spec, suite, stored.get(spec, PurchasableVerdicts({}, frozenset()))))
        for spec in buyers
    }
    if not asked:
        return list(todo)
    return [
        msgspec.structs.replace(
            item, judges=tuple(spec for spec in item.judges if spec not in asked or at in asked[spec])
        )
        for at, item in enumerate(todo)
    ]


def _purchase_positions(
    todo: Sequence[PendingTrial], spec: Judge, suite: Suite, stored: PurchasableVerdicts
) -> Iterator[int]:
    for draw in _expected_draws(todo, spec, suite, stored):
        yield from (one.position for one in draw if one.bought and one.purchase_key not in stored.stored_keys)


def purchase_forecast(todo: Sequence[PendingTrial], spec: Judge, suite: Suite, stored: PurchasableVerdicts) -> str:
    """How many verdicts a hybrid will buy, and whether no interval comes of them, in a sentence; "" for others."""
    draws = list(_expected_draws(todo, spec, suite, stored))
    every = [one for draw in draws for one in draw]
    if spec.purchase is None or spec.purchase.rule.audits or not every:
        return ""
    bought, auditor = sum(one.bought for one in every), spec.purchase.auditor.name
    share = f"{spec.name} will buy {bought:,} of {len(every):,} verdicts ({bought / len(every):.0%})"
    if bought == len(every):
        return f"{share}: it saves nothing over -j {auditor}, and no interval of an estimate will come of it"
    if not stored.past and any(map(_too_few, draws)):
        few = "too few of them at random, so no estimate and no interval will come"
        return f"{share}, {few}; more subjects or runs, or a larger --audit-share, bring one"
    if not all(one.candidate.trained_on for one in every):
        return f"{share}: it does not know these words, so an estimate will come, but no index and no interval of one"
    return share


def _too_few(draw: Sequence[ExpectedPurchase]) -> bool:
    """Whether somewhere too few are drawn at random to tell how far off those are that are not bought."""
    drawn, left = Counter[str](), Counter[str]()
    for one in draw:
        stratum = "" if one.candidate.trained_on else one.candidate.scenario
        drawn[stratum] += one.route.way == "audit"
        left[stratum] += not one.bought
    return any(left[stratum] and drawn[stratum] < FEWEST for stratum in left)


class ExpectedPurchase(NamedTuple):
    """A dialogue that a judge has not graded yet, and whether it is expected to buy the verdict on it."""

    position: int  # among what is to be done
    candidate: RoutingCandidate
    route: VerdictRoute
    purchase_key: str  # of the model's verdict; "" of dialogues that are not finished

    @property
    def bought(self) -> bool:
        """Whether a model is to grade it."""
        return self.route.way != "offline"


def _expected_draws(
    todo: Sequence[PendingTrial], spec: Judge, suite: Suite, stored: PurchasableVerdicts
) -> Iterator[list[ExpectedPurchase]]:
    """What a judge that buys verdicts will draw, each condition for itself."""
    if spec.purchase is None:
        return
    rule, known = spec.purchase.rule, dict[str, bool]()
    by_condition: dict[Condition, dict[str, tuple[int, RoutingCandidate, str]]] = {}
    for at, item in enumerate(todo):
        if spec not in item.judges:
            continue
        scenario = item.trial.dialogue.scenario.id
        if scenario not in known:
            known[scenario] = _trained_on(item.trial, spec, suite)
        sale = stored.by_dialogue.get((item.trial.key, scenario))
        key = sale.key if sale else str(at)
        candidate = RoutingCandidate(key, scenario, 1.0, known[scenario])
        places = by_condition.setdefault(item.trial.dialogue.condition, {})
        places[key] = (at, candidate, sale.purchase_key if sale else "")
    for condition, places in by_condition.items():
        drawn = routes([candidate for _, candidate, _ in places.values()], rule, stored.past.get(condition, _NEVER))
        yield [ExpectedPurchase(at, one, drawn[one.key], bought) for at, one, bought in places.values()]


def _trained_on(trial: Trial, spec: Judge, suite: Suite) -> bool:
    """Whether the offline judge was trained on a scenario; answers do not matter for that."""
    lines = dialogue.transcript_turns(trial, dialogue.blank_progress(trial, trial.dialogue.generated))
    fields = suite.rubrics[trial.dialogue.scenario.rubric].fields
    return isinstance(spec, BatchJudge) and spec.knows(lines, fields)
