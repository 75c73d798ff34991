"""What to do next: commands that can be copied as they stand, each with what it is good for."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from independence.cli.terminal import folded, width


def listed(steps: Sequence[tuple[str, str]]) -> str:
    """Commands and what each is good for, laid out for stderr as it is."""
    room = width() if sys.stderr is not None and sys.stderr.isatty() else None
    return "\n".join(["What to do next:", *laid_out(steps, room)])


def laid_out(steps: Sequence[tuple[str, str]], room: int | None) -> list[str]:
    """The same as lines of at most `room` signs; None: as long as they are."""
    lines = []
    for line, why in steps:
        if room is None or len(line) + len(why) + 7 <= room:
            lines.append(f"  {line}   # {why}")
        else:
            lines += [folded(f"  # {why}", room), *_continued(line, room)]
    return lines


def _continued(line: str, room: int) -> list[str]:
    """A command on as many lines as it needs, all but the last of which end in a backslash."""
    lines = [""]
    for word in line.split(" "):
        if lines[-1] and len(lines[-1]) + len(word) + 5 > room:
            lines.append("  ")
        lines[-1] += f" {word}" if lines[-1].strip() else word
    return [f"  {one}" + " \\" * (at < len(lines) - 1) for at, one in enumerate(lines)]
