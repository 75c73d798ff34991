"""Points of many complete subjects at once: what `subject_points` gives for each, to the last digit."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from independence.stats.strict import ScoringFrame
from independence.stats.subject_points import (
    Points,
    Stratum,
    SubjectPoints,
    base,
    ends,
    gains,
    scenarios_by_dimensions,
    variances,
)
from independence.stats.verdict_columns import SubjectBlock, VerdictColumns, blocks


def complete_points(frame: ScoringFrame, columns: VerdictColumns) -> dict[str, SubjectPoints]:
    """The points of subjects without a missing verdict or an unplanned scenario, in the order of the columns."""
    out: dict[str, SubjectPoints] = {}
    for block in blocks(columns):
        if all(name in block.places for members in frame.members.values() for name in members):
            whole = np.flatnonzero(~block.missing.any(axis=1))
            names = [block.subjects[at] for at in whole.tolist()]
            if names:
                kept = block._replace(subjects=names, rows=block.rows[whole], missing=block.missing[whole])
                out |= dict(zip(names, _points(frame, columns, kept), strict=True))
    return {subject: out[subject] for subject in columns.subjects if subject in out}


def _points(frame: ScoringFrame, columns: VerdictColumns, block: SubjectBlock) -> Iterable[SubjectPoints]:
    worth = gains(frame)
    strata: list[tuple[tuple[str, ...], list[Points], tuple[tuple[float, float], ...]]] = []
    for members, dimensions in scenarios_by_dimensions(frame).items():
        own = {name: worth[name] for name in dimensions}
        said = {name: block.dimension(columns, frame.index.dimensions[name], members) for name in dimensions}
        points = []
        for scenario in members:
            total: Points = np.zeros((len(block.subjects), len(block.places[scenario])))
            for name, gain in own.items():
                total = total + gain * said[name][:, block.places[scenario]]
            points.append(total)
        strata.append((members, points, tuple(ends(frame, own, scenario) for scenario in members)))
    totals: dict[str, Points] = {}
    for members, points, _ in strata:
        for scenario, one in zip(members, points, strict=True):
            totals[scenario] = totals[scenario] + one if scenario in totals else one
    start = base(frame)
    whole = np.zeros(len(block.subjects))
    for own_total in totals.values():
        whole = whole + own_total.mean(axis=1)
    index = (start + whole).tolist()
    spread = {scenario: variances(own).tolist() for scenario, own in totals.items()}
    means = [np.stack([one.mean(axis=1) for one in points], axis=1) for _, points, _ in strata]
    across = [variances(own).tolist() for own in means]
    shared = SubjectPoints(
        start, tuple(Stratum(names, tuple(one[0] for one in points), spans) for names, points, spans in strata)
    )
    for at in range(len(block.subjects)):
        own_strata = tuple(Stratum(names, tuple(one[at] for one in points), spans) for names, points, spans in strata)
        made = SubjectPoints(start, own_strata)
        # What is asked of every subject, computed for all of them at once.
        made.__dict__.update(
            totals={scenario: own[at] for scenario, own in totals.items()},
            index=index[at],
            variances={scenario: own[at] for scenario, own in spread.items()},
            means=tuple(own[at] for own in means),
            across=tuple(own[at] for own in across),
            ends=shared.ends,
            scale=shared.scale,
        )
        yield made
