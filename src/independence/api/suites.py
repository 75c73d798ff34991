"""The suites that ship with this package, and the prompts of one with a grid."""

from __future__ import annotations

from independence.config.options import SuitePart
from independence.engine import plan
from independence.errors import UsageError
from independence.exchange import grid_file
from independence.suites import load, scenario_part
from independence.suites.load import LoadedSuite


def built_in() -> list[tuple[LoadedSuite, int]]:
    """All suites that ship, by name, each with the calls of one run."""
    return [(loaded, plan.calls(loaded.suite)) for loaded in map(load.load, load.built_in())]


def grid_prompts(name: str, part: SuitePart) -> tuple[bytes, dict[str, int]]:
    """The prompts of a grid, or of a part of it, as JSON Lines in the published format; and how many each side asks.

    Raises UsageError for a suite without a grid.
    """
    loaded = load.load(name)
    suite = loaded.suite
    if suite.grid is None:
        raise UsageError(f"suite {suite.suite} has no grid of prompts; `rent` has one")
    if part.scenarios is not None:
        scenario_part.balanced(loaded, part.scenarios, part.sample_seed or 0)  # which refuses a grid
    kept = plan.narrowed(suite, plan.select(suite, (), (), 1, ()), part).scenarios
    asked = [scenario for scenario in suite.scenarios if kept is None or scenario.id in kept]
    content = b"".join(line + b"\n" for line in grid_file.grid_lines(suite, [scenario.id for scenario in asked]))
    return content, {side: sum(scenario.side == side for scenario in asked) for side in suite.grid.sides}
