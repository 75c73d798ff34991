"""The extractor's prompt and the rules' word lists, read from `names.yaml` once."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import msgspec
import yaml

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the same documents, some ten times faster
_HOME = Path(__file__).with_name("names.yaml")


class NameLexicon(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A prompt with slots, and words in lower case."""

    prompt: str
    products: frozenset[str]
    ordinary: frozenset[str]


@cache
def lexicon() -> NameLexicon:
    """The lexicon."""
    return msgspec.convert(yaml.load(_HOME.read_text("utf-8"), _LOADER), NameLexicon)  # noqa: S506 -- it is a safe loader
