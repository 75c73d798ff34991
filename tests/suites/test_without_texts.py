from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from independence.stats import strict
from independence.suites.load import load
from independence.suites.without_texts import ABOUT, without_texts


def texts(value: Any) -> Iterator[str]:
    """Every string of a document that has a space in it."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list | tuple):
        for own in value:
            yield from texts(own)
    elif isinstance(value, str) and " " in value:
        yield value


@pytest.mark.parametrize("name", ["v1", "lite", "v2"])
def test_nothing_but_ids_and_the_labels_of_the_index_is_left(name: str) -> None:
    suite = load(name).suite
    labels = set(texts(msgspec.to_builtins(suite.index)))
    assert set(texts(msgspec.to_builtins(without_texts(suite)))) - labels == {ABOUT}
    assert [(one.id, one.title) for one in without_texts(suite).scenarios] == [
        (one.id, one.id) for one in suite.scenarios
    ]


@pytest.mark.parametrize("name", ["v1", "lite", "v2"])
def test_everything_that_scores_are_made_of_is_left(name: str) -> None:
    suite = load(name).suite
    bare, whole = strict.frame(without_texts(suite)), strict.frame(suite)
    assert (bare.index, bare.members) == (whole.index, whole.members)
    asked = {
        name for rubric in suite.rubrics.values() for field in rubric.fields.values() for name in field.requires or ()
    }
    assert bare.scenarios == {
        scenario: {name: ends for name, ends in fields.items() if name not in asked}
        for scenario, fields in whole.scenarios.items()
    }
    assert without_texts(without_texts(suite)) == without_texts(suite)


def test_a_grid_is_read_by_its_texts_and_keeps_them() -> None:
    suite = load("rent").suite
    assert without_texts(suite) == suite
