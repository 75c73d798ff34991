"""A balanced part of a suite: as many scenarios of each experiment, the same ones for every subject and the same seed.

It is a suite of its own with an edition of its own, so that boards never mix parts. Within an experiment a larger part
holds every smaller one of its seed, and replies are stored by what was asked: enlarging a part asks only what is new.
"""

from __future__ import annotations

import msgspec

from independence.errors import UsageError
from independence.suites import digest
from independence.suites.load import LoadedSuite
from independence.suites.schema import Suite
from independence.types import grouped

_SEEDS = 100  # that are tried for one that leaves out nothing


def balanced(loaded: LoadedSuite, count: int, seed: int) -> LoadedSuite:
    """The suite with `count` of its scenarios. Raises UsageError where there is no such part of it.

    `count` is a multiple of the number of experiments.
    """
    suite = loaded.suite
    own = list(grouped(suite.scenarios, lambda scenario: scenario.experiment).values())
    most = len(own) * min(map(len, own), default=0)
    if suite.grid is not None or suite.battery is not None:
        what = "a grid" if suite.grid else "a battery"
        raise UsageError(f"--scenarios: suite {suite.suite} is {what}", "write --limit N: it draws whole cells")
    if following := next((scenario for scenario in suite.scenarios if scenario.follows), None):
        what = f"--scenarios draws them one by one, and {following.id} of suite {suite.suite} continues another"
        raise UsageError(what, "leave out --scenarios")
    if count < 1 or count % len(own) or count > most:
        raise UsageError(
            f"--scenarios {count}: a balanced part of suite {suite.suite} has equally many of each of its {len(own)} "
            f"experiments ({', '.join(suite.experiments)})",
            f"write a multiple of {len(own)}, at most {most}",
        )

    def drawn(each: int, seed: int) -> Suite:
        ordered = (sorted(one, key=lambda scenario: digest.sha256([seed, scenario.id])) for one in own)
        chosen = {scenario.id for scenarios in ordered for scenario in scenarios[:each]}
        return msgspec.structs.replace(suite, scenarios=tuple(one for one in suite.scenarios if one.id in chosen))

    def lost(part: Suite) -> list[str]:
        return [name for name in _dimensions(suite) if name not in _dimensions(part)]

    each = count // len(own)
    part = drawn(each, seed)
    if missing := lost(part):
        larger = range(each + 1, most // len(own) + 1)
        counts = [f"--scenarios {more * len(own)}" for more in larger if not lost(drawn(more, seed))]
        seeds = [f"--seed {other}" for other in range(_SEEDS) if not lost(drawn(each, other))]
        fix = f"write {' or '.join([*seeds[:1], *counts[:1]])}" if seeds or counts else "leave out --scenarios"
        what = f"--scenarios {count} with --seed {seed} draws no scenario for {', '.join(missing)}"
        raise UsageError(what, fix)
    return LoadedSuite(part, digest.edition(part))


def _dimensions(suite: Suite) -> list[str]:
    """Dimensions of the index that have a scenario."""
    return [
        name
        for name, dimension in (suite.index.dimensions if suite.index else {}).items()
        if any(
            scenario.experiment == dimension.experiment
            and suite.rubrics[scenario.rubric].fields.keys() >= set(dimension.fields)
            for scenario in suite.scenarios
        )
    ]
