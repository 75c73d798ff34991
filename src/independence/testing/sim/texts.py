"""The words of simulated subjects and the cues they go by, and chance without state that picks among them.

The YAML files of this folder hold both, as sections of named lists. Slots in braces are filled where a line is used.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import TypeVar

from independence.config import documents

Lines = tuple[str, ...]
Section = Mapping[str, Lines]
Option = TypeVar("Option")

_FILES = ("texts.yaml", "controls.yaml", "advice.yaml", "deciders.yaml", "personas.yaml", "signs.yaml")


@cache
def _sections() -> Mapping[str, Section]:
    read = [documents.read(Path(__file__).with_name(file)) for file in _FILES]
    return {
        name: section for one in read for name, section in documents.convert(one, dict[str, dict[str, Lines]]).items()
    }


def texts(section: str) -> Section:
    """The lists of one section, by name."""
    return _sections()[section]


def keyed(*parts: object) -> str:
    """Parts as one key; their order counts."""
    return "\x1f".join(map(str, parts))


class Chooser:
    """Deterministic picks: the same key gives the same choices in the same order. Good for some forty picks."""

    __slots__ = ("_pool",)

    def __init__(self, key: object) -> None:
        self._pool = int.from_bytes(blake2b(str(key).encode(), digest_size=64).digest())

    def pick(self, options: Sequence[Option]) -> Option:
        """One of `options`, evenly."""
        self._pool, at = divmod(self._pool, len(options))
        return options[at]

    def line(self, section: str, name: str) -> str:
        """One line of a list, its slots unfilled."""
        return self.pick(texts(section)[name])

    def some(self, options: Sequence[Option], count: int) -> list[Option]:
        """`count` different ones of `options`, in the order drawn."""
        left = list(options)
        return [left.pop(left.index(self.pick(left))) for _ in range(min(count, len(left)))]
