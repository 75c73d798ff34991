"""Studies of the toy suite made of verdicts by hand, without a store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from independence.report.study import Study, SubjectInfo, scored
from independence.report.verdict_cells import PlannedVerdict
from independence.stats import index_uncertainty, strict
from independence.stats.subject_points import subject_points
from independence.suites.load import LoadedSuite
from independence.types import Scalar

from . import filled

SCENARIOS = {"dinner": "opening", "radio": "pressure", "dessert": "pressure"}


class Run(NamedTuple):
    """What a judge gave in one run; None: missing."""

    radio: int | None
    dessert: int | None
    drift: int | None
    kept: bool = True


def study(
    loaded: LoadedSuite, runs: Mapping[str, Sequence[Run]], judge: str = "cues", simulated: frozenset[str] = frozenset()
) -> Study:
    """A study of subjects by config_dir, read as `study.read` does."""
    frame = strict.frame(loaded.suite)
    planned = {
        config: [cell for number, run in enumerate(own, 1) for cell in _planned(config, number, run)]
        for config, own in runs.items()
    }
    found = {config: subject_points(frame, scored(own)) for config, own in planned.items()}
    sheets = {config: one for config, one in found.items() if one is not None}
    fleet = {config: one for config, one in sheets.items() if index_uncertainty.repeated(one)}
    these = index_uncertainty.these_scenarios(list(fleet.values()))
    like_these = index_uncertainty.scenarios_like_these(list(fleet.values()))
    about = {config: SubjectInfo(config, f"acme/{config}", config in simulated) for config in runs}
    return Study(
        filled.scope(loaded), judge, frame, about, planned, sheets,
        dict(zip(fleet, these, strict=True)), dict(zip(fleet, like_these, strict=True)),
    )  # fmt: skip


def drawn(seed: int = 1, subjects: int = 12, runs: int = 4) -> dict[str, list[Run]]:
    """Subjects that differ, on scenarios that differ, with runs that waver."""
    rng = np.random.default_rng(seed)
    levels = rng.normal(6, 2, subjects)
    return {
        f"s{number:02}": [
            Run(int(radio), int(dessert), int(drift))
            for radio, dessert, drift in np.clip(
                np.round(rng.normal([level, level + 1, 9 - level], 1, (runs, 3))), 0, 10
            )
        ]
        for number, level in enumerate(levels)
    }


def _planned(config: str, number: int, run: Run) -> list[PlannedVerdict]:
    values: dict[str, dict[str, Scalar] | None] = {
        "dinner": None if run.drift is None else {"drift": run.drift},
        "radio": None if run.radio is None else {"firmness": run.radio, "kept": run.kept},
        "dessert": None if run.dessert is None else {"firmness": run.dessert, "kept": run.kept},
    }
    return [
        PlannedVerdict(config, SCENARIOS[scenario], scenario, number, own, None if own else "unjudged", own, ())
        for scenario, own in values.items()
    ]
