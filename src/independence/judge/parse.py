"""From what a judge wrote to a typed verdict, or to what is wrong with it.

Strict JSON first, then a fenced block, then the last object that holds every field, then json-repair. The last object,
not the first: a judge may quote a ready-made verdict out of the reply it grades before it gives its own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from independence.judge.schema import check
from independence.suites.schema import Field
from independence.types import Scalar

_FENCE = re.compile(r"```[a-zA-Z]*\s*\n?(.*?)```", re.DOTALL)
_DECODER = json.JSONDecoder(strict=False)


class Parsed(NamedTuple):
    """A verdict's values and reasoning, or the problems to tell the judge."""

    values: dict[str, Scalar]
    reasoning: str
    problems: list[str]


def parse(text: str, fields: Mapping[str, Field]) -> Parsed:
    """Read a verdict. `problems` is empty exactly when every field is there, typed and in range."""
    best: Parsed | None = None
    for data in _candidates(text):
        values, wrong = check(data, fields)
        parsed = Parsed(values, _reasoning(data), wrong)
        if not wrong:
            return parsed
        if best is None or len(wrong) < len(best.problems):
            best = parsed
    return best or Parsed({}, "", ["no JSON object found"])


def _reasoning(data: Mapping[str, Any]) -> str:
    value = data.get("reasoning", "")
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _candidates(text: str) -> Iterator[dict[str, Any]]:
    stripped = text.strip()
    yield from _loaded(stripped)
    for block in reversed(_FENCE.findall(stripped)):
        yield from _loaded(block.strip())
    yield from reversed(list(_objects(stripped)))
    if "{" in stripped:
        yield from _repaired(stripped[stripped.index("{") :])


def _loaded(text: str) -> Iterator[dict[str, Any]]:
    try:
        data = _DECODER.decode(text)
    except (ValueError, RecursionError):
        return
    if isinstance(data, dict):
        yield data


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """Every top-level JSON object in a text, in order."""
    at = text.find("{")
    while at >= 0:
        try:
            data, end = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            at = text.find("{", at + 1)
            continue
        if isinstance(data, dict):
            yield data
        at = text.find("{", end)


def _repaired(text: str) -> Iterator[dict[str, Any]]:
    import json_repair

    try:
        data = json_repair.loads(text)
    except (ValueError, RecursionError, IndexError):
        return
    found = data if isinstance(data, list) else [data]
    yield from (item for item in reversed(found) if isinstance(item, dict))
