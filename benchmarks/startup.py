"""How long `--help` and imports take, against `python -c pass`: the first by the clock, the others in CPU."""

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
BOUND_HELP_MS = 60.0
BOUND_IMPORT_MS = 50.0
BOUND_RUN = 1.75  # it may take 450 ms where numpy and aiohttp, which a run cannot do without, take 256
_BARE = (sys.executable, "-c", "pass")
_HELP = (sys.executable, "-m", "independence", "--help")


def measure() -> list[Result]:
    """Medians of what is needed beyond `python -c pass`, in milliseconds; of a run's import beside its libraries'."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shown = [own - bare for own, bare in _pairs(_HELP, folder, 0)]
        alone, run, libraries = (
            [own - bare for own, bare in _pairs((sys.executable, "-c", f"import {code}"), folder, 1)]
            for code in ("independence", "independence; independence.run", "numpy, aiohttp")
        )
    ratio = median(run) / median(libraries)
    beside = f"{spread(run, 'ms', 0)}; numpy and aiohttp {median(libraries):.0f} ms"
    return [
        Figure("independence --help", median(shown), "ms", BOUND_HELP_MS, detail=spread(shown, "ms", 0)),
        Figure("CPU of importing independence", median(alone), "ms", BOUND_IMPORT_MS, detail=spread(alone, "ms", 0)),
        Figure("CPU of importing what a run needs, by numpy and aiohttp", ratio, "x", BOUND_RUN, detail=beside),
    ]


def _pairs(command: Sequence[str], folder: Path, which: int) -> list[tuple[float, float]]:
    """A command and `python -c pass`, by turns; `which` as in `_spent`."""
    _spent(command, folder)  # byte code is written once
    return [(_spent(command, folder)[which], _spent(_BARE, folder)[which]) for _ in range(ROUNDS)]


def _spent(command: Sequence[str], folder: Path) -> tuple[float, float]:
    """Milliseconds that a command took: of the clock, and of the processor."""
    own = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    began = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder, env=own)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return 1000 * (time.perf_counter() - began), 1000 * (used.ru_utime + used.ru_stime)
