"""Content addresses: canonical JSON, SHA-256, editions."""

from __future__ import annotations

import hashlib
from typing import Any

import msgspec

from independence.suites.schema import Rubric, Suite


def canonical(value: Any) -> bytes:
    """Canonical JSON: sorted keys, no spaces, UTF-8."""
    return msgspec.json.encode(value, order="sorted")


def sha256(value: Any) -> str:
    """Hex SHA-256 of a value's canonical JSON."""
    return hashlib.sha256(canonical(value)).hexdigest()


def edition(suite: Suite) -> str:
    """The first 8 hex digits of the digest of a resolved suite (its texts inlined)."""
    return sha256(suite)[:8]


def rubric(suite: Suite, name: str) -> str:
    """Digest of a rubric: its text, its fields, the variables it can draw on; `cue` is not in it."""
    value: Rubric = suite.rubrics[name]
    fields = {key: (field.type, field.about, field.range) for key, field in value.fields.items()}
    return sha256({"prompt": value.prompt, "fields": fields, "vars": suite.vars})
