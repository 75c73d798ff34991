"""Names where there is little room."""

from __future__ import annotations

from collections.abc import Sequence


def short(label: str, labels: Sequence[str], simulated: bool) -> str:
    """The label, one of `labels`; its `@effort-tTEMP` tail only where the rest is not unique."""
    base = label.split("@", 1)[0]
    unique = sum(other.split("@", 1)[0] == base for other in labels) == 1
    text = base if unique and base else label
    return f"{text} (sim)" if simulated and not text.startswith("sim/") else text


def fitted(text: str, room: int) -> str:
    """At most `room` signs; a longer text is cut in its middle, so that both ends stay readable."""
    if len(text) <= room:
        return text
    tail = (room - 1) * 2 // 5
    return f"{text[: room - 1 - tail]}…{text[len(text) - tail :]}"
