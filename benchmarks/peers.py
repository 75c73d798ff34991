"""CPU and makespan of the same calls by other harnesses and clients, beside ours, in one run.

Two-turn dialogues of the stability experiment as plain messages, each graded by a model, 200 calls in flight, answers
after a quarter of a second, the endpoint in a process of its own. CPU is marginal, as in `floor`: what 3,600 calls take
beyond 1,200, over their difference, of all threads and child processes. Makespan is that of the 3,600 calls over what
nobody can beat, calls x latency / in flight. Ours does more than any of them: it checks the endpoint, plans, prices,
and keeps every reply and verdict in a store.

Inspect AI runs in this environment (extra `bench`); the others run in `.venv/peers`, which `make bench` fills with what
installs, or in the one that BENCH_PEERS names. Whoever is not there is skipped. All of them as they come, untuned.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import msgspec

from benchmarks.endpoint import endpoint
from benchmarks.figure import Figure, Result, Skipped
from benchmarks.own_run import IN_FLIGHT, LATENCY_S, SUBJECTS, Meter, Spent, apart, in_process, ours
from independence.engine import plan
from independence.suites import load
from independence.suites.load import LoadedSuite
from independence.suites.script import DialogueScript

SHORT, LONG = 400, 1200  # dialogues, of three calls each
INSPECT = "Inspect AI"
INSPECT_BOUND = 15.0
CLIENTS = Path(__file__).parent / "peer_clients.py"
# The name of each of the others, the module it needs there, or the command.
OTHERS = {
    "openai client, threads": "openai",
    "openai client, async": "openai",
    "litellm": "litellm",
    "lm-evaluation-harness": "lm_eval",
    "promptfoo": "promptfoo",
}


class Took(NamedTuple):
    """What one peer took."""

    cpu_ms: float  # of one more call
    makespan: float  # over calls x latency / in flight


def measure() -> list[Result]:
    """Ours and each peer; the ratio of CPU to Inspect AI, and of makespans to whoever is next to us."""
    own = _took(lambda dialogues: apart(partial(_ours, dialogues=dialogues)))
    results: list[Result] = [_cpu("ours", own)]
    found: dict[str, Took] = {}
    for name in (INSPECT, *OTHERS):
        missing = _missing(name)
        if missing:
            results.append(Skipped(f"CPU per call, {name}", missing))
            continue
        found[name] = _took(_inspected if name == INSPECT else partial(_peer, name))
        results.append(_cpu(name, found[name]))
    if INSPECT in found:
        ratio = found[INSPECT].cpu_ms / own.cpu_ms
        results.append(Figure("CPU per call, Inspect AI / ours", ratio, "x", INSPECT_BOUND, "higher"))
    if found:
        best = min(found, key=lambda name: found[name].makespan)
        ratio = own.makespan / found[best].makespan
        results.append(Figure("makespan, ours / next peer", ratio, "x", 1.0, detail=f"next: {best}"))
    return results


def _cpu(name: str, took: Took) -> Figure:
    return Figure(f"CPU per call, {name}", took.cpu_ms, "ms", detail=f"makespan {took.makespan:.2f} x bound")


def _took(work: Callable[[int], Spent]) -> Took:
    short, long = work(SHORT), work(LONG)
    bound = long.calls * float(LATENCY_S) / IN_FLIGHT
    return Took(1000 * (long.cpu_s - short.cpu_s) / (long.calls - short.calls), long.wall_s / bound)


def _ours(url: str, folder: Path, dialogues: int) -> Spent:
    return ours(url, folder, mode="user_role", runs=dialogues // len(SUBJECTS) // len(_dialogues()[1]))


def _dialogues() -> tuple[LoadedSuite, list[DialogueScript]]:
    loaded = load.load("v2")
    return loaded, plan.dialogues(loaded.suite, plan.select(loaded.suite, [], ["user_role"], 1, ["stability"]))


def _inspected(dialogues: int) -> Spent:
    with tempfile.TemporaryDirectory() as folder, endpoint(LATENCY_S) as url:
        return in_process(partial(_evaluated, dialogues=dialogues), url, Path(folder))


def _evaluated(url: str, folder: Path, dialogues: int) -> Spent:
    from benchmarks.harness import evaluate

    loaded, own = _dialogues()
    meter = Meter()
    return meter.spent(evaluate(loaded.suite, own, dialogues // len(own), url, folder, IN_FLIGHT))


def _peer(name: str, dialogues: int) -> Spent:
    loaded, own = _dialogues()
    told = [
        {"system": one.system, "first": one.turns[0].human, "second": one.turns[1].human,
         "judge": loaded.suite.rubrics[one.scenario.rubric].prompt}
        for one in own
    ]  # fmt: skip
    with tempfile.TemporaryDirectory() as folder, endpoint(LATENCY_S) as url:
        work = Path(folder) / "work.json"
        work.write_bytes(msgspec.json.encode(told))
        command = [str(_python()), str(CLIENTS), name, url, str(work), str(dialogues), str(IN_FLIGHT)]
        done = subprocess.run(command, env=_environment(), capture_output=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{name} failed: {done.stderr.decode(errors='replace')[-2000:]}")
    line = msgspec.json.decode(done.stdout.splitlines()[-1], type=dict[str, float])
    return Spent(int(line["calls"]), line["cpu_s"], line["wall_s"], 0)


def _folder() -> Path:
    return Path(os.environ.get("BENCH_PEERS") or Path(sys.prefix) / "peers")


def _python() -> Path:
    return _folder() / "bin" / "python"


def _environment() -> dict[str, str]:
    path = f"{_folder() / 'node_modules' / '.bin'}{os.pathsep}{os.environ.get('PATH', '')}"
    return os.environ | {"PATH": path, "LITELLM_LOCAL_MODEL_COST_MAP": "True", "PYTHONPATH": ""}


def _missing(name: str) -> str:
    """Why a peer cannot run here; empty where it can."""
    if name == INSPECT:
        there = find_spec("inspect_ai") is not None and find_spec("openai") is not None
        return "" if there else "inspect-ai or openai is not installed; `make bench` installs them"
    if not _python().exists():
        return "no environment of the peers; `make bench` makes one"
    if OTHERS[name] == "promptfoo":
        return "" if shutil.which("promptfoo", path=_environment()["PATH"]) else "promptfoo is not installed"
    found = subprocess.run(
        [_python(), "-c", f"import importlib.util as i, sys; sys.exit(i.find_spec({OTHERS[name]!r}) is None)"],
        env=_environment(), check=False,
    )  # fmt: skip
    return f"{OTHERS[name]} is not installed there" if found.returncode else ""
