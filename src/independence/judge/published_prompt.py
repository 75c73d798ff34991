"""A judge prompt as somebody else published it: the dialogue unfenced in it, and sent as they sent it.

It is open to instructions in a reply, which our own prompts fence off; what it measures is what the published one did.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from independence.suites.template import fill
from independence.types import TranscriptTurn

EFFORT: Final = "off"  # nothing is said about reasoning


def render(template: str, variables: Mapping[str, str], lines: Sequence[TranscriptTurn]) -> str:
    """Fill a prompt; `{{human_N}}` and `{{answer_N}}` are what was said in exchange N. Raises KeyError for others."""
    said = {f"human_{number}": line.human for number, line in enumerate(lines, start=1)}
    said |= {f"answer_{number}": line.answer for number, line in enumerate(lines, start=1)}
    return fill(template, {**variables, **said})
