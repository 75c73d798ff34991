"""Inspect AI: its command in a process of its own, and what its reader says of a log."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from collections.abc import Mapping
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest

from tests.e2e import command

PROJECT = Path(__file__).parents[2] / "pyproject.toml"


def needed() -> None:
    """Skip where Inspect AI or the entry point of this package, as it is now, is not installed."""
    pytest.importorskip("inspect_ai")
    declared = tomllib.loads(PROJECT.read_text("utf-8"))["project"]["entry-points"]["inspect_ai"]
    if not any(point.value == declared["independence"] for point in entry_points(group="inspect_ai")):
        pytest.skip("could not import the tasks by their entry point; pip install -e '.[inspect]'")


def run(*arguments: str | Path, cwd: Path, env: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """`inspect` with these arguments."""
    return subprocess.run(
        [sys.executable, "-m", "inspect_ai", *map(str, arguments)],
        cwd=cwd, env=command.environment(env), stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=command.PATIENCE_S, check=False,
    )  # fmt: skip


def evaluate(line: str, url: str, cwd: Path, model: str = "openai-api/loop/half") -> Path:
    """The log of `inspect eval` with these words on a model at `url`, which is the service `loop` and OpenAI's."""
    env = {
        f"{name}_{part}": value for name in ("LOOP", "OPENAI") for part, value in (("BASE_URL", url), ("API_KEY", "-"))
    }
    ended = run(
        "eval", *line.split(), "--model", model, "--log-dir", "logs", "--display", "plain", cwd=cwd, env=env
    )  # fmt: skip
    assert ended.returncode == 0, ended.stdout + ended.stderr
    (log,) = (cwd / "logs").glob("*.eval")
    return log


def score(line: str, log: Path, url: str, cwd: Path) -> Path:
    """The log that `inspect score` with these words makes of another one."""
    scored = cwd / f"{log.stem}-scored.eval"
    ended = run(
        "score", log, "--scorer", "independence/verdict", *line.split(), "--output-file", scored, "--display", "plain",
        cwd=cwd, env={"LOOP_BASE_URL": url, "LOOP_API_KEY": "none"},
    )  # fmt: skip
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return scored


def retry(log: Path, url: str, cwd: Path) -> Path:
    """The log that `inspect eval-retry` makes of one that did not finish."""
    env = {"LOOP_BASE_URL": url, "LOOP_API_KEY": "none"}
    ended = run("eval-retry", log, "--log-dir", "again", "--display", "plain", cwd=cwd, env=env)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    (made,) = (cwd / "again").glob("*.eval")
    return made


def read(log: Path) -> Any:
    """The log as Inspect's own reader gives it."""
    from inspect_ai.log import read_eval_log

    return read_eval_log(str(log))


def metrics(log: Any, place: int = 0) -> dict[str, Any]:
    """The numbers of a log by name, of the first scorer or another one."""
    return {name: metric.value for name, metric in log.results.scores[place].metrics.items()}


def calls(log: Any, model: str = "") -> list[Any]:
    """Every call of one model of the service `loop`, or of all."""
    events = [event for sample in log.samples for event in sample.events if event.event == "model"]
    return [event for event in events if model in ("", event.model.removeprefix("openai-api/loop/"))]
