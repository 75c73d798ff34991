"""Runs the measurements, all or those named, and says which bounds they keep."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence

from rich.console import Console
from rich.table import Table

from benchmarks import (
    bands,
    cluster,
    controls,
    coverage,
    coverage_few_failures,
    coverage_like_these,
    coverage_pairs,
    coverage_places,
    coverage_worlds,
    damage,
    decide,
    decide_best,
    decide_pairs,
    deletions,
    floor,
    gate,
    judges,
    ladder,
    makespan,
    peers,
    persona,
    published,
    reasons,
    rules,
    run_memory,
    scale,
    sides,
    site,
    startup,
    viewer,
    viewer_memory,
    viewer_tasks,
    weak,
)
from benchmarks.figure import Figure, Result, Skipped
from benchmarks.grid import Grid

# What is quick comes first.
MEASUREMENTS: Mapping[str, Callable[[], list[Result]]] = {
    "startup": startup.measure,
    "published": published.measure,
    "rules": rules.measure,
    "weak": weak.measure,
    "bands": bands.measure,
    "coverage/these": coverage.measure,
    "coverage/like-these": coverage_like_these.measure,
    "coverage/few-failures": coverage_few_failures.measure,
    "coverage/places": coverage_places.measure,
    "coverage/pairs": coverage_pairs.measure,
    "coverage/worlds": coverage_worlds.measure,
    "gate": gate.measure,
    "decide/pairs": decide.measure,
    "decide/best": decide_best.measure,
    "decide/command": decide_pairs.measure,
    "judges": judges.measure,
    "damage": damage.measure,
    "deletions": deletions.measure,
    "sides": sides.measure,
    "reasons/controls": controls.measure,
    "reasons/j": reasons.measure,
    "reasons/ladder": ladder.measure,
    "persona": persona.measure,
    "viewer/browser": viewer.measure,
    "viewer/memory": viewer_memory.measure,
    "viewer/tasks": viewer_tasks.measure,
    "site": site.measure,
    "scale": scale.measure,
    "floor": floor.measure,
    "memory": run_memory.measure,
    "makespan": makespan.measure,
    "cluster": cluster.measure,
    "peers": peers.measure,
}


def main(names: Sequence[str]) -> int:
    """Print a table; 1 when a bound is missed, 2 for a name that is none."""
    unknown = [name for name in names if not _named(name)]
    if unknown:
        print(f"no measurement {', '.join(unknown)}; there are {', '.join(MEASUREMENTS)}", file=sys.stderr)
        return 2
    results: list[Result] = []
    for name in [found for given in names for found in _named(given)] or MEASUREMENTS:
        print(f"measuring {name} ...", file=sys.stderr, flush=True)
        results += MEASUREMENTS[name]()
    console = Console(width=None if sys.stdout.isatty() else 160)
    for table in (_table(results), *(result.table() for result in results if isinstance(result, Grid))):
        console.print(table)
    return int(any(not isinstance(result, Skipped) and not result.kept for result in results))


def _named(name: str) -> list[str]:
    """The measurement of that name and its parts: `coverage` is all of `coverage/these` and the others."""
    return [known for known in MEASUREMENTS if known == name or known.startswith(f"{name}/")]


def _table(results: Sequence[Result]) -> Table:
    table = Table("measurement", "measured", "bound", "", "detail", box=None, padding=(0, 2, 0, 0))
    for result in results:
        if isinstance(result, Figure) and result.bound is None:
            table.add_row(result.name, f"{result.value:.3g} {result.unit}", "-", "", result.detail)
        elif isinstance(result, Figure):
            sign, mark = ("<=", ">=")[result.better == "higher"], "ok" if result.kept else "missed"
            bound = f"{sign} {result.bound:g} {result.unit}"
            table.add_row(result.name, f"{result.value:.3g} {result.unit}", bound, mark, result.detail)
        elif isinstance(result, Skipped):
            table.add_row(result.name, "-", "-", "skipped", result.why)
    return table


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
