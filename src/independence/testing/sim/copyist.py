"""A simulated judge that copies the answer it grades, whole, into its reasoning, and then gives a verdict of its own.

The verdict is known beforehand: it depends on the seed and the form alone, not on a word of the dialogue. Whoever reads
another one has read it out of the copy.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

import msgspec

from independence.testing.sim.grader import FormField, form_of

_TAG = re.compile(r"<(\w+) ([0-9a-f]{12,})>")


def grade(prompt: str, schema: Mapping[str, Any] | None, seed: int) -> str:
    """JSON text: the last fenced answer as `reasoning` and any other text, `value` for everything else."""
    copy = last_answer(prompt)
    form = form_of(prompt, schema)
    verdict = {name: copy if field.kind == "string" else value(name, field, seed) for name, field in form.items()}
    return msgspec.json.encode(verdict).decode()


def last_answer(prompt: str) -> str:
    """What stands between the last pair of tags that carry the nonce of the first; empty where nothing is fenced."""
    first = _TAG.search(prompt)
    if first is None:
        return ""
    end = prompt.rfind(f"</{first[1]} {first[2]}>")
    start = prompt.rfind(first[0], 0, max(end, 0))
    return prompt[start + len(first[0]) : end].removeprefix("\n").removesuffix("\n") if start >= 0 else ""


def value(name: str, form: FormField, seed: int) -> int | float | bool:
    """The value that a field gets under a seed: in range, whole where the form says so."""
    drawn = int.from_bytes(blake2b(f"{seed} {name}".encode(), digest_size=6).digest()) / 2**48
    if form.kind == "boolean":
        return drawn >= 0.5
    placed = form.low + drawn * (form.high - form.low)
    return round(placed) if form.kind == "integer" else placed
