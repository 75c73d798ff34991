"""What a suite itself says about how it is asked and graded, where flags and models file say nothing."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import msgspec

from independence.config import environment
from independence.config.registry import Registry
from independence.config.subjects import OPENROUTER, Subject
from independence.judge.spec import DEFAULT_JUDGE
from independence.suites.schema import Suite
from independence.types import Sampling


def at_its_temperature(known: Registry, names: Sequence[str], suite: Suite) -> Registry:
    """The registry at the suite's temperature, where it has one: every entry that states none, every id not listed.

    A label among `names` that itself holds a temperature states one. Raises UsageError for an id that cannot be one.
    """
    temperature = suite.default.temperature
    if temperature is None:
        return known
    listed = {name for subject in known.subjects for name in (subject.label, subject.model_id)}
    added = [known.default(name) for name in dict.fromkeys(names) if name not in listed]
    open_ = [_open(subject, known, names) for subject in known.subjects]
    subjects = tuple(
        msgspec.structs.replace(subject, sampling=Sampling(temperature).over(subject.sampling)) if free else subject
        for subject, free in zip((*known.subjects, *added), (*open_, *(True for _ in added)), strict=True)
    )
    return msgspec.structs.replace(known, subjects=subjects)


def _open(subject: Subject, known: Registry, names: Collection[str]) -> bool:
    """Whether nobody says at which temperature a listed subject is asked."""
    named = subject.label in names and subject.display_label is None
    return subject.temperature_supported and subject.label in known.untempered and not named


class EnvironmentModel(NamedTuple):
    """A model that the environment names, and by which variable."""

    model: str
    variable: str


def judge(suite: Suite, env: Mapping[str, str]) -> str:
    """Who grades: whom the suite's environment variables name; without a usable one, the judge of all suites."""
    named = judge_named(suite, env)
    return named.model if named else DEFAULT_JUDGE


def judge_named(suite: Suite, env: Mapping[str, str]) -> EnvironmentModel | None:
    """The judge that a suite's environment variables name; None where they name none."""
    return _environment_model(env, suite.default.judge) or _environment_model(env, suite.default.scorer)


def model_named(suite: Suite, env: Mapping[str, str]) -> EnvironmentModel | None:
    """The model to ask that a suite's environment variable names; None where it names none."""
    return _environment_model(env, suite.default.asks)


def _environment_model(env: Mapping[str, str], variable: str) -> EnvironmentModel | None:
    name = env.get(variable, "").strip() if variable else ""
    vendor, _, rest = name.partition("/")
    if environment.is_placeholder(name):
        return None
    return EnvironmentModel(rest if vendor == OPENROUTER and "/" in rest else name, variable)
