"""A balanced part of a suite: as many scenarios of each experiment, the same ones for every subject and the same seed.

It is a suite of its own with an edition of its own, so that boards never mix parts. Within an experiment a larger part
holds every smaller one of its seed, and replies are stored by what was asked: enlarging a part asks only what is new.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from independence.errors import UsageError
from independence.suites import digest
from independence.suites.load import LoadedSuite
from independence.suites.schema import Scenario, Suite


def balanced(loaded: LoadedSuite, count: int, seed: int) -> LoadedSuite:
    """The suite with `count` of its scenarios. Raises UsageError where there is no such part of it.

    `count` is a multiple of the number of experiments.
    """
    suite = loaded.suite
    by_experiment: dict[str, list[Scenario]] = {}
    for scenario in suite.scenarios:
        by_experiment.setdefault(scenario.experiment, []).append(scenario)
    each = _each(suite, by_experiment.values(), count)
    drawn = {
        scenario.id
        for own in by_experiment.values()
        for scenario in sorted(own, key=lambda scenario: digest.sha256([seed, scenario.id]))[:each]
    }
    kept = tuple(scenario for scenario in suite.scenarios if scenario.id in drawn)
    part = msgspec.structs.replace(suite, scenarios=kept)
    if lost := [name for name in _carried(suite) if name not in _carried(part)]:
        raise UsageError(
            f"--scenarios {count} (--seed {seed}) leaves no scenario for {', '.join(lost)}", "ask for more scenarios"
        )
    return LoadedSuite(part, digest.edition(part))


def _each(suite: Suite, experiments: Iterable[list[Scenario]], count: int) -> int:
    """How many scenarios of each experiment. Raises UsageError."""
    own = list(experiments)
    most = len(own) * min(map(len, own))
    if suite.grid is not None:
        raise UsageError(f"--scenarios: suite {suite.suite} is a grid", "write --limit N: it draws whole cells")
    if following := next((scenario for scenario in suite.scenarios if scenario.follows), None):
        what = f"--scenarios draws them one by one, and {following.id} of suite {suite.suite} continues another"
        raise UsageError(what, "leave out --scenarios")
    if count < 1 or count % len(own) or count > most:
        raise UsageError(
            f"--scenarios {count}: a balanced part of suite {suite.suite} has as many of each of its {len(own)} "
            f"experiments ({', '.join(suite.experiments)})",
            f"write a multiple of {len(own)}, at most {most}",
        )
    return count // len(own)


def _carried(suite: Suite) -> list[str]:
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
