"""The structured log of a stored run: the entries that `--log` writes while a run goes on, in the order of time.

Answers are not in it, nor what an error said: that is in the records.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import msgspec

from independence.engine.log import Entry
from independence.exchange.rent.stored import Kept, Run


def lines(run: Run) -> list[bytes]:
    """JSON, one entry a line: what was asked of each model, every call, retry and verdict, and how it ended.

    Prompts in the same words were asked once and stand here once.
    """
    calls = [kept for kept in run.kept if not kept.repeated]
    entries = sorted((entry for kept in calls for entry in _of(run, kept)), key=lambda entry: entry.time)
    began, ended = (entries[0].time, entries[-1].time) if entries else ("", "")
    asked = Counter(kept.rated.model for kept in calls)
    planned = [Entry(time=began, level="info", event="planned", model=name, calls=asked[name]) for name in asked]
    scored = sum(kept.rated.score is not None for kept in calls)
    end = Entry(time=ended, level="info", event="stopped", status="done", calls=len(calls), verdicts=scored)
    return [msgspec.json.encode(entry) for entry in (*planned, *entries, end)]


def _of(run: Run, kept: Kept) -> Iterator[Entry]:
    said, judged = kept.answer, kept.judged
    call = Entry(
        time=str(said["timestamp_iso"] or ""), level="info" if kept.missing is None else "warning", event="call",
        model=kept.rated.model, subject=kept.rated.model, condition=run.place.condition, scenario=kept.scenario,
        run=kept.run, status=kept.missing or "ok", attempt=len(kept.attempts) or None,
        seconds=_seconds(said["latency_ms"]), cost=_number(said["cost_usd"]),
    )  # fmt: skip
    for number, tried in enumerate(kept.attempts[:-1], start=1):
        yield msgspec.structs.replace(
            call, level="warning", event="retry", attempt=number, status=tried.outcome, seconds=round(tried.seconds, 3),
            cost=None,
        )  # fmt: skip
    yield call
    if judged is not None and kept.missing is None:
        there = kept.rated.score is not None
        yield msgspec.structs.replace(
            call, time=str(judged["eval_timestamp_iso"] or call.time), level="info" if there else "warning",
            event="verdict", model=run.judge, attempt=None, status="ok" if there else kept.unscored,
            seconds=_seconds(judged["eval_latency_ms"]), cost=_number(judged["eval_cost_usd"]),
        )  # fmt: skip


def _seconds(milliseconds: object) -> float | None:
    return round(milliseconds / 1000, 3) if isinstance(milliseconds, int | float) else None


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None
