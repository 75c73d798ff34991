"""Inspect AI in a process of its own: its command, and what its reader says of a log."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest

from tests.e2e import command

_READ = """
import json, sys
from inspect_ai.log import read_eval_log
log = read_eval_log(sys.argv[1])
calls = [e for s in log.samples for e in s.events if e.event == "model"]
json.dump({
    "status": log.status, "task": log.eval.task, "version": log.eval.task_version, "model": log.eval.model,
    "metrics": {n: m.value for n, m in log.results.scores[0].metrics.items()} if log.results else {},
    "samples": [{
        "id": s.id, "epoch": s.epoch, "error": s.error and s.error.message,
        "roles": [m.role for m in s.messages], "texts": [m.text for m in s.messages], "output": s.output.completion,
        "usage": {n: u.model_dump() for n, u in s.model_usage.items()},
        "scores": {n: {"value": c.value, "explanation": c.explanation, "reason": c.reason, "answer": c.answer}
                   for n, c in (s.scores or {}).items()},
    } for s in log.samples],
    "calls": [{
        "model": c.model, "id": c.output.response_id, "config": c.config.model_dump(exclude_none=True),
        "request": c.call.request if c.call else None,
    } for c in calls],
}, sys.stdout)
"""


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


def evaluate(task: str, url: str, *options: str, cwd: Path, model: str = "half", logs: str = "logs") -> Path:
    """The log of `inspect eval TASK` on a model of the endpoint at `url`, which is the service `loop`."""
    ended = run(
        "eval", task, "--model", f"openai-api/loop/{model}", "--log-dir", logs, "--display", "plain", *options,
        cwd=cwd, env={"LOOP_BASE_URL": url, "LOOP_API_KEY": "none"},
    )  # fmt: skip
    assert ended.returncode == 0, ended.stdout + ended.stderr
    (log,) = (cwd / logs).glob("*.eval")
    return log


def read(log: Path) -> dict[str, Any]:
    """What Inspect's reader says of a log."""
    ended = subprocess.run(
        [sys.executable, "-c", _READ, str(log)],
        env=command.environment(), capture_output=True, text=True, timeout=command.PATIENCE_S, check=False,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout)
