"""The metric: the row of a board of ours that the scores of an evaluation make.

A verdict that is missing has no values, never zeros, and what was not asked counts as planned: the metric has an index
exactly where a board of ours has one.
"""

from __future__ import annotations

import re
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
from independence.exchange import logged, storing
from independence.exchange.logged import LoggedDialogue
from independence.extensions.inspect import suites
from independence.store.database import transaction, writing
from independence.types import Condition

PACKAGE: Final = "independence"
PAIRS: Final = ("bounds", "ci")  # of numbers on boards, low end first
RUNS: Final = "runs"  # key of a sample's metadata: how often its scenario is asked
STDERR: Final = "stderr"  # as Inspect calls the standard error of what comes first
_AMONG_OTHERS: Final = ("rank", "tier")  # what a row says only beside others
_COST: Final = "cost_usd"


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


def _dialogue(one: SampleScore) -> LoggedDialogue | None:
    found: LoggedDialogue | None = logged.of_metadata(one.score.metadata, LoggedDialogue)
    return found


def _row(held: list[tuple[Mapping[str, Any], LoggedDialogue]]) -> dict[str, float]:
    """The numbers by name; what the board leaves open is left out."""
    configured = {own.subject.config_dir: own.subject.config for _, own in held}
    if len(configured) != 1:
        return {}
    dialogues, about = [own for _, own in held], held[0][0]
    subject, job = from_json(next(iter(configured.values()))), suites.of_sample(about)
    runs = max([int(about.get(RUNS) or 1), *(own.trial.run for own in dialogues)])
    (condition,) = {Condition(own.trial.variant, own.trial.mode) for own in dialogues}
    trials = plan.trials(job.suite, Selection((condition,), runs=runs), [subject])
    judge = next((verdict.judge for own in dialogues for verdict in own.verdicts), None)
    with tempfile.TemporaryDirectory(prefix="independence-") as folder:
        path = Path(folder, "row.db")
        with writing(path, new=True) as connection, transaction(connection):
            pipeline.write_plan(connection, msgspec.structs.replace(job, trials=trials))
            storing.write(connection, logged.rows(logged.edition(job), dialogues))
        with Store(path) as held_store:
            shown = held_store.board(f"{job.where.suite}@{job.where.edition}", judge=judge)
            return dict(numbers(next(shown.records())))


def numbers(row: Mapping[str, object]) -> Iterator[tuple[str, float]]:
    """Numbers of a flat row by name; of a pair its ends, of an estimate its value and the ends of its interval."""
    for name, value in row.items():
        plain = re.sub(r"^dimensions\.", "", name)
        if isinstance(value, int | float) and not isinstance(value, bool) and name not in _AMONG_OTHERS:
            yield plain, float(value)
        elif isinstance(value, Mapping) and "est" in value:
            yield from numbers({name: value["est"], f"{name}_ci": value["ci"]})
        elif name.endswith(PAIRS) and isinstance(value, list | tuple):
            low, high = value
            yield f"{name}_low", float(low)
            yield f"{name}_high", float(high)
