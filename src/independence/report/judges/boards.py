"""One index a judge, side by side, and what each judge cost."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from statistics import fmean

from independence.report.judges.panel import JudgePanel
from independence.report.study import scored
from independence.report.table import Column, Table, Value
from independence.stats import strict
from independence.store import judge_records

_SHORT = 10  # characters


def boards(panel: JudgePanel) -> Table:
    """Strict index and rank of each subject under each judge; best mean first, subjects without one after them."""
    indices = indices_by_judge(panel)
    ranks = {judge: _ranks(own) for judge, own in indices.items()}
    rows: list[tuple[float | None, tuple[Value, ...]]] = []
    for config, who in panel.about.items():
        own = [indices[judge][config] for judge in panel.judges]
        known = [index for index in own if index is not None]
        whole = len(known) == len(own)
        spread, mean = (max(known) - min(known), fmean(known)) if whole else (None, None)
        row = (who.name, *own, spread, mean, *(ranks[judge].get(config) for judge in panel.judges))
        rows.append((mean, row))
    rows.sort(key=lambda pair: -1.0 if pair[0] is None else pair[0], reverse=True)
    heads = _heads(panel)
    columns = (
        Column("subject", "Subject"),
        *(Column(f"index:{judge}", head, "number") for judge, head in heads.items()),
        Column("spread", "Spread", "number"),
        Column("mean", "Mean", "number"),
        *(Column(f"rank:{judge}", f"# {head}", "count") for judge, head in heads.items()),
    )
    notes = ["Spread: highest minus lowest index. Ranks are among the subjects that are complete under that judge."]
    if heads != panel.heads:
        notes.append(", ".join(f"{head}: {judge}" for judge, head in heads.items()) + ".")
    if any(mean is None for mean, _ in rows):
        notes.append("—: verdicts of that judge are missing; `independence leaderboard --judge NAME` says which.")
    return Table("judge-boards", "Boards by judge", columns, tuple(row for _, row in rows), tuple(notes))


def _heads(panel: JudgePanel) -> dict[str, str]:
    """Names where all are short, else letters: two columns a judge have to leave room for the subject."""
    if all(len(head) <= _SHORT for head in panel.heads.values()):
        return panel.heads
    return {judge: chr(ord("A") + place % 26) * (1 + place // 26) for place, judge in enumerate(panel.judges)}


def indices_by_judge(panel: JudgePanel) -> dict[str, dict[str, float | None]]:
    """Judge -> config_dir -> strict index, None where a verdict is missing."""
    frame = strict.frame(panel.scope.suite)
    return {
        judge: {config: strict.score(frame, scored(panel.planned[judge][config])).index for config in panel.about}
        for judge in panel.judges
    }


def _ranks(indices: Mapping[str, float | None]) -> dict[str, int]:
    known = {config: index for config, index in indices.items() if index is not None}
    return {config: 1 + sum(other > index for other in known.values()) for config, index in known.items()}


def costs(connection: sqlite3.Connection, panel: JudgePanel) -> Table:
    """Verdicts and dollars of each judge on the panel's subjects."""
    scope = panel.scope
    spent = judge_records.spending(connection, scope.where)
    rows: list[tuple[Value, ...]] = []
    foreign = []
    for judge in panel.judges:
        own = [one for one in spent if one.judge == judge and one.config_dir in panel.about]
        verdicts, missing = sum(one.verdicts for one in own), sum(one.missing for one in own)
        dollars = sum(one.cost_usd for one in own)
        valid = verdicts - missing
        rows.append((judge, verdicts, missing, dollars, 1000 * dollars / valid if valid else None))
        if any(one.published for one in own):
            foreign.append(judge)
    columns = (
        Column("judge", "Judge"),
        Column("verdicts", "Verdicts", "count"),
        Column("missing", "Missing", "count"),
        Column("cost_usd", "Cost", "dollars", 4),
        Column("usd_per_1000", "Per 1,000 valid", "dollars", 2),
    )
    notes = ["Cost holds failed calls and answers nobody could read."]
    if foreign and len(foreign) < len(panel.judges):
        notes.append(f"{', '.join(foreign)} graded by the published rubric texts, other judges by this suite's.")
    return Table("judge-costs", "What the judges cost", columns, tuple(rows), tuple(notes))
