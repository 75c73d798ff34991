"""What buying verdicts beside a judge that is being learned would be worth: rehearsed on its lessons, as tables."""

from __future__ import annotations

import numpy as np

from independence.cli.training_data import TrainingData
from independence.engine import hybrid_redraws
from independence.judge.offline.training.cross_validation import HeldOutPredictions
from independence.judge.protocol import PurchaseRule
from independence.report import purchase_value
from independence.report.table import Table
from independence.stats import strict

_FEWEST_CONFIGURATIONS = 5
_FLEETS, _REDRAWS = (8, 20, 60), 200  # sizes of audited fleets, and how many of each


def hybrid(taught: TrainingData, held: list[HeldOutPredictions]) -> list[Table]:
    """What buying some of the verdicts is worth."""
    verdicts = hybrid_redraws.held_out_verdicts(held, taught.course.scales, strict.frame(taught.suite))
    if len(verdicts.configs) < _FEWEST_CONFIGURATIONS:
        return []
    bought = []
    for (unsure, audit), draws in purchase_value.SHARES.items():
        share, *arrays = hybrid_redraws.redraw(verdicts, PurchaseRule(unsure, audit), draws)
        bought.append(purchase_value.HybridResults(unsure, audit, share, *arrays))
    return [purchase_value.table(bought, len(verdicts.truth), taught.usd)]


def audit(taught: TrainingData, held: list[HeldOutPredictions], strange: list[HeldOutPredictions]) -> list[Table]:
    """What an audit makes of scenarios that were not learned from."""
    fields = {one.field for one in strange}
    mixed = [*strange, *(one for one in held if one.field not in fields)]
    verdicts = hybrid_redraws.held_out_verdicts(mixed, taught.course.scales, strict.frame(taught.suite))
    buying, made = PurchaseRule(0, 0), []
    for subjects in (count for count in _FLEETS if count <= len(verdicts.configs)):
        some = [hybrid_redraws.draw_configurations(verdicts, subjects, seed) for seed in range(_REDRAWS)]
        each = [hybrid_redraws.redraw(fleet, buying, 1, untrained=True) for fleet in some]
        sizes = [len(fleet.truth) for fleet in some]
        off = np.concatenate([np.abs(one.estimate - one.truth).ravel() for one in each])
        half = np.concatenate([one.half_width.ravel() for one in each])
        told = ~np.isnan(half)
        bought = np.mean([one.bought * size for one, size in zip(each, sizes, strict=True)])
        made.append(purchase_value.AuditResults(subjects, float(np.mean(sizes)), float(bought), off[told], half[told]))
    return [purchase_value.audits(made, buying.least)] if made else []
