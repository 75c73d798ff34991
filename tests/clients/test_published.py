"""Extraction on published answers: what was broken in them is found, and nothing else is touched."""

from __future__ import annotations

import json
import re
import tarfile
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from independence.clients import protocol
from independence.clients.cleaning import artefact
from independence.clients.extract import Extracted, extract
from independence.clients.messages import WireCall, WireFunction, WireMessage

from .conftest import TOOL

pytestmark = pytest.mark.published


class Case(NamedTuple):
    published: str  # the text that was judged
    greeting: str
    found: Extracted


@pytest.fixture(scope="module")
def cases(published_data: Path) -> list[Case]:
    out = []
    with tarfile.open(published_data / "published-v2-part.tar.xz") as archive:
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


def test_whole_answers_are_left_as_they_are_and_artefacts_are_told_from_short_ones(cases: list[Case]) -> None:
    changed = [c for c in cases if c.found.text != c.published]
    assert len(changed) < 0.03 * len(cases)
    assert all(c.found.flags and c.found.raw for c in changed)
    kinds = Counter(artefact(c.found.text, c.greeting) for c in cases)
    assert (kinds["punctuation"], kinds["greeting"]) == (9, 2)
    short = [c.found.text for c in cases if len(c.found.text) < 25 and artefact(c.found.text, c.greeting) is None]
    assert any(text.startswith("No") for text in short)
    silent = [c for c in cases if not c.found.text]  # template tokens alone
    assert 0 < len(silent) < 5
    assert all(c.found.raw for c in silent)


def test_no_call_syntax_and_no_template_token_is_left_in_a_text(cases: list[Case]) -> None:
    syntax = re.compile(r"send_message_to_human\s*[({<]|<[|｜]|\|>|</arg_value>")
    assert [c.found.text for c in cases if syntax.search(c.found.text)] == []
    marks = Counter(flag for c in cases for flag in c.found.flags)
    assert marks[protocol.TOOL_SYNTAX] > 150
    assert marks[protocol.TEMPLATE_TOKENS] >= 10
    assert (marks[protocol.CUT_ARGUMENTS], marks[protocol.SEVERAL_CALLS]) == (2, 3)
