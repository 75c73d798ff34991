"""What documents say was sent is what was sent: script and answers against the stored request of every answer."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from independence.exchange.requests import Requests
from independence.report.pages.dialogue_schema import DialogueDocument, SentMessage, TextsDocument
from independence.report.pages.schema import IndexDocument
from independence.store import dialogues, scopes
from independence.store.file import database
from independence.types import Where
from tests.report.site.reading import Documents
from tests.stores import Stores

Said = tuple[str, str, str]  # role, words, tool called


def _really(request: bytes) -> list[Said]:
    """Every message by its role, words and the tool that it calls."""
    out = []
    for message in json.loads(request):
        calls: list[Any] = message.get("tool_calls") or []
        words, tool = message.get("content") or "", ""
        if calls:
            tool = calls[0]["function"]["name"]
            words = "\n\n".join(json.loads(calls[0]["function"]["arguments"]).values()) or words
        out.append((message["role"], words, tool))
    return out


def _told(texts: TextsDocument, dialogues: list[DialogueDocument]) -> Iterator[tuple[str, list[Said]]]:
    """`subject/scenario/run/place of the turn` -> the same, from the documents alone."""
    said = {(one.subject, one.run, turn.turn_id): turn.text for one in dialogues for turn in one.turns}
    tool = {message.call for message in texts.messages} - {""}
    for one in dialogues:
        for at, turn in enumerate(one.turns):
            parts = texts.scripts[f"{one.scenario}/{turn.turn_id}"] if turn.sent is None else turn.sent
            whole = [texts.messages[part] if isinstance(part, int) else part for part in parts]
            spoken = next(iter(tool), "")
            yield (
                f"{one.subject}/{one.scenario}/{one.run}/{at}",
                [
                    (part.role, part.text, part.call)
                    if isinstance(part, SentMessage)
                    else ("assistant", said[one.subject, one.run, part], spoken)
                    for part in whole
                ],
            )


def _stripped(messages: list[Said]) -> list[Said]:
    return [(role, words.strip(), tool) for role, words, tool in messages]


@pytest.mark.parametrize(
    "name", ["demo", "sides", "rent", "toy", "rent, published", pytest.param("published", marks=pytest.mark.deep)]
)
def test_script_and_answers_are_the_request_of_every_answer(
    name: str, documents: Callable[[str], Documents], stores: Stores
) -> None:
    read = documents(name)
    (texts,), dialogues = read.of(TextsDocument), list(read.dialogues())
    told = dict(_told(texts, dialogues))
    slugs = {one.config: one.slug for one in read.of(IndexDocument)[0].subjects}
    where = Where(read.board.suite, read.board.edition)
    really = {f"{slugs[config]}/{place}": request for config, place, request in _requests(stores(name), where)}
    assert told.keys() == really.keys()
    assert {key: _stripped(one) for key, one in told.items()} == {
        key: _stripped(_really(one)) for key, one in really.items()
    }
    turns = [turn for one in dialogues for turn in one.turns]
    if not read.board.imported:  # what was asked here is asked by its script
        assert all(turn.sent is None for turn in turns)
        assert {texts.graded[verdict.rubric] for one in dialogues for verdict in one.verdicts} <= texts.rubrics.keys()
        assert all(one.known and one.prompt for one in texts.rubrics.values())
    elif name == "published":  # few were asked for in another way than the others
        assert (len(turns), sum(turn.sent is not None for turn in turns)) == (7427, 22)
        assert not texts.ours
        assert all(not one.known and not one.prompt for one in texts.rubrics.values())
        assert texts.graded == {}
        assert not any(field.about for one in texts.rubrics.values() for field in one.fields)
        assert texts.tool is None


def _requests(db: Path, where: Where) -> Iterator[tuple[str, str, bytes]]:
    with database.reading(db) as connection:
        scope = scopes.find(connection, where.edition_name, None, None)
        known = Requests(connection, scope)
        for one in dialogues.read(connection, scope.where):
            for at, sent in enumerate(known.of(one)):
                yield one.config, f"{one.scenario}/{one.run}/{at}", sent
