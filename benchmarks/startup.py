"""How long commands and imports take to start, against `python -c pass`: `--help` by the clock, the others in CPU."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from benchmarks.figure import Figure, Result, spread

ROUNDS = 15
BOUND_MS = 150.0
BOUND_CPU = 25.0
_BARE = (sys.executable, "-c", "pass")
# What is imported, and the most milliseconds of CPU that it may take.
_IMPORTS = {"independence": 50.0, "independence.run": 450.0}
_COMMANDS = (
    "suites", "models", "leaderboard", "show sim/half", "compare sim/never sim/half", "validate-judges",
    "export exported --format csv --force", "label-sample sample.csv --force",
)  # fmt: skip
_STORE = "run --suite v2 -m sim/half,sim/never -e identity --runs 2 -j cues -j sim/judge --quiet"  # 20 dialogues


def measure() -> list[Result]:
    """The median of pairs: milliseconds more for `--help` and imports, how many times the CPU for each command."""
    program = (sys.executable, "-m", "independence")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _spent((*program, "--help"), folder)  # byte code is written once
        pairs = [(_spent(_BARE, folder), _spent((*program, "--help"), folder)) for _ in range(ROUNDS)]
        more = [1000 * (own[0] - bare[0]) for bare, own in pairs]
        detail = f"{spread(more, 'ms', 0)}; `python -c pass` {1000 * median(bare[0] for bare, _ in pairs):.0f} ms"
        found: list[Result] = [
            Figure("independence --help, more than python -c pass", median(more), "ms", BOUND_MS, detail=detail)
        ]
        found += [_import(name, bound, folder) for name, bound in _IMPORTS.items()]
        _spent((*program, *_STORE.split()), folder)
        for line in _COMMANDS:
            own_line = (*program, *line.split())
            _spent(own_line, folder)
            times = [_spent(own_line, folder)[1] / _spent(_BARE, folder)[1] for _ in range(ROUNDS)]
            what = f"CPU of independence {line.split()[0]}, in python -c pass"
            found.append(Figure(what, median(times), "x", BOUND_CPU, detail=spread(times, "x", 1)))
    return found


def _import(name: str, bound: float, folder: Path) -> Figure:
    """CPU of what `import independence` alone loads, or one name of it."""
    command = (sys.executable, "-c", f"import independence; {name}")
    _spent(command, folder)
    more = [1000 * (_spent(command, folder)[1] - _spent(_BARE, folder)[1]) for _ in range(ROUNDS)]
    what = f"CPU of importing {name}, more than python -c pass"
    return Figure(what, median(more), "ms", bound, detail=spread(more, "ms", 0))


def _spent(command: Sequence[str], folder: Path) -> tuple[float, float]:
    """Seconds that a command took: of the clock, and of the processor."""
    began = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return time.perf_counter() - began, used.ru_utime + used.ru_stime
