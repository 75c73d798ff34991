"""Inspect AI in a process of its own: its command, and what its reader says of a log."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest

from tests.e2e import command


def needed() -> None:
    """Skip where Inspect AI or the entry point of this package is not installed."""
    pytest.importorskip("inspect_ai")
    if not any(point.name == "independence" for point in entry_points(group="inspect_ai")):
        pytest.skip("could not import the tasks by their entry point; pip install -e '.[inspect]'")


def run(*arguments: str | Path, cwd: Path, env: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """`inspect` with these arguments."""
    return subprocess.run(
        [sys.executable, "-m", "inspect_ai", *map(str, arguments)],
        cwd=cwd, env=command.environment(env), stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=command.PATIENCE_S, check=False,
    )  # fmt: skip


def evaluate(line: str, url: str, cwd: Path) -> Path:
    """The log of `inspect eval` with these words on the model `half` of the endpoint at `url`."""
    ended = run(
        "eval", *line.split(), "--model", "openai-api/loop/half", "--log-dir", "logs", "--display", "plain",
        cwd=cwd, env={"LOOP_BASE_URL": url, "LOOP_API_KEY": "none"},
    )  # fmt: skip
    assert ended.returncode == 0, ended.stdout + ended.stderr
    (log,) = (cwd / "logs").glob("*.eval")
    return log


def read(log: Path) -> dict[str, Any]:
    """What Inspect's reader says of a log."""
    from inspect_ai.log import read_eval_log

    found = read_eval_log(str(log))
    return {
        "status": found.status,
        "task": found.eval.task,
        "model": found.eval.model,
        "metrics": {name: metric.value for name, metric in found.results.scores[0].metrics.items()},
        "samples": [_sample(sample) for sample in found.samples],
        "calls": [_call(event) for sample in found.samples for event in sample.events if event.event == "model"],
    }


def _sample(sample: Any) -> dict[str, Any]:
    scores = {
        name: {"value": score.value, "explanation": score.explanation, "reason": score.reason}
        for name, score in (sample.scores or {}).items()
    }
    return {
        "id": sample.id,
        "roles": [message.role for message in sample.messages],
        "texts": [message.text for message in sample.messages],
        "output": sample.output.completion,
        "usage": {name: used.model_dump() for name, used in sample.model_usage.items()},
        "scores": scores,
    }


def _call(event: Any) -> dict[str, Any]:
    return {
        "model": event.model,
        "id": event.output.response_id,
        "config": event.config.model_dump(exclude_none=True),
        "request": event.call.request if event.call else {},
    }
