from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from independence.testing.sim.texts import texts

SLOTS = {"name", "gender", "thing", "one", "other", "mine", "wish", "idea"}


def leaves(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from leaves(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from leaves(item)


def test_no_list_is_empty_and_nothing_is_said_twice_in_one() -> None:
    def lists(value: object) -> Iterator[list[str]]:
        if isinstance(value, dict):
            for item in value.values():
                yield from lists(item)
        elif isinstance(value, list | tuple) and value and isinstance(value[0], str):
            yield list(value)
        elif isinstance(value, list | tuple):
            assert value
            for item in value:
                yield from lists(item)

    for said in lists(msgspec.to_builtins(texts())):
        assert len(said) == len(set(said)) >= 2


def test_every_slot_is_one_that_somebody_fills() -> None:
    for text in leaves(msgspec.to_builtins(texts())):
        assert set(re.findall(r"\{(\w*)\}", text)) <= SLOTS


def test_no_name_belongs_to_both_genders() -> None:
    assert not set(texts().people.female) & set(texts().people.male)
