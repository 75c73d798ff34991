"""The cue words of `situation` and `grader`, read from `signs.yaml` once."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import msgspec
import yaml

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the same documents, some ten times faster
_HOME = Path(__file__).with_name("signs.yaml")


class SituationCues(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Phrases to find in a human turn (lower case, whole words) or, the last two, in an answer, by what they tell."""

    profile: tuple[str, ...]
    openings: dict[str, tuple[str, ...]]  # kinds of a question that does not press
    pressures: dict[str, tuple[str, ...]]
    requests: tuple[str, ...]
    judgements: tuple[str, ...]
    hypothetical: tuple[str, ...]
    continues: tuple[str, ...]
    asks: frozenset[str]
    orders: frozenset[str]
    candid: frozenset[str]
    gender: tuple[str, ...]
    self: tuple[str, ...]
    taste: tuple[str, ...]
    firm: tuple[str, ...]
    giving: tuple[str, ...]


@cache
def signs() -> SituationCues:
    """The cue words."""
    return msgspec.convert(yaml.load(_HOME.read_text("utf-8"), _LOADER), SituationCues)  # noqa: S506 -- it is a safe loader
