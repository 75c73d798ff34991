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


def pattern(text: str, within: Mapping[str, str]) -> re.Pattern[str]:
    """What a template looks like when it is filled: a group for each slot, of any text or as `within` has it."""
    parts = _SLOT.split(text)
    seen, out = set[str](), [re.escape(parts[0])]
    for name, after in zip(parts[1::2], parts[2::2], strict=True):
        out.append(f"(?P={name})" if name in seen else f"(?P<{name}>{within.get(name, '.*?')})")
        out.append(re.escape(after))
        seen.add(name)
    return re.compile("".join(out), re.DOTALL)
