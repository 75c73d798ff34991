"""A text in a plainer form that knows where each of its characters stood before."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cached_property


class LocatedText:
    """A form of a text. Where its characters stood is worked out when that is asked for, which is seldom.

    LocatedText.of("I  am").replaced(re.compile(" +"), " ").source(2, 4)  # (3, 5)
    """

    def __init__(self, text: str, locate: Callable[[], Sequence[int]]) -> None:
        """`locate` gives the places of the characters in the source, and where the source ends."""
        self.text = text
        self._locate = locate

    @classmethod
    def of(cls, text: str) -> LocatedText:
        """A text as it is."""
        return cls(text, lambda: range(len(text) + 1))

    @cached_property
    def places(self) -> Sequence[int]:
        """The place of each character in the source, and where the source ends."""
        return self._locate()

    def replaced(self, pattern: re.Pattern[str], by: str) -> LocatedText:
        """With other words for each match, which stand where the match began. `by` has no backslash."""
        text, count = pattern.subn(by, self.text)
        if not count:
            return self

        def locate() -> Sequence[int]:
            places, end = list[int](), 0
            for match in pattern.finditer(self.text):
                places += self.places[end : match.start()]
                places += [self.places[match.start()]] * len(by)
                end = match.end()
            return [*places, *self.places[end:]]

        return LocatedText(text, locate)

    def mapped(self, change: Callable[[str], str]) -> LocatedText:
        """With each character changed: to one, or to several that stand in its place."""

        def locate() -> Sequence[int]:
            places = [place for char, place in zip(self.text, self.places, strict=False) for _ in change(char)]
            return [*places, self.places[-1]]

        text = change(self.text)
        return LocatedText(text, locate if len(text) != len(self.text) else lambda: self.places)

    def part(self, start: int, end: int) -> LocatedText:
        """A part of it."""
        return LocatedText(self.text[start:end], lambda: self.places[start : end + 1])

    def source(self, start: int, end: int) -> tuple[int, int]:
        """Where a part stood, with what was left out behind it."""
        return self.places[start], self.places[end]
