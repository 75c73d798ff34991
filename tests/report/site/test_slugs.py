from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from independence.report.site import slugs


@given(st.text())
def test_a_slug_is_safe_in_any_path(name: str) -> None:
    assert re.fullmatch("[a-z0-9]+(-[a-z0-9]+)*", slugs.slug(name))
    assert len(slugs.slug(name)) <= 67


def test_names_that_are_spelled_alike_have_slugs_of_their_own() -> None:
    assert slugs.slug("openai--gpt-5@low-t0.7") == "openai-gpt-5-low-t0-7-" + slugs.slug("openai--gpt-5@low-t0.7")[-6:]
    assert slugs.slug("a.b") != slugs.slug("a-b")


@pytest.mark.parametrize(("subjects", "count"), [(0, 1), (1, 1), (6, 1), (7, 2), (12, 2), (13, 4), (79, 16), (130, 32)])
def test_buckets_hold_about_six_subjects(subjects: int, count: int) -> None:
    assert slugs.buckets(subjects) == count


def test_a_bucket_follows_from_the_slug() -> None:
    assert slugs.bucket("x-00001f", 16) == 15
    assert [slugs.tens(run) for run in (1, 10, 11, 20, 21)] == [0, 0, 1, 1, 2]
