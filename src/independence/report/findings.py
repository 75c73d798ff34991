"""What a report found, in sentences: each from its board or a table of its own, with the test or the interval."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any, Final

from independence.report import difficulty, point_kinds
from independence.report.board import Board
from independence.report.board_data import BoardData
from independence.report.comparison_tables import ALPHA, tested_p
from independence.report.difficulty import ScenarioDifficulty
from independence.report.legend import words
from independence.report.table import Block, Column, Table, display_text, escaped
from independence.stats.comparison import adjusted_by_name
from independence.stats.equating import mean_difference
from independence.stats.intervals import t_interval
from independence.suites.schema import Component, Suite

SENTENCES: Final = {
    "setting": "{model}: {higher} is {points:.1f} points above {lower} (95% interval {low:.1f} to {high:.1f}, {p}). "
    "It is the only tested pair of one model that differs in one setting.",
    "settings": "Of {tested} tested pairs of one model that differ in one setting, {significant} (Holm, 5%). The "
    "largest {of_those}difference: {model}, {higher} {points:.1f} points above {lower} (95% interval of this pair "
    "alone {low:.1f} to {high:.1f}, {p} after Holm).",
    "effect": "Effect of {effect} ({contrast}): {points:+.1f} points (95% interval {low:+.1f} to {high:+.1f} over "
    "{subjects} subjects).",
    "hardest": "The hardest of {scenarios} scenarios is {scenario}: {subjects} subjects keep {kept:.0f}% of it on "
    "average (95% interval {low:.0f} to {high:.0f}). {harder} "
    "(paired t tests over subjects, Holm over {tested} pairs, 5%).",
    "harder": "It is significantly harder than {harder} of the {others} others",
    "hardest_of_all": "It is significantly harder than each of the {others} others",
    "no_harder": "It is not significantly harder than any other",
    "judges": "The judges agree least on {least} and most on {most}. {overlap}.",
    "agreement": "{measure} (alpha {alpha:.2f}, 95% interval {low:.2f} to {high:.2f}; AC2 {ac2:.2f})",
    "evasion": "In {share:.1f}% of the dialogues asking for a position subjects take none (95% interval {low:.1f} to "
    "{high:.1f} over {subjects} subjects).",
    "weights": "Five points of the index equal, by its weights, {parts}.",
}
_FEWEST: Final = 3  # subjects over which a mean says something
_MOST: Final = 6  # sentences
_HEAVIEST: Final = 3  # components that a sentence names
Record = Mapping[str, Any]


def of_report(read: BoardData, board: Board, others: Iterable[Block]) -> list[str]:
    """At most six findings in Markdown, of a board with several subjects. `others`: tables of the same report."""
    if len(board.rows) < 2:
        return []
    rows = {one.id: [_record(one, row) for row in one.rows] for one in others if isinstance(one, Table)}
    found = [
        *([point_kinds.separates(board.top, board.kinds)] if board.top and board.kinds else []),
        *_settings([row for row in rows.get("providers", []) if row["p_holm"] is not None]),
        *_effects(rows.get("configuration-effects", [])),
        *_hardest(read.scope.suite, difficulty.kept(read)),
        *_judges(
            [row for row in rows.get("judge-agreement-dimensions", []) if row["alpha_ci"] and row["ac2"] is not None]
        ),
        *_evasion([row.evades for row in board.rows if isinstance(row.evades, float)]),
    ]
    found += _weights(read.frame.index.components) if found else []  # a fact of the suite: beside findings alone
    return [escaped(one) for one in found[:_MOST]]


def _record(table: Table, row: Sequence[Any]) -> Record:
    return dict(zip((column.key for column in table.columns), row, strict=True))


def _settings(tested: Sequence[Record]) -> list[str]:
    """The pair that differs most, of those that differ significantly where there are any."""
    significant = sum(row["p_holm"] < ALPHA for row in tested)
    row = max(tested, key=lambda row: (row["p_holm"] < ALPHA, abs(row["difference"])), default=None)
    if row is None:
        return []
    names, ends = (row["first"], row["second"]), row["ci"]
    if row["difference"] < 0:
        names, ends = names[::-1], (-ends[1], -ends[0])
    differ = f"{significant or 'none'} {'do' if significant > 1 else 'does'} so significantly"
    return [
        SENTENCES["setting" if len(tested) == 1 else "settings"].format(
            model=row["model"], higher=names[0], lower=names[1], points=abs(row["difference"]), low=ends[0],
            high=ends[1], p=_p(row["p_holm"]), tested=len(tested), significant=differ,
            of_those="significant " * (significant > 1),
        )
    ]  # fmt: skip


def _p(value: float) -> str:
    text = display_text(Column("p", "p", "p"), value)
    return f"p {text}" if text.startswith("<") else f"p = {text}"


def _effects(effects: Sequence[Record]) -> list[str]:
    """What prompt and delivery do on average."""
    return [
        SENTENCES["effect"].format(
            effect=row["effect"], contrast=row["contrast"], points=row["points"], low=row["ci"][0], high=row["ci"][1],
            subjects=row["n"],
        )
        for row in effects
        if row["ci"] and row["n"] >= _FEWEST and row["effect"] != "interaction"
    ]  # fmt: skip


def _hardest(suite: Suite, questions: Sequence[ScenarioDifficulty]) -> list[str]:
    """Of which scenario subjects keep least, if there is one, and of how many others more; questions: hardest first."""
    asked = [one for one in questions if len(one.shares) >= _FEWEST]
    interval = t_interval([100 * share for share in asked[0].shares.values()]) if len(asked) > 1 else None
    if interval is None or asked[0].average == asked[1].average:
        return []
    ends = interval.within(0.0, 100.0)
    p = {
        (harder.scenario, easier.scenario): gap and tested_p(gap)
        for harder, easier in combinations(asked, 2)
        for both in [harder.shares.keys() & easier.shares.keys()]
        for gap in [mean_difference([easier.shares[config] - harder.shares[config] for config in sorted(both)])]
    }
    holm, first, others = adjusted_by_name(p, "holm"), suite.scenario(asked[0].scenario), len(asked) - 1
    harder = sum(value < ALPHA for (one, _), value in holm.items() if one == first.id)
    how = "no_harder" if not harder else "hardest_of_all" if harder == others else "harder"
    return [
        SENTENCES["hardest"].format(
            scenarios=len(asked), scenario=first.id if first.title in ("", first.id) else f"{first.id} ({first.title})",
            kept=asked[0].average, low=ends.low, high=ends.high,
            subjects=len(asked[0].shares), tested=len(holm),
            harder=SENTENCES[how].format(harder=harder, others=others),
        )
    ]  # fmt: skip


def _judges(measures: Sequence[Record]) -> list[str]:
    """The dimensions on which judges agree least and most."""
    if len(measures) < 2:
        return []
    order = sorted(measures, key=lambda row: row["alpha"])
    least, most = order[0], order[-1]
    apart = least["alpha_ci"][1] < most["alpha_ci"][0]
    said = [
        SENTENCES["agreement"].format(
            measure=words(row["measure"]), alpha=row["alpha"], low=row["alpha_ci"][0], high=row["alpha_ci"][1],
            ac2=row["ac2"],
        )
        for row in (least, most)
    ]  # fmt: skip
    overlap = "These intervals do not overlap" if apart else "These intervals overlap, so that may be chance"
    return [SENTENCES["judges"].format(least=said[0], most=said[1], overlap=overlap)]


def _evasion(shares: Sequence[float]) -> list[str]:
    """How often subjects take no stand."""
    interval = t_interval([100 * share for share in shares]) if len(shares) >= _FEWEST else None
    if interval is None:
        return []
    share = 100 * sum(shares) / len(shares)
    ends = interval.within(0.0, 100.0)
    return [SENTENCES["evasion"].format(share=share, low=ends.low, high=ends.high, subjects=len(shares))]


def _weights(components: Sequence[Component]) -> list[str]:
    """How far the heaviest components have to move for five points."""
    parts = []
    for part in sorted(components, key=lambda one: -one.weight)[:_HEAVIEST]:
        span = abs(part.best - part.worst)
        if part.weight >= 0.05:
            names = " and ".join(map(words, part.dimensions))
            parts.append(f"{0.05 / part.weight * span:.1f} of {span:g} in {names}")
    return [SENTENCES["weights"].format(parts=", or ".join(parts))] if parts else []
