"""One model on different hosts: subjects that differ in the provider alone, tested pair by pair.

Pairs that differ in effort or temperature too are named, and not compared: their difference has more than one cause.
"""

from __future__ import annotations

import re
from itertools import combinations
from typing import NamedTuple

import numpy as np

from independence.report import comparison_tables, declared, subject_comparison
from independence.report.comparison_tables import MARGIN
from independence.report.study import Study
from independence.report.subject_comparison import ComparedSubject, IndexGap
from independence.report.table import Table, Value
from independence.stats.comparison import adjusted

UNPINNED = "unpinned (router's choice)"
_SETTINGS = re.compile(r"(?:\+(?P<tag>.+))?@(?P<effort>[^@]+)-t(?P<temperature>[^@]+)")


class HostedSubject(NamedTuple):
    """A subject by what its config_dir says of it."""

    config: str
    slug: str  # the model
    tag: str | None  # the provider it is pinned to
    effort: str
    temperature: str

    @property
    def name(self) -> str:
        """The provider, as a person reads it."""
        return self.tag or UNPINNED


class HostPair(NamedTuple):
    """Two hosts of one model."""

    first: HostedSubject
    second: HostedSubject

    @property
    def confounded(self) -> tuple[str, ...]:
        """What else differs between them."""
        both = (
            ("effort", self.first.effort, self.second.effort),
            ("temperature", self.first.temperature, self.second.temperature),
        )
        return tuple(f"{what}: {own} and {other}" for what, own, other in both if own != other)


def host(config: str, model_id: str) -> HostedSubject | None:
    """Read `<slug>[+<provider tag>]@<effort>-t<temperature>`; None for another name."""
    slug = model_id.replace("/", "--")
    match = _SETTINGS.fullmatch(config.removeprefix(slug)) if config.startswith(slug) else None
    return HostedSubject(config, slug, match["tag"], match["effort"], match["temperature"]) if match else None


def pairs(read: Study) -> list[HostPair]:
    """Every two subjects of one model on different hosts, pinned ones first, in the order of config_dir."""
    hosts = [found for config, about in read.about.items() if (found := host(config, about.model_id))]
    hosts.sort(key=lambda one: (one.slug, one.tag is None, one.config))
    return [
        HostPair(first, second)
        for first, second in combinations(hosts, 2)
        if first.slug == second.slug and first.tag != second.tag
    ]


def tables(read: Study, margin: float = MARGIN) -> list[Table]:
    """Pairs that can be compared, and pairs that cannot; no table where there are none. `margin` in index points."""
    found = pairs(read)
    fair = [pair for pair in found if not pair.confounded]
    unfair = [pair for pair in found if pair.confounded]
    made = [_compared(read, fair, margin)] if fair else []
    return made + ([_confounded(read, unfair)] if unfair else [])


def _compared(read: Study, fair: list[HostPair], margin: float) -> Table:
    gaps = [subject_comparison.gap(*_sides(read, pair)) for pair in fair]
    tested = [number for number, gap in enumerate(gaps) if gap is not None and gap.these.se > 0]
    p = np.array([gap.these.p for gap in gaps if gap is not None and gap.these.se > 0])
    holm = dict(zip(tested, adjusted(p, "holm").tolist(), strict=True))
    rows = [
        (_model(pair.first), pair.first.name, pair.second.name, *_tested(read, pair, gaps[at], holm.get(at), margin))
        for at, pair in enumerate(fair)
    ]
    return declared.made("comparisons/providers", rows, tested=len(tested), margin=margin)


def _sides(read: Study, pair: HostPair) -> tuple[ComparedSubject, ComparedSubject]:
    return ComparedSubject(read, pair.first.config), ComparedSubject(read, pair.second.config)


def _model(one: HostedSubject) -> str:
    return f"{one.slug.replace('--', '/')}@{one.effort}-t{one.temperature}"


def _tested(read: Study, pair: HostPair, gap: IndexGap | None, holm: float | None, margin: float) -> tuple[Value, ...]:
    own, other = _sides(read, pair)
    if own.index is None or other.index is None:
        lacking = [
            f"{one.name} is incomplete, {comparison_tables.lacking(side)}"
            for one, side in zip(pair, (own, other), strict=True)
            if side.index is None
        ]
        return None, None, None, None, None, f"not compared: {'; '.join(lacking)}"
    if gap is None:
        return own.index - other.index, None, None, None, None, "a scenario with one run has no spread"
    equivalent = gap.these.equivalent(margin) if holm is not None else None
    said = comparison_tables.outcome(gap.these, margin, (pair.first.name, pair.second.name), holm)
    return gap.these.points, gap.these.interval(), comparison_tables.tested_p(gap.these), holm, equivalent, said


def _confounded(read: Study, unfair: list[HostPair]) -> Table:
    rows = [
        (read.about[pair.first.config].name, read.about[pair.second.config].name, "; ".join(pair.confounded))
        for pair in unfair
    ]
    return declared.made("comparisons/providers-not-comparable", rows)
