from __future__ import annotations

import json
from contextlib import suppress

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from independence.exchange.rent.records import (
    AnswerRecord,
    LinePosition,
    ParsedLine,
    R,
    ScoredRecord,
    body,
    parse,
    to_json,
)


def decode(line: bytes, kind: type[R]) -> ParsedLine[R]:
    return parse(LinePosition("run.jsonl", 1), line, kind)


def test_a_value_of_another_type_costs_no_other_value() -> None:
    read = decode(b'{"model_id": "m", "latency_ms": "fast", "input_tokens": 3, "prompt_id": "007"}', AnswerRecord)
    assert read.wrong == ("latency_ms",)
    assert (read.record.latency_ms, read.record.input_tokens, read.record.prompt_id) == (None, 3, "007")
    assert bytes(read.whole["latency_ms"]) == b'"fast"'


@pytest.mark.parametrize("value", [b"-1", b"1e30", b"99999999999999999999", b"1.5", b"true", b'"7"'])
def test_a_number_that_counts_nothing_is_of_another_type(value: bytes) -> None:
    read = decode(b'{"input_tokens": ' + value + b', "run_id": ' + value + b"}", AnswerRecord)
    assert read.wrong == ("input_tokens", "run_id")
    assert bytes(read.whole["input_tokens"]) == value


def test_unknown_keys_are_named_and_kept_as_they_came() -> None:
    read = decode(b'{"model_id": "m", "note":  {"a": 1.50} }', AnswerRecord)
    assert read.unknown == ("note",)
    assert bytes(read.whole["note"]) == b'{"a": 1.50}'


def test_what_python_writes_for_no_number_is_no_score_and_costs_no_line() -> None:
    read = decode(b'{"model_id": "m", "score": NaN, "response_text": "caf\xc3\xa9"}', ScoredRecord)
    assert (read.wrong, read.record.score, read.record.response_text) == (("score",), None, "café")


@pytest.mark.parametrize(
    "line", [b"", b"{", b"[1, 2]", b'"text"', b"null", b'{"a": 1} x', b'{"a": "\xff"}', b"{" * 3000, b"\x00"]
)
def test_what_is_no_object_is_told_with_a_reason(line: bytes) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        decode(line, AnswerRecord)


@given(st.binary(max_size=200))
def test_any_bytes_are_a_record_or_a_reason(line: bytes) -> None:
    with suppress(ValueError):
        read = decode(line, AnswerRecord)
        assert set(read.unknown) | set(read.wrong) <= read.whole.keys()


TEXT = st.text(st.characters(codec="utf-8"), max_size=20)
PLAIN = (
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | TEXT
)
JSON = st.recursive(PLAIN, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3))


@settings(max_examples=60)
@given(st.dictionaries(TEXT, JSON, max_size=4))
def test_a_record_is_written_as_python_writes_it_and_reads_back(record: dict[str, object]) -> None:
    line = to_json(record)
    assert line == json.dumps(record, ensure_ascii=False).encode()
    assert {name: json.loads(bytes(raw)) for name, raw in decode(line, AnswerRecord).whole.items()} == record


def test_a_lone_surrogate_is_written_as_its_escape() -> None:
    assert json.loads(to_json({"text": "a\ud800"})) == {"text": "a\ud800"}


@pytest.mark.parametrize("raw", [b"null", b"5", b'{"choices": 1}', b'{"choices": []}'])
def test_a_raw_body_without_a_message_says_nothing(raw: bytes) -> None:
    assert body(msgspec.Raw(raw)).message.content is None


def test_a_raw_body_says_what_was_reasoned() -> None:
    raw = msgspec.Raw(b'{"model": "m", "choices": [{"message": {"content": "+1", "reasoning": "why"}}, {}]}')
    assert (body(raw).model, body(raw).message.content, body(raw).message.reasoning) == ("m", "+1", "why")
