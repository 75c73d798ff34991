"""Runs the measurements, all or those named, and says which bounds they keep."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence

from rich.console import Console
from rich.table import Table

from benchmarks import coverage, cpu_per_call, makespan, offline, published, sides, sides_rows, startup
from benchmarks.figure import Figure, Result

# What is quick comes first.
MEASUREMENTS: Mapping[str, Callable[[], list[Result]]] = {
    "startup": startup.measure,
    "published": published.measure,
    "offline": offline.measure,
    "coverage": coverage.measure,
    "sides": sides.measure,
    "sides-rows": sides_rows.measure,
    "cpu": cpu_per_call.measure,
    "makespan": makespan.measure,
}


def main(names: Sequence[str]) -> int:
    """Print a table; 1 when a bound is missed, 2 for a name that is none."""
    unknown = [name for name in names if name not in MEASUREMENTS]
    if unknown:
        print(f"no measurement {', '.join(unknown)}; there are {', '.join(MEASUREMENTS)}", file=sys.stderr)
        return 2
    results: list[Result] = []
    for name in names or MEASUREMENTS:
        print(f"measuring {name} ...", file=sys.stderr, flush=True)
        results += MEASUREMENTS[name]()
    Console(width=None if sys.stdout.isatty() else 160).print(_table(results))
    return int(any(isinstance(result, Figure) and not result.kept for result in results))


def _table(results: Sequence[Result]) -> Table:
    table = Table("measurement", "measured", "bound", "", "detail", box=None, padding=(0, 2, 0, 0))
    for result in results:
        if isinstance(result, Figure) and result.bound is None:
            table.add_row(result.name, f"{result.value:.3g} {result.unit}", "-", "", result.detail)
        elif isinstance(result, Figure):
            sign, mark = ("<=", ">=")[result.better == "higher"], "ok" if result.kept else "missed"
            bound = f"{sign} {result.bound:g} {result.unit}"
            table.add_row(result.name, f"{result.value:.3g} {result.unit}", bound, mark, result.detail)
        else:
            table.add_row(result.name, "-", "-", "skipped", result.why)
    return table


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
