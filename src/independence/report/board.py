"""The board: one row a subject, complete subjects ranked, incomplete ones listed after them by their lower bound."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence

import msgspec

from independence.errors import UsageError
from independence.report import cells
from independence.report.cells import Planned
from independence.report.place import Place
from independence.stats import published, strict
from independence.stats.published import ScoredVerdict, SubjectRuns
from independence.stats.rules import RULES
from independence.stats.strict import Cell
from independence.store import queries

STRICT = "strict"
SCORINGS = (STRICT, "published", *RULES)


class Row(msgspec.Struct, frozen=True):
    """One subject. Numbers are unrounded except where a published rule rounds; index, bounds and ci on 0-100."""

    rank: int | None
    label: str
    config: str
    index: float | None
    bounds: tuple[float, float]
    ci: tuple[float, float] | None
    ci_method: str
    runs: int
    complete_runs: int
    coverage: float
    simulated: bool
    flags: dict[str, int]
    cost_usd: float
    per_run: tuple[float, ...]
    dimensions: dict[str, float | None]


class Board(msgspec.Struct, frozen=True):
    """A ranked table under one condition, scoring and judge."""

    suite: str
    edition: str
    condition: str
    scoring: str
    judge: str | None
    generalises_to: str
    rows: tuple[Row, ...]


def board(connection: sqlite3.Connection, place: Place, scoring: str = STRICT, judge: str | None = None) -> Board:
    """Score every subject of a place. Raises UsageError for a rule the suite cannot feed."""
    if place.suite.index is None:
        raise UsageError(f"suite {place.suite.suite} declares no index, so it has no board of this kind")
    table = cells.table(connection, place, judge)
    by_subject: dict[str, list[Planned]] = {}
    for cell in table.planned:
        by_subject.setdefault(cell.config_dir, []).append(cell)
    where = (place.suite.suite, place.edition)
    about = queries.subjects(connection, *where)
    costs = queries.costs(connection, *where, (place.variant, place.mode))
    rows = _strict(place, by_subject) if scoring == STRICT else _published(place, by_subject, scoring)
    named = [
        msgspec.structs.replace(
            row,
            label=about[row.config][0],
            simulated=about[row.config][2],
            cost_usd=costs.get(row.config, 0.0),
        )
        for row in rows
    ]
    return Board(
        place.suite.suite, place.edition, place.condition, scoring, table.judge, "these-scenarios", tuple(named)
    )


def _strict(place: Place, by_subject: Mapping[str, Sequence[Planned]]) -> list[Row]:
    frame = strict.frame(place.suite)
    rows = []
    for config_dir, own in by_subject.items():
        scored = strict.score(frame, [Cell(c.scenario, c.run, c.values) for c in own])
        ci = strict.interval(scored)
        rows.append(
            Row(
                None, config_dir, config_dir, scored.index, scored.bounds, ci,
                "t-runs" if ci else "none", scored.runs, scored.complete_runs, scored.coverage, False,
                _flags(own), 0.0, scored.per_run, scored.dimensions,
            )
        )  # fmt: skip
    ranked = sorted((row for row in rows if row.index is not None), key=lambda row: (-(row.index or 0), row.config))
    others = sorted((row for row in rows if row.index is None), key=lambda row: (-row.bounds[0], row.config))
    return [msgspec.structs.replace(row, rank=rank) for rank, row in enumerate(ranked, start=1)] + others


def _published(place: Place, by_subject: Mapping[str, Sequence[Planned]], scoring: str) -> list[Row]:
    assert place.suite.index is not None
    if scoring not in SCORINGS:
        raise UsageError(f"no scoring rule `{scoring}`; choose one of {', '.join(SCORINGS)}")
    name = place.suite.index.published_rule if scoring == "published" else scoring
    rule = RULES.get(name or "")
    if rule is None:
        raise UsageError(f"suite {place.suite.suite} was never published under a rule of its own; use --scoring strict")
    have = {field for rubric in place.suite.rubrics.values() for field in rubric.fields}
    lacking = sorted(rule.fields - have)
    if lacking:
        raise UsageError(f"--scoring {scoring} needs the field {lacking[0]}, which suite {place.suite.suite} lacks")
    subjects = [SubjectRuns(config_dir, _runs(own)) for config_dir, own in sorted(by_subject.items())]
    frame = strict.frame(place.suite)
    rows = []
    for rank, row in enumerate(published.published_board(subjects, rule), start=1):
        own = by_subject[row.config_dir]
        scored = strict.score(frame, [Cell(c.scenario, c.run, c.values) for c in own])
        rows.append(
            Row(
                rank, row.config_dir, row.config_dir, row.index, scored.bounds, row.ci,
                "published-bootstrap" if row.ci else "none", row.runs, scored.complete_runs, scored.coverage, False,
                _flags(own), 0.0, row.per_run, dict(row.dimensions),
            )
        )  # fmt: skip
    return rows


def _runs(own: Sequence[Planned]) -> tuple[list[ScoredVerdict], ...]:
    runs: dict[int, list[ScoredVerdict]] = {}
    for cell in own:
        if cell.given is not None:
            runs.setdefault(cell.run, []).append(ScoredVerdict(cell.scenario, cell.experiment, cell.given))
    return tuple(runs[run] for run in sorted(runs))


def _flags(own: Sequence[Planned]) -> dict[str, int]:
    counts = Counter(flag for cell in own for flag in cell.flags)
    missing = {f"missing:{reason}": n for reason, n in cells.reasons(own).items()}
    return dict(sorted(counts.items())) | missing
