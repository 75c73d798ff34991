"""What hybrid judges and audits will buy of a plan, before anything is read: as many verdicts, spread over the plan."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from independence.engine import dialogue, routing
from independence.engine.plan import Trial
from independence.engine.resume import PendingTrial, PurchasableVerdicts
from independence.engine.routing import RoutingCandidate
from independence.judge.protocol import BatchJudge, Judge
from independence.suites.schema import Suite
from independence.types import Condition

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
    return [
        item._replace(judges=tuple(spec for spec in item.judges if spec not in asked or at in asked[spec]))
        for at, item in enumerate(todo)
    ]


def _purchase_positions(
    todo: Sequence[PendingTrial], spec: Judge, suite: Suite, stored: PurchasableVerdicts
) -> Iterator[int]:
    assert spec.purchase is not None
    known: dict[str, bool] = {}
    by_condition: dict[Condition, dict[str, RoutingCandidate]] = {}
    places: dict[str, int] = {}
    for at, item in enumerate(todo):
        if spec not in item.judges:
            continue
        scenario = item.trial.dialogue.scenario.id
        if scenario not in known:
            known[scenario] = _known(item.trial, spec, suite)
        sale = stored.by_dialogue.get((item.trial.key, scenario))
        key = sale.key if sale else str(at)
        by_condition.setdefault(item.trial.dialogue.condition, {})[key] = RoutingCandidate(
            key, scenario, 1.0, known[scenario]
        )
        if sale is None or sale.purchase_key not in stored.stored_keys:
            places[key] = at
    for candidates in by_condition.values():
        drawn = routing.routes(list(candidates.values()), spec.purchase.rule)
        yield from (places[key] for key, route in drawn.items() if route.way != "offline" and key in places)


def _known(trial: Trial, spec: Judge, suite: Suite) -> bool:
    """Whether the offline judge was trained on a scenario; answers do not matter for that."""
    lines = dialogue.transcript_turns(trial, dialogue.blank_progress(trial, trial.dialogue.generated))
    fields = suite.rubrics[trial.dialogue.scenario.rubric].fields
    return isinstance(spec, BatchJudge) and spec.knows(lines, fields)
