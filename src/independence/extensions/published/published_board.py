"""The published board of V2 beside what strict scoring makes of the same verdicts, computed from the shipped values."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from independence.exchange.storing import write
from independence.extensions.published import shipped
from independence.report.board import board, board_data, index_tables, verdict_frame
from independence.report.board.board import IndexBoard
from independence.report.files.table import Column, Table
from independence.store import scopes
from independence.store.file.database import transaction, writing
from independence.store.queries import PUBLISHED
from independence.store.scopes import BoardScope, Names
from independence.suites import load
from independence.suites.schema import Suite
from independence.suites.without_texts import without_texts
from independence.types import Condition, Where

_COLUMNS: Final = (
    Column("rank", "#", "count"), Column("subject", "Subject"), Column("index", "Index", "index"),
    Column("ci", "95% CI", "index_range"), Column("strict_index", "Strict", "index"),
    Column("strict_ci", "Strict CI", "index_range"), Column("tier", "Tier", "count"),
)  # fmt: skip
_DETAILS: Final = (Column("strict_rank", "Strict #", "count"), Column("runs", "Runs", "count"))
_SCORED: Final = (
    "#, Index, 95% CI: as published, missing verdicts left out. Strict, Tier: no index where a verdict is missing, no "
    "tier for a single run."
)
_LEADING: Final = (
    "{leading} of the {ranked} models with a tier are in tier 1: they do not differ significantly from the leader."
)


def boards(suite: Suite) -> tuple[IndexBoard, IndexBoard]:
    """All shipped verdicts, by the published rule and strictly scored: what `leaderboard` makes of their import."""
    condition = Condition(suite.default.variant, suite.default.mode)
    scope = BoardScope(without_texts(suite), Where(suite.suite, PUBLISHED, condition))
    with tempfile.TemporaryDirectory() as folder, writing(Path(folder, "names.db"), new=True) as connection:
        with transaction(connection):
            write(connection, shipped.rows(suite, dialogues=False))
        verdicts = verdict_frame.of_cells(shipped.planned(suite), shipped.JUDGE)
        data = board_data.of_verdicts(connection, scope, verdicts)
    return board.of_data(data, scoring="published"), board.of_data(data)


def table(models: Sequence[str] = (), top: int | None = None, *, detailed: bool = False) -> Table:
    """The board, or these models (labels, or labels without effort and temperature) of it, or its first `top` rows.

    `detailed`: with the five published measures, each from 0 to 10, drift from 0 to 12. Raises StoreError for a name
    that is not on the board.
    """
    suite = load.load("v2").suite
    published, strict = boards(suite)
    assert suite.index is not None
    known = {row.config: Names(row.config, row.label, row.label.split("@")[0]) for row in published.rows}
    chosen = scopes.subjects(models, known, "on the published board", what="model") if models else known
    ours = {row.config: row for row in strict.rows}
    tiers = [row.standing.tier for row in ours.values() if row.standing.tier]
    shown = [row for row in published.rows if row.config in chosen]
    parts = index_tables.components(suite.index) if detailed else []
    rows = [
        (
            row.standing.rank, row.label, row.main.value, row.main.interval, own.main.value, own.main.interval,
            own.standing.tier, *((own.standing.rank, row.runs) if detailed else ()),
            *(index_tables.column(part, row) for part in suite.index.components if detailed),
        )
        for row in shown[:top]
        for own in [ours[row.config]]
    ]  # fmt: skip
    return Table(
        id="published-board",
        title="The published board",
        columns=(*_COLUMNS, *_DETAILS * detailed, *parts),
        rows=tuple(rows),
        notes=(
            _LEADING.format(ranked=len(tiers), leading=tiers.count(1)),
            *([strict.prompt_note] if strict.prompt_note else []),
            f"{_SCORED} Verdicts: {shipped.source()}.",
        ),
        one_line=True,
    )
