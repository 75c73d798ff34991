"""Values that fit their types and cannot be meant: the suite's name, how long an answer may be, empty prompts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from independence.config.documents import YamlDocument
from independence.errors import DocumentError
from independence.suites.lint_texts import text_of
from independence.suites.schema import Suite

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,59}")
_MOST_TOKENS: Final = 1_000_000


def problems(suite: Suite, document: YamlDocument, folder: Path) -> Iterator[DocumentError]:
    """Every such problem."""
    yield from _name(suite.suite, document)
    if not 1 <= suite.delivery.max_tokens <= _MOST_TOKENS:
        what = f"max_tokens {suite.delivery.max_tokens} is outside 1 to {_MOST_TOKENS:,}"
        yield document.error("$.delivery.max_tokens", what)
    for name, reference in suite.variants.items():
        text = text_of(folder / reference) if (folder / reference).is_file() else None
        if text is not None and not text.strip():
            yield document.error(
                f"$.variants.{name}", f"the system prompt `{reference}` is empty; write it, or drop it"
            )


def _name(name: str, document: YamlDocument) -> Iterator[DocumentError]:
    if not _NAME.fullmatch(name):
        what = "take letters, digits, dots, dashes and underscores, up to 60, a letter or digit first"
        yield document.error("$.suite", f"`{' '.join(name.split())}` is no name for a suite: {what}")
