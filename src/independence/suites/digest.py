"""Content addresses: canonical JSON, SHA-256, editions."""

from __future__ import annotations

import hashlib
from typing import Any

import msgspec

from independence.suites.schema import Rubric, Scenario, Suite


def canonical(value: Any) -> bytes:
    """Canonical JSON: sorted keys, no spaces, UTF-8."""
    return msgspec.json.encode(value, order="sorted")


def sha256(value: Any) -> str:
    """Hex SHA-256 of a value's canonical JSON."""
    return hashlib.sha256(canonical(value)).hexdigest()


# Keys of the schema that came after the first editions: where a suite does not use one, it is as if there were none.
_LATER = {"grid", "steps", "verdict", "context", "factors", "vars", "side", "cell", "temperature", "judge"}
_OUTSIDE = ("scorer", "asks")  # of the default condition: names of environment variables, which word nothing
_UNUSED: tuple[Any, ...] = (None, "", "object", {}, ())


def edition(suite: Suite) -> str:
    """The first 8 hex digits of the digest of a resolved suite (its texts inlined)."""
    said = msgspec.to_builtins(suite)
    for name in _OUTSIDE:
        said["default"].pop(name, None)
    whole = _pruned(said)
    return sha256(whole | {"vars": suite.vars})[:8]


def _pruned(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _pruned(own) for key, own in value.items() if _used(key, own)}
    return [_pruned(own) for own in value] if isinstance(value, list | tuple) else value


def _used(key: str, value: Any) -> bool:
    return key not in _LATER or value not in _UNUSED


def rubric(suite: Suite, scenario: Scenario) -> str:
    """Digest of a scenario's rubric: its texts, its fields, the variables they can draw on; `cue` is not in it."""
    value: Rubric = suite.rubrics[scenario.rubric]
    fields = {key: (field.type, field.about, field.range) for key, field in value.fields.items()}
    shape: dict[str, Any] = {"prompt": value.prompt, "fields": fields, "vars": suite.vars | scenario.vars}
    if value.steps:
        shape["steps"] = [(step.name, step.prompt) for step in value.steps]
    if value.verdict != "object":
        shape["verdict"] = value.verdict
    if value.quoting:
        shape["quoting"] = value.quoting
    return sha256(shape)
