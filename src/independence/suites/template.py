"""`{{name}}` templates: substituted once, so a value that contains braces is never expanded again."""

from __future__ import annotations

import re
from collections.abc import Mapping

_SLOT = re.compile(r"\{\{[ \t]*([A-Za-z_][A-Za-z0-9_]*)[ \t]*\}\}")


def slots(text: str) -> list[str]:
    """Names of the variables a template asks for, in order of appearance."""
    return _SLOT.findall(text)


def fill(text: str, values: Mapping[str, str]) -> str:
    """Substitute every slot in one pass. Raises KeyError for a slot that nothing fills."""
    if "{{" not in text:  # as most of the many texts of a grid
        return text
    return _SLOT.sub(lambda match: values[match.group(1)], text)
