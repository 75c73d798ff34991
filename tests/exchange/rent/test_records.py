from __future__ import annotations

from contextlib import suppress

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from independence.exchange.rent.records import (
    AnswerRecord,
    R,
    ScoredRecord,
    body,
    parse,
)


def decode(line: bytes, kind: type[R]) -> R:
    return parse("run.jsonl", 1, line, kind).record


def test_unknown_keys_are_left_out() -> None:
    assert decode(b'{"model_id": "m", "note":  {"a": 1.50} }', AnswerRecord).model_id == "m"


@pytest.mark.parametrize("value", [b"-1", b"1e30", b"99999999999999999999", b"1.5", b"true", b'"7"'])
def test_a_number_that_counts_nothing_is_no_record_of_this_format(value: bytes) -> None:
    with pytest.raises(ValueError, match=r"input_tokens"):
        decode(b'{"input_tokens": ' + value + b"}", AnswerRecord)


def test_what_python_writes_for_no_number_is_no_score_and_costs_no_line() -> None:
    read = decode(b'{"model_id": "m", "score": NaN, "response_text": "caf\xc3\xa9"}', ScoredRecord)
    assert (read.score, read.response_text) == ("NaN", "café")


@pytest.mark.parametrize(
    "line", [b"", b"{", b"[1, 2]", b'"text"', b"null", b'{"a": 1} x', b'{"model_id": "\xff"}', b"{" * 3000, b"\x00"]
)
def test_what_is_no_object_is_told_with_a_reason(line: bytes) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        decode(line, AnswerRecord)


@given(st.binary(max_size=200))
def test_any_bytes_are_a_record_or_a_reason(line: bytes) -> None:
    with suppress(ValueError):
        decode(line, AnswerRecord)


@pytest.mark.parametrize("raw", [b"null", b"5", b'{"choices": 1}', b'{"choices": []}'])
def test_a_raw_body_without_a_message_says_nothing(raw: bytes) -> None:
    assert body(msgspec.Raw(raw)).message.content is None


def test_a_raw_body_says_what_was_reasoned() -> None:
    raw = msgspec.Raw(b'{"model": "m", "choices": [{"message": {"content": "+1", "reasoning": "why"}}, {}]}')
    assert (body(raw).model, body(raw).message.content, body(raw).message.reasoning) == ("m", "+1", "why")
