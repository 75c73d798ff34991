"""The profile: which suites a row of a model is made of, what is asked of each, and the columns that are read from it.

`profile.yaml` beside this file is the definition; `--suite profile` asks its parts one after the other.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final, Literal

import msgspec

from independence.config import documents
from independence.config.options import RunOptions, unusual
from independence.errors import UsageError, suggestion

_ALONE: Final = ("run_number", "shard", "experiments", "grid", "part", "variants", "var", "modes")


class ProfilePart(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What is asked of one suite. `runs`: independent repetitions, from 1."""

    suite: str
    variants: tuple[str, ...]  # system prompts
    mode: str = "user_role"  # plain chat
    runs: int = 1
    judge: str = ""  # who reads it, whatever `-j` says; empty: the judge of the run


class ColumnDefinition(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A number of each model. `scale`: points, else at most 1; best near 0 where it is `nearest`."""

    head: str
    part: str
    variant: str = ""
    kind: str = ""  # of the suite's scenarios, in which it says what is kept
    minus: tuple[str, str] | None = None  # of which columns it is the first less the second
    scale: Literal["points", "signed", "nearest"] = "points"


class ProfileDefinition(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """All of it, by name, in order."""

    parts: dict[str, ProfilePart]
    columns: dict[str, ColumnDefinition]


@cache
def definition() -> ProfileDefinition:
    """The profile as it ships."""
    return documents.packaged(Path(__file__).with_suffix(".yaml"), ProfileDefinition)


def options(asked: RunOptions) -> dict[str, RunOptions]:
    """Part -> the run that asks it. Raises UsageError for options that only one suite has a meaning for."""
    every = definition().parts
    if flag := unusual(asked, _ALONE):
        raise UsageError(f"{flag} is not for a profile, which says what is asked", "leave it out, or run one suite")
    for name in asked.parts:
        if name not in every:
            raise UsageError(f"the profile has no part `{name}`", suggestion(name, every, "its parts are"))
    found = {name: part for name, part in every.items() if name in (asked.parts or every)}
    if asked.runs is not None and (once := [name for name, part in found.items() if part.runs == 1]):
        what = f"--runs is not for part {once[0]}, which is asked once: its scenarios are the sample"
        several = ",".join(name for name, part in every.items() if part.runs > 1)
        raise UsageError(what, f"leave it out, or add --part {several}")
    return {
        name: msgspec.structs.replace(
            asked, suite=part.suite, parts=(), variants=part.variants, modes=(part.mode,),
            runs=asked.runs or part.runs, judges=(part.judge,) if part.judge else asked.judges,
            no_judge=asked.no_judge and not part.judge,
        )
        for name, part in found.items()
    }  # fmt: skip
