"""Rosters: many models by one name, and what they would cost. None is asked unless it is named."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from independence.config import registry
from independence.config.registry import Registry
from independence.errors import UsageError

PUBLISHED_RUN_USD = 0.053  # one run of V2, its verdicts included: the mean over the published results


def known(listed: Registry, file: Path | None, roster: str | None) -> Registry:
    """What a run knows: what its models file lists, or for a roster that this lacks the registry that ships.

    Raises UsageError where the file that was named has none.
    """
    if roster is None or listed.roster:
        return listed
    if file is not None:
        raise UsageError(f"--roster: {file} has no `roster:`; leave --models-file out, or add one there")
    shipped = registry.load(Path(registry.PUBLISHED))
    return msgspec.structs.replace(shipped, redirected=listed.redirected)


def labels(listed: Registry, others: Sequence[str]) -> list[str]:
    """The labels of the default roster. Raises UsageError where models are named beside it."""
    if any(others):
        raise UsageError("--roster names the models itself; leave out -m and --local-model, or leave it out")
    return [subject.label for subject in listed.of_roster()]


def ways(runs: int) -> str:
    """Every way to name models, and what those that name many would cost."""
    shipped = registry.load(Path(registry.PUBLISHED))
    active, default = sum(subject.active for subject in shipped.subjects), len(shipped.of_roster())
    dollars = [f"about ${count * runs * PUBLISHED_RUN_USD:.0f}" for count in (active, default)]
    return (
        "no models: name them with -m, or list them in models.yaml (--models-file). `--models-file published` asks the "
        f"{active} configurations that the published project lists as active ({dollars[0]} for {runs} runs of v2, by "
        f"what its runs cost on average), `--roster default` the {default} of its default roster ({dollars[1]}); "
        "`estimate-cost` with either says what they cost today; `independence demo` starts without any"
    )
