"""What buying some verdicts is worth, beside buying all of them, as a table."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from independence.report import declared
from independence.report.table import Table, Value
from independence.report.training import correlation, ranks

Array = NDArray[np.float64]

# Pairs of shares that are tried, with how many redraws of what is drawn.
SHARES: Final = {(0.0, 0.25): 100, (0.1, 0.05): 100, (0.2, 0.05): 1000, (0.3, 0.05): 100, (0.5, 0.05): 100}


class HybridResults(NamedTuple):
    """Indices over D redraws and C configurations, when some of the verdicts were bought."""

    unsure: float
    audit: float
    share: float  # of all verdicts that was bought
    truth: Array  # (C,)
    routed: Array  # (D, C)
    estimate: Array  # (D, C)
    half: Array  # (D, C)


def table(bought: list[HybridResults], verdicts: int, usd: float | None) -> Table:
    """A row for each pair of shares; `usd`: dollars of one verdict."""
    return declared.made("training/hybrid", [_row(one, verdicts, usd) for one in bought])


class AuditResults(NamedTuple):
    """Audits of fleets of one size."""

    subjects: int
    verdicts: float  # mean
    bought: float  # mean
    off: Array  # by subject, fleet and redraw
    half: Array  # the same


def audits(made: list[AuditResults], least: int) -> Table:
    """A row for each size of a fleet."""
    rows = [
        (
            one.subjects, round(one.verdicts), round(one.bought), float(one.off.mean()),
            float((one.off <= one.half + 1e-9).mean()), float(2 * one.half.mean()),
        )
        for one in made
    ]  # fmt: skip
    return declared.made("training/audit", rows, least=least)


def _row(one: HybridResults, verdicts: int, usd: float | None) -> tuple[Value, ...]:
    off = np.abs(one.routed - one.truth)
    told = ~np.isnan(one.half)
    calls = round(one.share * verdicts)
    inside = np.abs(one.estimate - one.truth)[told] <= one.half[told] + 1e-9
    place = ranks(one.truth)
    found = [value for routed in one.routed if (value := correlation(place, ranks(routed))) is not None]
    return (
        one.unsure, one.audit, len(one.routed),
        float(np.mean(found)) if found else None, float(off.mean()),
        float(off.max(axis=1).mean()),
        float(np.abs(one.estimate - one.truth).mean()) if told.any() else None,
        float(inside.mean()) if told.any() else None,
        float(2 * one.half[told].mean()) if told.any() else None,
        calls, verdicts - calls, None if usd is None else (verdicts - calls) * usd,
    )  # fmt: skip
