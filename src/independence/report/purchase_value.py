"""What buying some verdicts is worth, beside buying all of them, as a table."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from independence.report.table import Column, Table, Value
from independence.report.training import correlation, ranks

Array = NDArray[np.float64]

# Pairs of shares that are tried, with how many redraws of what is drawn.
SHARES: Final = {(0.0, 0.25): 100, (0.1, 0.05): 100, (0.2, 0.05): 1000, (0.3, 0.05): 100, (0.5, 0.05): 100}
_COLUMNS = (
    Column("unsure", "Least certain", "percent"),
    Column("audit", "Drawn", "percent"),
    Column("draws", "Redraws", "count"),
    Column("spearman", "Rank correlation", "number", 4),
    Column("mae", "MAE", "number", 2),
    Column("worst", "Worst", "number", 1),
    Column("estimate_mae", "Estimate: MAE", "number", 2),
    Column("covers", "Interval covers", "number", 3),
    Column("width", "Width", "number", 2),
    Column("bought", "Calls", "count"),
    Column("saved", "saved", "count"),
    Column("usd", "Dollars saved", "dollars"),
)


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
    rows = tuple(_row(one, verdicts, usd) for one in bought)
    indices = (
        "On unseen families, configurations with every scenario graded. Index with the teacher's verdict "
        "where it was bought and the prediction elsewhere: rank correlation, mean absolute error and worst error in "
        "points against the teacher's own index, means over repeated samples."
    )
    estimates = (
        "Estimate: prediction-powered. Its interval contains the teacher's index in that share of configurations and "
        "samples (nominal .95); width in points, mean."
    )
    notes = (indices, estimates, "Calls and dollars: the teacher's, bought and saved.")
    return Table("hybrid", "Buying the least certain verdicts, and a random sample of the rest", _COLUMNS, rows, notes)


_AUDIT = (
    Column("subjects", "Subjects", "count"),
    Column("verdicts", "Verdicts", "count"),
    Column("bought", "Bought", "count"),
    Column("mae", "Estimate: MAE", "number", 2),
    Column("covers", "Interval covers", "number", 3),
    Column("width", "Width", "number", 1),
)


class AuditResults(NamedTuple):
    """Audits of fleets of one size."""

    subjects: int
    verdicts: float  # mean
    bought: float  # mean
    off: Array  # by subject, fleet and redraw
    half: Array  # the same


def audits(made: list[AuditResults], least: int) -> Table:
    """A row for each size of a fleet."""
    rows = tuple(
        (
            one.subjects, round(one.verdicts), round(one.bought), float(one.off.mean()),
            float((one.off <= one.half + 1e-9).mean()), float(2 * one.half.mean()),
        )
        for one in made
    )  # fmt: skip
    note = (
        f"On unseen scenarios if these can be left out, else on unseen families; {least} verdicts per scenario are "
        "sampled, for random sets of subjects. Prediction-powered estimates against the teacher's own index, in points."
    )
    return Table("audit", "Correcting it on unseen scenarios", _AUDIT, rows, (note,))


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
