"""A run on two Ray workers beside one in a single process: calls a second, and the CPU of the process that writes."""

from __future__ import annotations

import os
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import independence
from benchmarks.endpoint import endpoint
from benchmarks.figure import Figure, Result, Skipped
from independence.engine.events import CallCommitted, VerdictCommitted

_RUNS, _CALLS = 25, 50
_MODELS = ("half", "never", "always", "yield-20")
_ENDPOINT = "endpoints:\n  - {{name: loop, base_url: '{url}', dialect: local, max_concurrency: 200}}\n"


def measure() -> list[Result]:
    """Both on the same endpoint, one after the other, from the first reply to the last verdict."""
    speed, cpu = (f"{what}: 2 Ray workers / one process" for what in ("calls per second", "CPU of the writing process"))
    if find_spec("ray") is None:
        return [Skipped(speed, "Ray is not installed"), Skipped(cpu, "Ray is not installed")]
    with tempfile.TemporaryDirectory() as folder, endpoint("0.05") as url:
        models = Path(folder) / "models.yaml"
        models.write_text(_ENDPOINT.format(url=url))
        alone = _run(Path(folder) / "local.db", models)
        shared = _run(Path(folder) / "ray.db", models, executor="ray", ray_workers=2)
    rates = f"{shared.per_second:,.0f} and {alone.per_second:,.0f} a second; {os.cpu_count()} cores, endpoint included"
    costs = f"{shared.cpu_ms:.2f} and {alone.cpu_ms:.2f} ms a call"
    return [
        Figure(speed, shared.per_second / alone.per_second, "x", better="higher", detail=rates),
        Figure(cpu, shared.cpu_ms / alone.cpu_ms, "x", detail=costs),
    ]


class Pace(NamedTuple):
    """How fast calls were settled, and what each took of this process's CPU."""

    per_second: float
    cpu_ms: float


def _run(store: Path, models: Path, **settings: Any) -> Pace:
    times: list[tuple[float, float]] = []

    def on_event(event: independence.Event) -> None:
        if isinstance(event, CallCommitted | VerdictCommitted):
            times.append((time.perf_counter(), time.process_time()))

    asked = [f"loop/{model}" for model in _MODELS]
    ended = independence.run(
        "v2", models=asked, judges=["loop/judge"], runs=_RUNS, parallel_tasks=_CALLS, models_file=models, store=store,
        on_event=on_event, **settings,
    )  # fmt: skip
    assert ended.complete
    seconds, cpu = (last - first for first, last in zip(times[0], times[-1], strict=True))
    return Pace(len(times) / seconds, 1000 * cpu / len(times))
