"""Which dialogues' verdicts are bought from a model: those the offline judge is least sure of, and a random audit.

Of scenarios it was trained on, the least certain share is bought with certainty, and of the rest a share is drawn with
probabilities proportional to the expected error (active inference: Zrnic and Candès 2024), mixed with even ones, by
systematic sampling over an order that the digests of the verdicts give: a fixed number is drawn, and from
the same dialogues the same. Of any other scenario a number is drawn with even probabilities: nothing is known of its
doubts.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from independence.engine import dialogue, resume
from independence.engine.batch_judge import PurchaseForecast
from independence.engine.resolve import ResolvedRun
from independence.engine.resume import PendingTrial
from independence.extensions.trained import draws
from independence.extensions.trained.draws import PastDraws
from independence.extensions.trained.prediction_powered import FEWEST, floored
from independence.extensions.trained.protocol import PredictingJudge, PurchaseRule
from independence.judge.protocol import StoredDialogue, verdict_key
from independence.store import endings, queries
from independence.store.routes import VerdictRoute
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


class StoredPurchases(NamedTuple):
    """What is stored of the finished dialogues of a plan before a judge that buys verdicts."""

    keys: Mapping[tuple[str, str], tuple[str, str]]  # trial and scenario -> key of its own verdict, of its auditor's
    bought: Collection[str]  # the auditor's verdicts that are stored
    past: Mapping[Condition, Mapping[str, PastDraws]] = MappingProxyType({})  # earlier draws of a hybrid, by scenario


def stored_purchases(connection: sqlite3.Connection, job: ResolvedRun, judge: PredictingJudge) -> StoredPurchases:
    """What is stored of a plan."""
    finished = endings.read(connection, job.where, {trial.key for trial in job.trials}).finished
    keys = _keys(judge, resume.stored_dialogues(job.trials, finished, job.rubrics))
    bought = queries.known_verdicts(connection, {purchase for _, purchase in keys.values()})
    past = {}
    if not judge.rule.audits:
        conditions = {trial.dialogue.condition for trial in job.trials}
        past = {one: draws.past(connection, job.where.under(one), judge.name) for one in conditions}
    own = {(one.trial, one.scenario): both for one, both in keys.items()}
    return StoredPurchases(own, bought.keys(), {condition: own for condition, own in past.items() if own})


def unbought(
    connection: sqlite3.Connection, judge: PredictingJudge, dialogues: Iterable[StoredDialogue]
) -> list[StoredDialogue]:
    """Dialogues of scenarios of which too few are drawn, and those that were drawn and not bought."""
    assert judge.auditor is not None
    keys = _keys(judge, dialogues)
    there = queries.known_verdicts(connection, {purchase for _, purchase in keys.values()})
    known = draws.known(connection, [key for key, _ in keys.values()], judge.auditor.name)
    drawn = {key for key, route in known.items() if route.way != "offline"}
    cells: dict[tuple[Condition, str], set[str]] = {}
    for one, (key, _) in keys.items():
        cells.setdefault((one.condition, one.scenario), set()).add(key)

    def is_open(one: StoredDialogue) -> bool:
        (key, purchase), own = keys[one], cells[one.condition, one.scenario]
        enough = len(own & drawn) >= min(judge.rule.least, len(own))
        return not enough or key not in known or (key in drawn and purchase not in there)

    return [one for one in keys if is_open(one)]


def _keys(judge: PredictingJudge, dialogues: Iterable[StoredDialogue]) -> dict[StoredDialogue, tuple[str, str]]:
    """Keys of a judge's own verdict on each dialogue and of its auditor's."""
    assert judge.auditor is not None
    own, bought = judge.settings, judge.auditor.settings
    return {
        one: (verdict_key(one.context, one.rubric, own), verdict_key(one.context, one.rubric, bought))
        for one in dialogues
    }


class ExpectedPurchase(NamedTuple):
    """A dialogue that a judge has not graded yet, and whether it is expected to buy the verdict on it."""

    position: int  # among what is to be done
    candidate: RoutingCandidate
    route: VerdictRoute
    purchase_key: str  # of the auditor's verdict; "" of dialogues that are not finished

    @property
    def bought(self) -> bool:
        """Whether the auditor is to grade it."""
        return self.route.way != "offline"


def forecast(
    judge: PredictingJudge, todo: Sequence[PendingTrial], suite: Suite, stored: StoredPurchases
) -> PurchaseForecast:
    """Where an auditor will be asked, and of a hybrid how often and whether no interval comes of it, in a sentence."""
    drawn = _expected_draws(todo, judge, suite, stored)
    every = [one for draw in drawn for one in draw]
    asked = {one.position for one in every if one.bought and one.purchase_key not in stored.bought}
    if judge.auditor is None or judge.rule.audits or not every:
        return PurchaseForecast(asked)
    bought, auditor = sum(one.bought for one in every), judge.auditor.name
    said = f"{judge.name} will buy {bought:,} of {len(every):,} verdicts ({bought / len(every):.0%})"
    if bought == len(every):
        said += f": it saves nothing over -j {auditor}, and no interval of an estimate will come of it"
    elif not stored.past and any(map(_too_few, drawn)):
        said += (
            ", too few of them at random, so no estimate and no interval will come; more subjects or runs, or a larger "
            "--audit-share, bring one"
        )
    elif not all(one.candidate.trained_on for one in every):
        said += ": it does not know these words, so an estimate will come, but no index and no interval of one"
    return PurchaseForecast(asked, said)


def _expected_draws(
    todo: Sequence[PendingTrial], judge: PredictingJudge, suite: Suite, stored: StoredPurchases
) -> list[list[ExpectedPurchase]]:
    """What a judge that buys verdicts will draw, each condition for itself."""
    known: dict[str, bool] = {}
    by_condition: dict[Condition, dict[str, tuple[int, RoutingCandidate, str]]] = {}
    for at, item in enumerate(todo):
        if judge not in item.judges:
            continue
        scenario = item.trial.dialogue.scenario.id
        if scenario not in known:
            # Whether the offline judge was trained on a scenario; answers do not matter for that.
            trial = item.trial
            lines = dialogue.transcript_turns(trial, dialogue.blank_progress(trial, trial.dialogue.generated))
            fields = suite.rubrics[trial.dialogue.scenario.rubric].fields
            known[scenario] = judge.knows(lines, fields)
        key, purchase = stored.keys.get((item.trial.key, scenario), (str(at), ""))
        candidate = RoutingCandidate(key, scenario, 1.0, known[scenario])
        by_condition.setdefault(item.trial.dialogue.condition, {})[key] = (at, candidate, purchase)
    out = []
    for condition, places in by_condition.items():
        drawn = routes([one for _, one, _ in places.values()], judge.rule, stored.past.get(condition, _NEVER))
        out.append([ExpectedPurchase(at, one, drawn[one.key], purchase) for at, one, purchase in places.values()])
    return out


def _too_few(draw: Sequence[ExpectedPurchase]) -> bool:
    """Whether somewhere too few are drawn at random to tell how far off those are that are not bought."""
    drawn, left = Counter[str](), Counter[str]()
    for one in draw:
        stratum = "" if one.candidate.trained_on else one.candidate.scenario
        drawn[stratum] += one.route.way == "audit"
        left[stratum] += not one.bought
    return any(left[stratum] and drawn[stratum] < FEWEST for stratum in left)
