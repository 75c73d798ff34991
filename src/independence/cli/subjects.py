"""Who is asked: named by flags, else by the suite's environment variable, else listed in a models file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from independence.cli import rosters, suite_defaults
from independence.config import registry
from independence.config.registry import Registry
from independence.config.subjects import LOCAL, Subject
from independence.errors import UsageError
from independence.suites.schema import Suite
from independence.types import Sampling


class SubjectSources(NamedTuple):
    """What may name a model: flags, and the environment."""

    suite: Suite
    env: Mapping[str, str]
    models: tuple[str, ...] = ()
    models_file: Path | None = None
    local_url: str | None = None
    local_model: str | None = None
    roster: str | None = None
    runs: int = 1  # for what a roster would cost

    @property
    def flagged(self) -> list[str]:
        """Names that flags give."""
        names = list(self.models)
        if self.local_model:
            names.append(_local_id(self.local_model))
        if not names and self.local_url and self.env.get("LOCAL_MODEL_ID"):
            names.append(_local_id(self.env["LOCAL_MODEL_ID"]))
        return names

    @property
    def by_environment(self) -> suite_defaults.EnvironmentModel | None:
        """The model that the suite's environment variable names, where no flag says whom to ask."""
        flagged = self.flagged or self.models_file or self.local_url or self.roster
        return None if flagged else suite_defaults.model_named(self.suite, self.env)


def choose(sources: SubjectSources, known: Registry, flags: Sampling) -> list[Subject]:
    """The subjects, at the suite's temperature where nothing else gives them one. Raises UsageError."""
    by_environment = sources.by_environment
    names = [by_environment.model] if by_environment else sources.flagged
    if sources.roster:
        names = rosters.labels(known, names)
    try:
        tempered = suite_defaults.at_its_temperature(known, names, sources.suite)
        return registry.choose(tempered, names or _listed(sources, tempered), flags)
    except UsageError as error:
        if by_environment is None:
            raise
        what = f"{by_environment.variable} names the model that suite {sources.suite.suite} asks"
        raise UsageError(f"{what}: {error}") from error


def _listed(sources: SubjectSources, known: Registry) -> list[str]:
    """The active entries of the models file. Raises UsageError where there is nobody to ask."""
    if sources.local_url:
        raise UsageError("--local-url says where, not what: add --local-model ID or -m local/ID")
    names = [subject.label for subject in known.subjects if subject.active]
    if not names and sources.models_file:
        raise UsageError(f"no models: {sources.models_file} lists no active one; add one, or name models with -m")
    if not names:
        raise UsageError(rosters.ways(sources.runs))
    return names


def _local_id(model: str) -> str:
    return model if model.startswith(f"{LOCAL}/") else f"{LOCAL}/{model}"
