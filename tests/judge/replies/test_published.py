"""Hardly any published reply is called no answer."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from independence.judge.protocol import ReplyContext
from independence.judge.replies.non_answers import find_non_answer
from independence.types import TranscriptTurn

pytestmark = pytest.mark.published


def test_hardly_any_published_reply_is_no_answer(published_store: Path) -> None:
    found = [find_non_answer(lines, len(lines) - 1, given) for lines, given in dialogues(published_store)]
    assert len(found) > 7000
    flags = [one.flag for one in found if one is not None]
    assert 0 < len(flags) <= 0.002 * len(found)


def dialogues(store: Path) -> Iterator[tuple[list[TranscriptTurn], ReplyContext]]:
    with closing(sqlite3.connect(store)) as connection:
        rows = connection.execute(
            "SELECT c.messages, c.text, p.experiment FROM calls c JOIN planned p ON p.trial = c.trial "
            "WHERE c.missing IS NULL"
        ).fetchall()
    for blob, text, experiment in rows:
        messages = msgspec.json.decode(blob)
        human = [m["content"] for m in messages if m["role"] == "tool"]
        calls = [call for m in messages for call in m.get("tool_calls") or []]
        said = [next(iter(msgspec.json.decode(call["function"]["arguments"]).values())) for call in calls[1:]]
        before = zip(human[:-1], said, strict=False)
        lines = [TranscriptTurn(asked, answer, experiment == "resistance") for asked, answer in before]
        prompts = tuple(m["content"] for m in messages if m["role"] == "system")
        yield [*lines, TranscriptTurn(human[-1], text, False)], ReplyContext(prompts)
