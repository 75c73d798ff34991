from __future__ import annotations

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from independence.exchange.responses import PublishedCall, PublishedFunction, response_file
from independence.types import FunctionCall, ToolCall, Usage

_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=10,
)


def test_a_full_file_is_read_and_stray_keys_are_ignored() -> None:
    record = response_file(
        json.dumps(
            {
                "metadata": {
                    "model": "acme/small-1",
                    "timestamp": "2026-03-01T10:00:00+00:00",
                    "scenario_id": "direct",
                },
                "response": " Hello there. \n",
                "finish_reason": None,
                "gen_cost": {
                    "prompt_tokens": 3,
                    "completion_tokens": 4,
                    "cost_usd": 0.5,
                    "_byok_original_cost_usd": 1.0,
                },
                "judge_raw": None,
                "request_messages": [{"role": "system", "content": "Be."}],
            }
        ).encode()
    )
    assert record is not None
    assert record.text == "Hello there."
    assert record.gen_cost is not None
    assert record.gen_cost.usage == Usage(3, 4, cost_usd=0.5)
    assert record.finish_reason is None
    assert bytes(record.request_messages) == b'[{"role": "system", "content": "Be."}]'


def test_a_file_without_a_finish_reason_differs_from_one_with_null() -> None:
    record = response_file(b'{"response": "x"}')
    assert record is not None
    assert record.finish_reason is msgspec.UNSET


def test_a_stored_null_answer_is_blank_text() -> None:
    record = response_file(b'{"response": null}')
    assert record is not None
    assert record.text == ""


@pytest.mark.parametrize(
    "content",
    [b"", b"null", b"[]", b"{", b'{"metadata": {}}', b'{"response": 3}', b'{"response": "\xff"}',
     b'{"response": "x", "judge_scores": {"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}}"],
)  # fmt: skip
def test_what_is_no_response_file_is_none(content: bytes) -> None:
    assert response_file(content) is None


@given(st.dictionaries(st.sampled_from(["response", "metadata", "gen_cost", "judge_scores", "finish_reason"]), _JSON))
def test_no_json_object_makes_reading_fail(values: dict[str, object]) -> None:
    record = response_file(json.dumps(values).encode())
    assert record is None or isinstance(record.text, str)


def test_absent_parts_of_a_tool_call_become_empty_text() -> None:
    assert PublishedCall(None, PublishedFunction(None, None)).typed() == ToolCall("", FunctionCall("", ""))
