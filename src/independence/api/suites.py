"""The suites that ship with this package, and the prompts of one with a grid."""

from __future__ import annotations

from typing import NamedTuple

from independence.config.options import SuitePart
from independence.engine import plan
from independence.errors import UsageError
from independence.exchange import grid_file
from independence.suites import load, scenario_part
from independence.suites.load import LoadedSuite


class ListedSuite(NamedTuple):
    """A suite that ships, and what one run of it asks."""

    loaded: LoadedSuite
    calls: int


def built_in() -> list[ListedSuite]:
    """All suites that ship, by name."""
    return [ListedSuite(loaded, plan.calls(loaded.suite)) for loaded in map(load.load, load.built_in())]


class GridPrompts(NamedTuple):
    """The prompts of a grid in the published format."""

    content: bytes  # JSON Lines
    prompts: int
    by_side: dict[str, int]  # who asks -> how many


def grid_prompts(name: str, part: SuitePart) -> GridPrompts:
    """The prompts of a suite, or of a part of it. Raises UsageError for a suite without a grid."""
    loaded = load.load(name)
    suite = loaded.suite
    if suite.grid is None:
        raise UsageError(f"suite {suite.suite} has no grid of prompts; `rent` has one")
    if part.scenarios is not None:
        scenario_part.balanced(loaded, part.scenarios, part.sample_seed or 0)  # which refuses a grid
    kept = plan.narrowed(suite, plan.select(suite, (), (), 1, ()), part).scenarios
    asked = [scenario for scenario in suite.scenarios if kept is None or scenario.id in kept]
    content = b"".join(line + b"\n" for line in grid_file.grid_lines(suite, [scenario.id for scenario in asked]))
    by_side = {side: sum(scenario.side == side for scenario in asked) for side in suite.grid.sides}
    return GridPrompts(content, len(asked), by_side)
