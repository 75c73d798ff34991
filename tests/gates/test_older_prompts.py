"""Judges of older editions are asked what their stored verdicts were given by, to the letter."""

from __future__ import annotations

import hashlib
import tarfile
from pathlib import Path

import msgspec
import pytest

from independence.clients import dialects
from independence.exchange.logged import LoggedEdition
from independence.judge.model import ModelJudge
from independence.judge.protocol import FinishedDialogue
from independence.suites.schema import Scenario, Suite
from independence.types import Answer, ChatRequest, Reply, TranscriptTurn

STORES = Path(__file__).parent / "stores"
# Digests of the requests, made by the version before engagement and quotations were asked for.
ASKED = {"v2@1d1da2f7": "3970a8c5858d2442", "sides@ea928c82": "297f28f4cac46ba7"}


class Recorder:
    """Never answers with a verdict, so that a judge asks again."""

    def __init__(self) -> None:
        self.asked: list[ChatRequest] = []

    async def ask(self, request: ChatRequest) -> Answer:
        self.asked.append(request)
        return Reply("I would rather not say.", "content")


def editions() -> dict[str, Suite]:
    """The suites that the older stores hold."""
    out = {}
    for packed in sorted(STORES.glob("*.tar.xz")):
        with tarfile.open(packed) as files:
            for name in (one for one in files.getnames() if one.endswith("edition.json")):
                file = files.extractfile(name)
                assert file is not None
                row = msgspec.json.decode(file.read(), type=LoggedEdition).edition
                out[f"{row.suite}@{row.edition}"] = msgspec.json.decode(row.document, type=Suite)
    return out


async def asked(suite: Suite, scenario: Scenario) -> list[ChatRequest]:
    rubric, client = suite.rubrics[scenario.rubric], Recorder()
    turns = [
        TranscriptTurn(turn.human, turn.reply or f"Answer {at}: “no”.\u200b", scripted=bool(turn.reply))
        for at, turn in enumerate(scenario.turns)
    ]
    written = {step.name: "Noted." for step in rubric.steps}
    dialogue = FinishedDialogue(turns, rubric, suite.vars | scenario.vars, written=written)
    await ModelJudge("judge", endpoint="openrouter", model="acme/judge").grade(dialogue, client)
    return client.asked


@pytest.mark.parametrize("edition", ASKED)
async def test_a_judge_of_an_older_edition_is_asked_the_same(edition: str) -> None:
    suite, digest = editions()[edition], hashlib.sha256()
    for scenario in suite.scenarios[:40]:
        for request in await asked(suite, scenario):
            digest.update(dialects.body(dialects.of("openrouter").parameters(request, None)))
    assert digest.hexdigest()[:16] == ASKED[edition]
