"""Memory of a run against its length: V2 on four subjects, graded by a model, at an endpoint that answers at once.

The longer run has forty times the calls of the shorter one. Each is a fresh process, and its peak is that of the whole
process: plan, run, grading and store. `python -m benchmarks.run_memory RUNS` measures one length.
"""

from __future__ import annotations

import resource
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from benchmarks.endpoint import endpoint
from benchmarks.figure import Figure, Result
from benchmarks.own_run import in_process, ours

SHORT, LONG = 31, 1_220  # runs; 164 calls each
BOUND_MB, GROWTH_BOUND = 300.0, 1.5


class Peak(NamedTuple):
    """What one run took."""

    calls: int
    megabytes: float
    calls_per_s: float


def measure() -> list[Result]:
    """The peak of the long run, and how it compares with that of the short one."""
    short, long = peak(SHORT), peak(LONG)
    return [
        Figure(f"peak memory of a run of {long.calls:,} calls", long.megabytes, "MB", BOUND_MB, detail=_detail(long)),
        Figure(
            f"the same / a run of {short.calls:,} calls", long.megabytes / short.megabytes, "x", GROWTH_BOUND,
            detail=f"{short.megabytes:.0f} MB",
        ),
    ]  # fmt: skip


def peak(runs: int) -> Peak:
    """The peak of a run, in a fresh process."""
    with tempfile.TemporaryDirectory() as folder, endpoint("0") as url:
        return in_process(_of_run, url, Path(folder), runs)


def _of_run(url: str, folder: Path, runs: int) -> Peak:
    spent = ours(url, folder, runs=runs, experiments=())
    return Peak(spent.calls, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, spent.calls / spent.wall_s)


def _detail(run: Peak) -> str:
    return f"{run.calls_per_s:,.0f} calls/s"


if __name__ == "__main__":
    print(peak(int(sys.argv[1])))
