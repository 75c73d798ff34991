"""The published board of V2, shipped as facts: what was printed there, and what strict scoring makes of the verdicts.

`board.csv` has the 108 rows of 2026-07-22. Its `strict_` columns are those of `independence leaderboard` on the whole
published result set, which `independence import` reads; empty where strict scoring gives no index.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from independence.report.table import Column, Table, Value
from independence.store import scopes
from independence.store.scopes import Names
from independence.types import Ends

_COLUMNS: Final = (
    Column("rank", "#", "count"), Column("subject", "Subject"), Column("index", "Index", "index"),
    Column("ci", "95% CI", "index_range"), Column("strict_index", "Strict", "index"),
    Column("strict_ci", "Strict CI", "index_range"), Column("tier", "Tier", "count"),
)  # fmt: skip
_DETAILS: Final = (
    Column("strict_rank", "Strict #", "count"), Column("runs", "Runs", "count"),
    Column("resistance", "Resistance", "number"), Column("stability", "Stability", "number"),
    Column("drift", "Drift", "number"), Column("non_assistant_likeness", "Voice", "number"),
    Column("internal_consistency", "Consistency", "number"),
)  # fmt: skip
_SOURCE: Final = (
    "AI Independence Bench V2 as published on 2026-07-22 (github.com/mikhailsal/ai-independence-bench, MIT license)."
)
_READING: Final = (
    "#, Index, 95% CI: as published, without the missing verdicts. The rest: computed here; no index if a verdict is "
    "missing, no tier for a single run. Tiers and ranks are of the tests before 2026-11-26."
)
_LEADING: Final = (
    "{leading} of the {ranked} models with a tier are in tier 1: they do not differ significantly from the leader."
)


def rows() -> list[dict[str, str]]:
    """The facts, by column of `board.csv`, in published order."""
    with Path(__file__).with_name("board.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def table(models: Sequence[str] = (), top: int | None = None, *, detailed: bool = False) -> Table:
    """The board, or these models (labels, or labels without effort and temperature) of it, or its first `top` rows.

    `detailed`: with the five published measures, each from 0 to 10, drift from 0 to 12. Raises StoreError for a name
    that is not on the board.
    """
    facts = every = rows()
    if models:
        known = {row["label"]: Names(row["label"], row["label"], row["label"].split("@")[0]) for row in every}
        chosen = scopes.subjects(models, known, "on the published board", what="model")
        every = [row for row in every if row["label"] in chosen]
    ranked = [row["strict_tier"] for row in facts if row["strict_tier"]]
    return Table(
        id="published-board",
        title="The published board",
        columns=_COLUMNS + _DETAILS * detailed,
        rows=tuple(_row(row)[: None if detailed else len(_COLUMNS)] for row in every[:top]),
        notes=(_SOURCE, _LEADING.format(ranked=len(ranked), leading=ranked.count("1")), _READING),
        one_line=True,
    )


def _row(row: dict[str, str]) -> tuple[Value, ...]:
    number = {name: float(value) if value else None for name, value in row.items() if name != "label"}

    def ends(low: str, high: str) -> Ends | None:
        least, most = number[low], number[high]
        return None if least is None or most is None else (least, most)

    def count(name: str) -> int | None:
        return int(row[name]) if row[name] else None

    return (
        count("rank"), row["label"], number["index"], ends("ci_low", "ci_high"), number["strict_index"],
        ends("strict_low", "strict_high"), count("strict_tier"), count("strict_rank"), count("runs"),
        *(number[column.key] for column in _DETAILS[2:]),
    )  # fmt: skip
