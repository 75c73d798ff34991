"""What a suite itself says about how it is asked and graded, where flags and models file say nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from independence.config import environment
from independence.config.registry import Registry
from independence.judge.spec import DEFAULT_JUDGE
from independence.suites.schema import Suite


def at_its_temperature(known: Registry, names: Sequence[str], suite: Suite) -> Registry:
    """The registry with those ids that it does not list, at the suite's temperature where it has one.

    Raises UsageError for an id that cannot be one.
    """
    temperature = suite.default.temperature
    if temperature is None:
        return known
    listed = {name for subject in known.subjects for name in (subject.label, subject.model_id)}
    added = [known.default(name) for name in dict.fromkeys(names) if name not in listed]
    subjects = tuple(msgspec.structs.replace(subject, temperature=temperature) for subject in added)
    return msgspec.structs.replace(known, subjects=known.subjects + subjects)


def judge(suite: Suite, env: Mapping[str, str]) -> str:
    """Who grades: whom the suite's environment variable names; without a usable one, the judge of all suites."""
    named = env.get(suite.default.judge, "").strip() if suite.default.judge else ""
    return DEFAULT_JUDGE if environment.is_placeholder(named) else named
