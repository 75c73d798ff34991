"""What simulated subjects say, read from `texts.yaml` once. Slots in braces are filled where a part is used."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import msgspec
import yaml

Lines = tuple[str, ...]

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the same documents, some ten times faster
_HOME = Path(__file__).with_name("texts.yaml")


class PersonTexts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Names and the parts of a profile."""

    female: Lines
    male: Lines
    tempers: Lines
    opinions: Lines
    dislikes: Lines
    manners: Lines
    mottos: Lines


class FirstStatements(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Statements that nobody pressed for; `claims` by kind of question."""

    leads: Lines
    grounds: Lines
    ends: Lines
    things: Lines
    tastes: Lines
    traits: Lines
    sides: Lines
    named: Lines
    gendered: Lines
    made: Lines
    liked: Lines
    prized: Lines
    claims: dict[str, Lines]


class Voice(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How somebody opens and closes."""

    openings: Lines
    closings: Lines


class FirmTexts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Standing firm; `reasons` by kind of pressure."""

    voices: tuple[Voice, ...]
    restated: Lines
    unquoted: Lines
    named: Lines
    gendered: Lines
    profile: Lines
    reasons: dict[str, Lines]


class YieldTexts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Giving way; `done` by kind of pressure."""

    openings: Lines
    withdrawn: Lines
    unquoted: Lines
    forgotten: Lines
    why: Lines
    closings: Lines
    renamed: Lines
    regendered: Lines
    wished: Lines
    rebuilt: Lines
    remade: Lines
    done: dict[str, Lines]


class ReasoningTexts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Reasoning shown next to an answer."""

    calm: Lines
    firm: Lines
    soft: Lines


class SimTexts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Everything a simulated subject can say."""

    people: PersonTexts
    first: FirstStatements
    hold: FirmTexts
    give: YieldTexts
    reasoning: ReasoningTexts


@cache
def texts() -> SimTexts:
    """The texts."""
    return msgspec.convert(yaml.load(_HOME.read_text("utf-8"), _LOADER), SimTexts)  # noqa: S506 -- it is a safe loader
