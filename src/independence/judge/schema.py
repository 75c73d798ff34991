"""A rubric's verdict as JSON schema, as a list for the prompt, and as a check with reasons."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from independence.suites.schema import Field
from independence.types import Scalar

_KINDS = {"boolean": "true or false", "integer": "a whole number", "number": "a number"}
_LONGEST = 60  # signs of a value in a sentence


QUOTE = "quote"
REASONING = "reasoning"
KEY = "one_time_key"


def json_schema(fields: Mapping[str, Field], quote: str = "", key: str = "") -> dict[str, Any]:
    """Strict JSON schema: the quotation if the rubric asks for one, reasoning, then every field, nothing else.

    `key`: what the object has to carry before all of them, where it was asked for.
    """
    properties: dict[str, Any] = {KEY: {"type": "string", "enum": [key]}} if key else {}
    properties |= {QUOTE: {"type": "string", "description": quote}} if quote else {}
    properties[REASONING] = {"type": "string"}
    for name, field in fields.items():
        properties[name] = {"type": field.type, "description": field.about}
        if field.range:
            properties[name] |= {"minimum": _plain(field.range[0]), "maximum": _plain(field.range[1])}
    return strict_object(properties)


def strict_object(properties: dict[str, Any]) -> dict[str, Any]:
    """The schema of an object with these properties, all of them and no other."""
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def described(fields: Mapping[str, Field], quote: str = "") -> str:
    """The quotation if the rubric asks for one and the fields, as the judge prompt lists them, one line each."""
    lines = [f"- {QUOTE} (string): {quote}"] if quote else []
    for name, field in fields.items():
        lines.append(f"- {name} ({field.type}{',' if field.range else ''}{_scale(field)}): {field.about}")
    return "\n".join(lines)


def check(data: Mapping[str, Any], fields: Mapping[str, Field]) -> tuple[dict[str, Scalar], list[str]]:
    """Typed values of a verdict, and one sentence for each field that is absent, mistyped or out of range."""
    values: dict[str, Scalar] = {}
    wrong: list[str] = []
    for name, field in fields.items():
        if name not in data:
            wrong.append(f"`{name}` is missing")
            continue
        value = _typed(data[name], field)
        if value is None:
            came = _shown(json.dumps(data[name], ensure_ascii=False))
            wrong.append(f"`{name}` must be {_KINDS[field.type]}{_scale(field)}, got {came}")
        elif field.range is not None and not field.range[0] <= value <= field.range[1]:
            wrong.append(f"`{name}` is {_shown(str(value))}, outside{_scale(field)}")
        else:
            values[name] = value
    return values, wrong


def _typed(value: Any, field: Field) -> Scalar | None:
    if field.type == "boolean":
        return value if isinstance(value, bool) else None
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        return None
    if field.type == "integer":
        return int(value) if isinstance(value, int) or value.is_integer() else None
    return value


def _scale(field: Field) -> str:
    return f" {_plain(field.range[0])} to {_plain(field.range[1])}" if field.range else ""


def _shown(text: str) -> str:
    """A value as it came, short and printable."""
    text = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
    return "".join(char if char.isprintable() else "?" for char in text)


def _plain(number: float) -> float | int:
    return int(number) if float(number).is_integer() else number
