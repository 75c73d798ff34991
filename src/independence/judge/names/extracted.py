"""What is read for names, and what is found there."""

from __future__ import annotations

import msgspec

from independence.types import Attempt, Usage


class NameAnswer(msgspec.Struct, frozen=True):
    """One answer in which a name may be taken."""

    scenario: str
    text: str


class TakenName(msgspec.Struct, frozen=True):
    """A name and the scenarios in which it is taken."""

    name: str
    sources: tuple[str, ...]


class ExtractedNames(msgspec.Struct, frozen=True):
    """The names of one run. `declined` are scenarios in which none is taken; none of them is the source of a name."""

    names: tuple[TakenName, ...]
    declined: tuple[str, ...] = ()
    primary: str | None = None  # the one it goes by itself, where it says so
    raw: str = ""
    usage: Usage = Usage()
    attempts: tuple[Attempt, ...] = ()
