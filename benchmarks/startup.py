"""How much longer `independence --help` takes than an interpreter that does nothing."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Sequence
from statistics import median

from benchmarks.figure import Figure, Result, spread

ROUNDS = 15
BOUND_MS = 150.0


def measure() -> list[Result]:
    """The median difference of pairs, in milliseconds."""
    bare, ours = [sys.executable, "-c", "pass"], [sys.executable, "-m", "independence", "--help"]
    _ms(ours)  # byte code is written once
    pairs = [(_ms(bare), _ms(ours)) for _ in range(ROUNDS)]
    more = [help_ms - bare_ms for bare_ms, help_ms in pairs]
    detail = f"{spread(more, 'ms', 0)}; `python -c pass` {median(bare_ms for bare_ms, _ in pairs):.0f} ms"
    return [Figure("independence --help, more than python -c pass", median(more), "ms", BOUND_MS, detail=detail)]


def _ms(command: Sequence[str]) -> float:
    began = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return 1000 * (time.perf_counter() - began)
