from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from independence.clients.pricing import FREE, Prices, listed_cost, number, prompt_tokens, reported_cost, reservation
from independence.types import Message, Usage

from .conftest import TOOL, question


def test_the_prompt_is_estimated_from_its_bytes() -> None:
    request = question(messages=(Message("system", "a" * 350), Message("user", "é" * 175)))
    assert prompt_tokens(request) == pytest.approx(700 / 3.5 + 16)


def test_tools_and_schemas_count_as_prompt() -> None:
    plain = prompt_tokens(question())
    assert prompt_tokens(question(tool=True)) > plain + len(TOOL.name) / 3.5
    assert prompt_tokens(question(schema={"type": "object"})) > plain


def test_a_reservation_covers_the_prompt_with_its_margin_and_the_dearest_completion() -> None:
    request = question(messages=(Message("user", "a" * 350),), max_tokens=1000)
    prices = Prices(prompt=1e-6, completion=2e-6, request=0.01, internal_reasoning=3e-6)
    assert reservation(request, prices) == pytest.approx(108 * 1.3e-6 + 1000 * 3e-6 + 0.01)


def test_a_free_model_reserves_nothing() -> None:
    assert reservation(question(), FREE) == 0.0


@pytest.mark.parametrize(("value", "expected"), [(1, 1.0), (0.5, 0.5), ("0.25", 0.25), ("1e-7", 1e-7), (0, 0.0)])
def test_numbers_may_come_as_text(value: object, expected: float) -> None:
    assert number(value) == expected


@pytest.mark.parametrize("value", [True, False, None, "", "free", "nan", "inf", -1, "-1", [], {}, 10**400, math.nan])
def test_what_is_no_amount_is_none(value: object) -> None:
    assert number(value) is None


def test_ones_own_key_adds_what_the_provider_takes() -> None:
    assert reported_cost(0.01, True, {"upstream_inference_cost": 0.2}) == pytest.approx(0.21)
    assert reported_cost(None, True, {"upstream_inference_cost": "0.2"}) == pytest.approx(0.2)
    assert reported_cost(0.01, True, {"upstream_inference_cost": None}) == 0.01
    assert reported_cost(0.01, False, {"upstream_inference_cost": 0.2}) == 0.01
    assert reported_cost(0.01, True, None) == 0.01


def test_a_cost_beyond_belief_is_not_a_cost() -> None:
    assert reported_cost(1e300, None, None) is None


def test_reasoning_tokens_cost_their_own_price_where_it_is_higher() -> None:
    usage = Usage(prompt_tokens=10, completion_tokens=100, reasoning_tokens=40)
    prices = Prices(prompt=1.0, completion=2.0, request=0.5, internal_reasoning=3.0)
    assert listed_cost(usage, prices) == pytest.approx(10 + 60 * 2 + 40 * 3 + 0.5)


@given(st.text(max_size=400), st.integers(1, 10_000))
def test_a_reservation_is_never_negative_and_grows_with_the_budget(text: str, tokens: int) -> None:
    prices = Prices(1e-6, 2e-6)
    small = reservation(question(messages=(Message("user", text),), max_tokens=tokens), prices)
    large = reservation(question(messages=(Message("user", text),), max_tokens=tokens + 1), prices)
    assert 0 < small < large
