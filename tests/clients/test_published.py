"""Extraction on published answers: what was broken in them is found, and nothing else is touched."""

from __future__ import annotations

import json
import os
import re
import tarfile
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from independence.clients import protocol
from independence.clients.cleaning import artefact
from independence.clients.extract import Extracted, extract
from independence.clients.wire import WireCall, WireFunction, WireMessage

from .conftest import TOOL

pytestmark = pytest.mark.published


class Case(NamedTuple):
    published: str  # the text that was judged
    greeting: str
    found: Extracted


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    folder = os.environ.get("INDEPENDENCE_PUBLISHED_DATA")
    if not folder:
        pytest.skip("INDEPENDENCE_PUBLISHED_DATA is not set")
    out = []
    with tarfile.open(Path(folder) / "published-v2-part.tar.xz") as archive:
        for member in archive:
            if member.name.endswith(".json") and not member.name.endswith("name_extraction.json"):
                file = archive.extractfile(member)
                assert file is not None
                out.append(_case(json.load(file)))
    return out


def _case(record: dict[str, Any]) -> Case:
    made = record.get("response_tool_calls") or []
    calls = [WireCall(c["id"], WireFunction(c["function"]["name"], c["function"]["arguments"])) for c in made]
    content = record.get("content_thinking") if calls else record["response"]
    greeting = json.loads(record["request_messages"][2]["tool_calls"][0]["function"]["arguments"])["message"]
    found = extract(WireMessage(content=content, tool_calls=calls or None), TOOL)
    return Case(record["response"], greeting, found)


def test_whole_answers_are_left_as_they_are(cases: list[Case]) -> None:
    changed = [c for c in cases if c.found.text != c.published]
    assert len(changed) < 0.03 * len(cases)
    assert all(c.found.flags for c in changed)
    assert all(c.found.raw for c in changed)


def test_artefacts_are_told_from_short_answers(cases: list[Case]) -> None:
    kinds = Counter(artefact(c.found.text, c.greeting) for c in cases)
    assert kinds["punctuation"] == 9
    assert kinds["greeting"] == 2
    short = [c.found.text for c in cases if len(c.found.text) < 25 and artefact(c.found.text, c.greeting) is None]
    assert any(text.startswith("No") for text in short)


def test_no_call_syntax_and_no_template_token_is_left_in_a_text(cases: list[Case]) -> None:
    left = [
        c.found.text for c in cases if re.search(r"send_message_to_human\s*[({<]|<[|｜]|\|>|</arg_value>", c.found.text)
    ]
    assert left == []
    marks = Counter(flag for c in cases for flag in c.found.flags)
    assert marks[protocol.TOOL_SYNTAX] > 150
    assert marks[protocol.TEMPLATE_TOKENS] >= 10
    assert marks[protocol.CUT_ARGUMENTS] == 2
    assert marks[protocol.SEVERAL_CALLS] == 3


def test_template_tokens_alone_are_no_answer(cases: list[Case]) -> None:
    silent = [c for c in cases if not c.found.text]
    assert 0 < len(silent) < 5
    assert all(c.found.raw for c in silent)
