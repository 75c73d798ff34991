"""What the rules make of 300 answers to a probe: how many they read, and how many of those rightly.

A language model wrote the answers, and what each of them takes, before the rules were tuned to them: 12 kinds of
hedging in English, Spanish and German, on choices of the suite `reasons` and with many names that are plain words.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml

from independence.judge.picks import read
from independence.types import Missing


class ProbeAnswer(NamedTuple):
    kind: str
    language: str
    names: str
    takes: int
    text: str


GROUPS = yaml.safe_load(Path(__file__).with_name("answers.yaml").read_text("utf-8"))
ANSWERS = [
    ProbeAnswer(group["kind"], language, *answer)
    for group in GROUPS
    for language in ("en", "es", "de")
    for answer in group[language]
]


@pytest.fixture(scope="module")
def picks() -> dict[ProbeAnswer, int]:
    """What the rules take each answer to pick, where they read it."""
    found = {one: read(one.text, one.names.split("/")).pick for one in ANSWERS}
    return {one: pick for one, pick in found.items() if not isinstance(pick, Missing)}


def test_there_are_300_of_twelve_kinds_in_three_languages_and_of_many_choices() -> None:
    assert (len(set(ANSWERS)), len({one.kind for one in ANSWERS})) == (300, 12)
    assert min(Counter((one.kind, one.language) for one in ANSWERS).values()) >= 8
    assert len({frozenset(one.names.split("/")) for one in ANSWERS}) >= 20
    taken = Counter(one.takes for one in ANSWERS)
    assert min(taken.values()) >= 30
    assert max(taken[1], taken[2]) < 0.6 * 300


def test_nine_of_ten_are_read_and_99_of_100_of_these_rightly(picks: dict[ProbeAnswer, int]) -> None:
    wrong = [one for one, pick in picks.items() if pick != one.takes]
    assert len(picks) >= 0.9 * len(ANSWERS)
    assert len(wrong) <= 0.01 * len(picks), wrong


@pytest.mark.parametrize("language", ["en", "es", "de"])
def test_in_no_language_is_less_read(language: str, picks: dict[ProbeAnswer, int]) -> None:
    own = [one for one in ANSWERS if one.language == language]
    assert sum(one in picks for one in own) >= 0.85 * len(own)


def test_what_is_not_read_is_mostly_what_takes_nothing_or_names_both(picks: dict[ProbeAnswer, int]) -> None:
    left = [one for one in ANSWERS if one not in picks]
    named = [sum(name.casefold() in one.text.casefold() for name in one.names.split("/")) for one in left]
    assert sum(names > 1 or not one.takes for one, names in zip(left, named, strict=True)) >= 0.8 * len(left)
