"""A text in a plainer form that knows where each of its characters stood before."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple


class LocatedText(NamedTuple):
    """A form of a text. `places`: of each character in the source, and where the source ends.

    LocatedText.of("I  am").replaced(re.compile(" +"), " ").source(2, 4)  # (3, 5)
    """

    text: str
    places: Sequence[int]

    @classmethod
    def of(cls, text: str) -> LocatedText:
        """A text as it is."""
        return cls(text, range(len(text) + 1))

    def replaced(self, pattern: re.Pattern[str], by: str) -> LocatedText:
        """With other words for each match, which stand where the match began."""
        parts, places, end = list[str](), list[int](), 0
        for match in pattern.finditer(self.text):
            parts += (self.text[end : match.start()], by)
            places += self.places[end : match.start()]
            places += [self.places[match.start()]] * len(by)
            end = match.end()
        if not parts:
            return self
        return LocatedText("".join((*parts, self.text[end:])), [*places, *self.places[end:]])

    def mapped(self, change: Callable[[str], str]) -> LocatedText:
        """With each character changed: to one, or to several that stand in its place."""
        changed = {char: change(char) for char in set(self.text)}
        text = "".join(map(changed.__getitem__, self.text))
        if len(text) == len(self.text):
            return LocatedText(text, self.places)
        places = [place for char, place in zip(self.text, self.places, strict=False) for _ in changed[char]]
        return LocatedText(text, [*places, self.places[-1]])

    def part(self, start: int, end: int) -> LocatedText:
        """A part of it."""
        return LocatedText(self.text[start:end], self.places[start : end + 1])

    def source(self, start: int, end: int) -> tuple[int, int]:
        """Where a part stood, with what was left out behind it."""
        return self.places[start], self.places[end]
