"""The metric: the row of a board of ours that the scores of an evaluation make.

A verdict that is missing has no values, never zeros, and what was not asked counts as planned: the metric has an index
exactly where a board of ours has one.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec
from inspect_ai.scorer import Metric, SampleScore, metric
from inspect_ai.util import registry_info

from independence.api.reading import Store
from independence.config.subjects import from_json
from independence.engine import pipeline, plan
from independence.engine.plan import Selection
from independence.errors import UsageError
from independence.exchange import logged, storing
from independence.extensions.inspect import suites
from independence.report import analysis
from independence.report.board.measures import SubjectMeasure
from independence.store.dialogues import Dialogue
from independence.store.file.database import transaction, writing
from independence.types import Condition, Where

PACKAGE: Final = "independence"
PAIRS: Final = ("bounds", "ci")  # of numbers on boards, low end first
RUNS: Final = "runs"  # key of a sample's metadata: how often its scenario is asked
STDERR: Final = "stderr"  # as Inspect calls the standard error of what comes first
_AMONG_OTHERS: Final = ("rank", "tier", "rank_bounds", "rank_ci")  # what a row says only beside others
_AGAIN: Final = ("ci", "bounds")  # which the first estimate has under its name
COST: Final = "cost_usd"


@metric(scores="unreduced")
def board() -> Metric:
    """The numbers of the row, of every verdict of the evaluation."""

    def row(scores: list[SampleScore]) -> dict[str, float]:
        held = [(one.sample_metadata or {}, _dialogue(one)) for one in scores]
        return _row([(about, own) for about, own in held if own is not None])

    return row


def named(name: str) -> str:
    """What to register as so that Inspect finds `independence/NAME`.

    Inspect puts the package in front where it is in site-packages. Of an editable installation it knows only those
    whose distribution is called like the package, and leaves the name as it is.
    """
    return name if "/" in registry_info(board).name else f"{PACKAGE}/{name}"


def _dialogue(one: SampleScore) -> Dialogue | None:
    return logged.of_metadata(one.score.metadata, logged.of_json)


def _row(held: list[tuple[Mapping[str, Any], Dialogue]]) -> dict[str, float]:
    """The numbers by name; what the board leaves open is left out."""
    configured = {own.config: own.configuration for _, own in held}
    if len(configured) != 1:
        return {}
    dialogues, about = [own for _, own in held], held[0][0]
    subject, job = from_json(next(iter(configured.values()))), suites.of_sample(about)
    runs = max([int(about.get(RUNS) or 1), *(own.run for own in dialogues)])
    (condition,) = {Condition(own.variant, own.mode) for own in dialogues}
    trials = plan.trials(job.suite, Selection((condition,), runs=runs), [subject])
    judge = next((verdict.judge for own in dialogues for verdict in own.verdicts), None)
    with tempfile.TemporaryDirectory(prefix="independence-") as folder:
        path = Path(folder, "row.db")
        with writing(path, new=True) as connection, transaction(connection):
            pipeline.write_plan(connection, msgspec.structs.replace(job, trials=trials))
            storing.write(connection, logged.rows(logged.edition(job), dialogues))
        with Store(path) as store:
            (numbers,) = rows(store, job.where.under(condition), judge).values()
    return numbers


def rows(store: Store, where: Where, judge: str | None) -> dict[str, dict[str, float]]:
    """The numbers of every row of the board of a condition, by config_dir, first what orders it, which Inspect shows.

    `stderr` is that of more runs of the same.

    Raises UsageError, StoreError for what has no board.
    """
    variant, mode = where.condition or (None, None)
    shown = store.board(where.edition_name, variant=variant, mode=mode, judge=judge)
    main = next((name for row in shown.rows for name in row.estimates), "")
    out = {str(row["config"]): dict(_numbers(({main: row[main]} if main else {}) | row)) for row in shown.records()}
    for config, own in _measures(store, where, judge).items():
        if own.value is not None and own.se is not None and config in out:
            out[config][STDERR] = own.se
    return out


def _measures(store: Store, where: Where, judge: str | None) -> Mapping[str, SubjectMeasure]:
    """The number that each subject comes to, and how sure it is; nothing where a suite has no such number."""
    if judge is None:
        return {}
    with store.reading() as connection:
        scope = store.scope(where.edition_name, *(where.condition or (None, None)))
        try:
            return analysis.of(scope.suite.analysis).measures(connection, scope, judge).subjects
        except UsageError:
            return {}


def _numbers(row: Mapping[str, object]) -> Iterator[tuple[str, float]]:
    """Numbers of a flat row by name; of an interval its ends."""
    for name, value in row.items():
        plain = name.removeprefix("dimensions_")
        if name in (*_AMONG_OTHERS, *_AGAIN) or name.endswith("_n") or (name == COST and not value):
            continue  # Inspect knows a cost where it was told prices: 0 is a cost that nobody knows
        if isinstance(value, int | float) and not isinstance(value, bool):
            yield plain, float(value)
        elif name.endswith(PAIRS) and isinstance(value, list | tuple):
            low, high = value
            yield f"{name}_low", float(low)
            yield f"{name}_high", float(high)
