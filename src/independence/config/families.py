"""Which family a model belongs to: whose weights it grew from, or who makes it."""

from __future__ import annotations

import functools
import re
from pathlib import Path

import msgspec

from independence.config import documents
from independence.config.subjects import LOCAL


class FamilyRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A family and the pattern that tells its models."""

    family: str
    pattern: str  # regular expression, searched in one part of an id


@functools.cache
def rules() -> tuple[FamilyRule, ...]:
    """The rules of `families.yaml`, in order."""
    return documents.convert(documents.read(Path(__file__).parent / "families.yaml"), tuple[FamilyRule, ...])


@functools.cache
def family(model_id: str) -> str:
    """The family of a model id; directory names of the published grammar and names of judges are read as well.

    Where no rule fits: the maker, or for a model without one (`local/NAME`, `cues`) the first word of its name.
    """
    *makers, name = _parts(model_id)
    for part in (name, *reversed(makers)):
        for known, pattern in _compiled():
            if pattern.search(part):
                return known
    if makers:
        return makers[-1]
    word = re.match(r"[^\W\d_]+", name)
    return word[0] if word else name


@functools.cache
def _compiled() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((rule.family, re.compile(rule.pattern)) for rule in rules())


def _parts(model_id: str) -> list[str]:
    """Parts of an id between slashes: `nvidia--moonshotai--kimi-k2.5@none-t0.7` has three. Serving is left out."""
    path = model_id.lower().partition("@")[0].replace("--", "/")
    *makers, name = path.split("/")
    name = re.split("[+:]", name, maxsplit=1)[0]
    return [*(part for part in makers if part not in ("", LOCAL)), name]
