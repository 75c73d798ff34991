"""Text for the terminal. Whatever a model or a file wrote is escaped before it gets there."""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING

from independence.cli.hints import runnable

if TYPE_CHECKING:
    from rich.console import Console

_USUAL = 80  # columns
_CONTROL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e0fff]"
    # A joiner is part of an emoji and of nothing else that is printed here.
    "|(?<![\U0001f000-\U0001faff\u2600-\u27bf\ufe0f])\u200d"
)


def plain(text: str) -> str:
    """The text with every control, invisible and lone surrogate character spelled out."""
    return _CONTROL.sub(lambda match: _spelled(ord(match[0])), text)


def one_line(text: str) -> str:
    """The same for a cell of a table: no name of a model begins another row."""
    return plain(text).replace("\n", "\\u000a").replace("\t", "\\u0009")


def _spelled(code: int) -> str:
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def console(stderr: bool = False) -> Console:
    """A Rich console that never reads markup out of the text it prints."""
    from rich.console import Console

    return Console(stderr=stderr, markup=False, highlight=False, emoji=False, soft_wrap=False)


def width() -> int:
    """Columns of the terminal that stderr is; 80 where that is unknown."""
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or _USUAL
    except (OSError, ValueError, AttributeError):
        return _USUAL


def note(text: str, quiet: bool = False) -> None:
    """Lines on stderr; on a terminal they are broken between words, into a pipe or a file they go whole."""
    if quiet or sys.stderr is None:
        return
    safe = plain(runnable(text))
    print(folded(safe, width()) if sys.stderr.isatty() else safe, file=sys.stderr, flush=True)


def folded(text: str, columns: int) -> str:
    """Every line in as many as it needs; what follows the first is indented a little further than that one."""
    return "\n".join(part for line in text.split("\n") for part in _folded(line, columns))


def _folded(line: str, columns: int) -> list[str]:
    if len(line) <= columns:
        return [line]
    from independence.cli.table_layout import wrapped

    indent = " " * (len(line) - len(line.lstrip()))
    first, *others = wrapped(line, columns - len(indent) - 2)
    return [indent + first, *(f"{indent}  {other}" for other in others)]
