"""One model under two settings, pair by pair: hosts, efforts, temperatures; and hosts that cannot be compared."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import combinations
from typing import NamedTuple

from independence.config.subjects import LOCAL, SUFFIX
from independence.report.board.board_data import BoardData
from independence.report.board.interim_looks import Looks
from independence.report.board.rows import Row
from independence.report.comparing import rule_comparison, subject_comparison
from independence.report.comparing.comparison_tables import MARGIN, READINGS, equivalence_p, lacking, outcome, tested_p
from independence.report.comparing.subject_comparison import ComparedSubject
from independence.report.files import table_layouts
from independence.report.files.table import Table, Value
from independence.stats.comparison import Difference, adjusted_by_name
from independence.stats.index_uncertainty import LIKE_THESE, THESE

UNPINNED = "unpinned (router's choice)"
_UNNAMED = "unnamed weights"  # of a server of one's own
_SUFFIX = re.compile(SUFFIX)


class HostedSubject(NamedTuple):
    """A subject by what its config_dir says of it."""

    config: str
    slug: str  # the model
    tag: str | None  # the provider it is pinned to, or its weights on a server of one's own
    settings: Mapping[str, str | None]  # all others, by name; None: not stated

    @property
    def name(self) -> str:
        """The provider, or the weights, as a person reads it."""
        return self.tag or (_UNNAMED if self.slug.startswith(f"{LOCAL}--") else UNPINNED)


class SettingPair(NamedTuple):
    """Two subjects of one model."""

    first: HostedSubject
    second: HostedSubject

    @property
    def hosts(self) -> bool:
        """Whether they are on different hosts."""
        return self.first.tag != self.second.tag

    @property
    def settings(self) -> dict[str, tuple[str, str]]:
        """What else differs between them, and what it is of each."""
        both = ((what, own, self.second.settings[what]) for what, own in self.first.settings.items())
        return {what: (own or "none sent", other or "none sent") for what, own, other in both if own != other}

    @property
    def names(self) -> tuple[str, str]:
        """Both by the one thing that differs."""
        if self.hosts:
            return self.first.name, self.second.name
        ((what, (own, other)),) = self.settings.items()
        return f"{what} {own}", f"{what} {other}"

    @property
    def model(self) -> str:
        """The model, and the settings that both have."""
        shared = [f"on {self.first.tag}"] if self.first.tag and not self.hosts else []
        shared += [f"{what} {own}" for what, own in self.first.settings.items() if own and what not in self.settings]
        return f"{self.first.slug.replace('--', '/')} ({', '.join(shared)})"


def host(config: str, model_id: str) -> HostedSubject | None:
    """Read `<slug>` and what `config_suffix` writes behind it; None for another name."""
    slug = model_id.replace("/", "--")
    match = _SUFFIX.fullmatch(config.removeprefix(slug)) if config.startswith(slug) else None
    settings = match.groupdict() if match else {}
    return HostedSubject(config, slug, settings.pop("pin"), settings) if match else None


def pairs(read: BoardData) -> list[SettingPair]:
    """Every two subjects of one model, pinned ones first, in the order of config_dir."""
    hosts = [found for config, about in read.about.items() if (found := host(config, about.model_id))]
    hosts.sort(key=lambda one: (one.slug, one.tag is None, one.config))
    return [SettingPair(first, second) for first, second in combinations(hosts, 2) if first.slug == second.slug]


def tables(read: BoardData, margin: float = MARGIN, ruled: Mapping[str, Row] | None = None) -> list[Table]:
    """Pairs that can be compared, and pairs that cannot; no table where there are none.

    `margin` in index points; `ruled`: rows by config_dir, where another rule than strict makes the indices.
    """
    found = pairs(read)
    fair = [pair for pair in found if pair.hosts + len(pair.settings) == 1]
    made = [_compared(read, fair, margin, ruled)] if fair else []
    if unfair := [pair for pair in found if pair.hosts and pair.settings]:
        rows = [
            (*(read.about[one.config].name for one in pair),
             "; ".join(f"{what}: {own} and {other}" for what, (own, other) in pair.settings.items()))
            for pair in unfair
        ]  # fmt: skip
        made.append(table_layouts.made("comparisons/providers-not-comparable", rows))
    return made


def _compared(read: BoardData, fair: list[SettingPair], margin: float, ruled: Mapping[str, Row] | None) -> Table:
    reading = LIKE_THESE if read.single_runs else THESE  # one run of a scenario says nothing about more of it
    sides = [(ComparedSubject(read, pair.first.config), ComparedSubject(read, pair.second.config)) for pair in fair]
    if ruled is None:
        both = [subject_comparison.gap(*pair) for pair in sides]
        gaps = [gap and (gap.like_these if reading == LIKE_THESE else gap.these) for gap in both]
    else:
        reading, rows_of = THESE, [tuple(ruled.get(one.config) for one in pair) for pair in fair]
        gaps = [rule_comparison.difference(own, other) if own and other else None for own, other in rows_of]
    indices = {
        one.config: (one.index if ruled is None else row.main.value if (row := ruled.get(one.config)) else None)
        for pair in sides
        for one in pair
    }
    seen = [subject_comparison.looks(*pair) for pair in sides]
    p = {at: tested_p(gap) for at, gap in enumerate(gaps)}
    first = {at: None if one is None else min(1.0, one * seen[at].allowance) for at, one in p.items()}
    holm = adjusted_by_name(first)
    rows = []
    for at, pair in enumerate(fair):
        tested = _tested(pair.names, sides[at], gaps[at], holm.get(at), margin=margin, seen=seen[at], indices=indices)
        rows.append((pair.model, *pair.names, *tested))
    most, said = max(len(one.runs) for one in seen), READINGS[reading]
    note = f"Runs were added: some pairs could be compared {most} times. p (Holm) and intervals allow for it."
    notes = [note] if most > 1 else []
    paired = "paired by scenario" if ruled is None else "by the indices of whole runs, missing verdicts left out"
    words = {"tested": len(holm), "margin": margin, "reading": said, "paired": paired}
    return table_layouts.made("comparisons/providers", rows, notes, **words)


def _tested(
    names: tuple[str, str], sides: tuple[ComparedSubject, ComparedSubject], gap: Difference | None, holm: float | None,
    *, margin: float, seen: Looks, indices: Mapping[str, float | None],
) -> tuple[Value, ...]:  # fmt: skip
    own, other = (indices[side.config] for side in sides)
    if own is None or other is None:
        holes = [
            f"{name} is incomplete, {lacking(side)}"
            for name, side in zip(names, sides, strict=True)
            if indices[side.config] is None
        ]
        return None, None, None, None, None, f"not compared: {'; '.join(holes)}"
    if gap is None:
        return own - other, None, None, None, None, "a scenario with one run has no spread"
    level, p = seen.level, None if holm is None else holm / seen.allowance
    said = outcome(gap, margin, names, p, level=level)
    near = None if holm is None else equivalence_p(gap, margin, level)
    return own - other, gap.interval(1 - level), tested_p(gap), holm, near, said
