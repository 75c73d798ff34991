"""What buying verdicts beside a judge that is being learned would be worth: rehearsed on its lessons, as tables."""

from __future__ import annotations

import numpy as np

from independence.cli.lessons import Taught
from independence.engine import rehearsal
from independence.judge.offline.training.crossing import Held
from independence.judge.spec import Buying
from independence.report import routing
from independence.report.table import Table
from independence.stats import strict

_FEWEST_CONFIGURATIONS = 5
_FLEETS, _REDRAWS = (8, 20, 60), 200  # sizes of audited fleets, and how many of each


def hybrid(taught: Taught, held: list[Held]) -> list[Table]:
    """What buying some of the verdicts is worth."""
    verdicts = rehearsal.judged(held, taught.course.scales, strict.frame(taught.suite))
    if len(verdicts.configs) < _FEWEST_CONFIGURATIONS:
        return []
    bought = []
    for (unsure, audit), draws in routing.SHARES.items():
        share, *arrays = rehearsal.rehearse(verdicts, Buying(unsure, audit), draws)
        bought.append(routing.Bought(unsure, audit, share, *arrays))
    return [routing.table(bought, len(verdicts.truth), taught.usd)]


def audit(taught: Taught, held: list[Held], strange: list[Held]) -> list[Table]:
    """What an audit makes of scenarios that were not learned from."""
    fields = {one.field for one in strange}
    mixed = [*strange, *(one for one in held if one.field not in fields)]
    verdicts = rehearsal.judged(mixed, taught.course.scales, strict.frame(taught.suite))
    buying, made = Buying(0, 0), []
    for subjects in (count for count in _FLEETS if count <= len(verdicts.configs)):
        some = [rehearsal.of_some(verdicts, subjects, seed) for seed in range(_REDRAWS)]
        each = [rehearsal.rehearse(fleet, buying, 1, strange=True) for fleet in some]
        sizes = [len(fleet.truth) for fleet in some]
        off = np.concatenate([np.abs(one.estimate - one.truth).ravel() for one in each])
        half = np.concatenate([one.half.ravel() for one in each])
        told = ~np.isnan(half)
        bought = np.mean([one.bought * size for one, size in zip(each, sizes, strict=True)])
        made.append(routing.Audited(subjects, float(np.mean(sizes)), float(bought), off[told], half[told]))
    return [routing.audits(made, buying.least)] if made else []
