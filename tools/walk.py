"""Print which files of the program a command goes through, and how often it goes from one file to another.

python tools/walk.py [--value TEXT] ARGUMENTS OF THE COMMAND ...

With `--value` only calls count that are given this value (as text) or an object that has it among its fields.
"""

from __future__ import annotations

import sys
import threading
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Any

SOURCE = str(Path(__file__).parent.parent / "src" / "independence")


class Walk:
    """Counts files and moves while Python calls its functions."""

    def __init__(self, value: str | None) -> None:
        self.files = Counter[str]()
        self.moves = 0
        self._value = value
        self._last = ""

    def __call__(self, frame: FrameType, event: str, _argument: Any) -> None:
        """As `sys.setprofile` calls it."""
        if event != "call" or not (name := frame.f_code.co_filename).startswith(SOURCE):
            return
        if self._value is not None and not any(map(self._holds, frame.f_locals.values())):
            return
        self.moves += name != self._last
        self._last = name
        self.files[name.removeprefix(SOURCE + "/")] += 1

    def _holds(self, found: object) -> bool:
        if isinstance(found, str | int | float):
            return str(found) == self._value
        fields: tuple[str, ...] = getattr(found, "__struct_fields__", getattr(found, "_fields", ()))
        return any(str(getattr(found, name, "")) == self._value for name in fields)


def main() -> None:
    """Run the command, then print the walk."""
    arguments = sys.argv[1:]
    value = arguments[1] if arguments[:1] == ["--value"] else None
    sys.argv = ["independence", *arguments[2 if value is not None else 0 :]]
    walk = Walk(value)
    from independence.cli.main import main as command  # imports are no part of the walk

    threading.setprofile(walk)
    sys.setprofile(walk)
    try:
        command()
    finally:
        sys.setprofile(None)
        for name, calls in walk.files.most_common():
            print(f"{calls:9,}  {name}", file=sys.stderr)
        print(f"{len(walk.files)} files, {walk.moves:,} moves", file=sys.stderr)


if __name__ == "__main__":
    main()
