"""Text for the terminal. Whatever a model or a file wrote is escaped before it gets there."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

_CONTROL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e0fff]"
)


def plain(text: str) -> str:
    """The text with every control, invisible and lone surrogate character spelled out."""
    return _CONTROL.sub(lambda match: _spelled(ord(match[0])), text)


def _spelled(code: int) -> str:
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def console(stderr: bool = False) -> Console:
    """A Rich console that never reads markup out of the text it prints."""
    from rich.console import Console

    return Console(stderr=stderr, markup=False, highlight=False, emoji=False, soft_wrap=False)


def note(text: str, quiet: bool = False) -> None:
    """One line on stderr."""
    if not quiet:
        print(plain(text), file=sys.stderr, flush=True)
