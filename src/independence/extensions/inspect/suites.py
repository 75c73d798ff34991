"""The suite behind a task or a logged dialogue: found by name or file, and known by its edition."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from independence.config.options import ConnectionOptions
from independence.engine import plan, resolve
from independence.engine.resolve import RunPlan
from independence.errors import UsageError
from independence.report import analysis
from independence.suites import load
from independence.suites.load import LoadedSuite
from independence.types import Condition

SOURCE: Final = "source"  # key of a sample's metadata: a built-in name, a folder or a persona file
PERSONA: Final = "system_prompt"  # likewise: the text of a variant that was read from a file
_KNOWN: Final = dict[tuple[str, str], LoadedSuite]()  # by source and edition, which never changes what it holds


def task_name(suite: str) -> str:
    """What the task of a suite is called in logs."""
    return f"independence_{suite.replace('-', '_')}"


def resolved(suite: str, variant: str = "", mode: str = "", runs: int = 1) -> tuple[RunPlan, Condition]:
    """What is asked, without whom; by default under the text of a persona file, else under the suite's own condition.

    Raises UsageError for names that the suite does not have.
    """
    loaded = load.load(suite, analysis.check)
    _KNOWN[suite, loaded.edition] = loaded
    own, personas, names = resolve.with_personas(loaded, load.asked_under(suite, [variant] if variant else []))
    (condition,) = plan.select(own, names, [mode] if mode else [], runs, ()).conditions
    return _job(msgspec.structs.replace(loaded, suite=own), personas), condition


def of_sample(metadata: Mapping[str, Any], suite: str = "") -> RunPlan:
    """What a sample was asked from, by its metadata; `suite` says where it is found now.

    Raises UsageError where it is not found, or has other texts now.
    """
    loaded = _loaded(str(suite or metadata.get(SOURCE) or metadata["suite"]), str(metadata["edition"]))
    if (text := metadata.get(PERSONA)) is None:
        return _job(loaded, {})
    personas = {str(metadata["variant"]): str(text)}
    own = msgspec.structs.replace(loaded.suite, variants={**loaded.suite.variants, **personas})
    return _job(msgspec.structs.replace(loaded, suite=own), personas)


def _loaded(source: str, edition: str) -> LoadedSuite:
    if (source, edition) not in _KNOWN:
        found = load.load(source, analysis.check)
        if found.edition != edition:
            what = (
                f"the log was asked from edition {edition} of a suite, and `{source}` is edition {found.edition} here"
            )
            raise UsageError(what, "`independence import` the log, and grade it with `independence judge`")
        _KNOWN[source, edition] = found
    return _KNOWN[source, edition]


def _job(loaded: LoadedSuite, personas: Mapping[str, str]) -> RunPlan:
    return RunPlan(
        suite=loaded.suite,
        edition=loaded.edition,
        trials=(),
        judges=(),
        options=ConnectionOptions(),
        personas=personas,
    )
