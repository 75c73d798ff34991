"""Judges of older editions are asked what their stored verdicts were given by, to the letter."""

from __future__ import annotations

import hashlib
import lzma
import sqlite3
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from independence.clients import dialects
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


def editions(folder: Path) -> dict[str, Suite]:
    """The suites that the older stores hold."""
    out = {}
    for packed in sorted(STORES.glob("*.xz")):
        plain = folder / packed.stem
        plain.write_bytes(lzma.decompress(packed.read_bytes()))
        with closing(sqlite3.connect(plain)) as store:
            for suite, edition, document in store.execute("SELECT suite, edition, document FROM editions"):
                out[f"{suite}@{edition}"] = msgspec.json.decode(document, type=Suite)
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
async def test_a_judge_of_an_older_edition_is_asked_the_same(edition: str, tmp_path: Path) -> None:
    suite, digest = editions(tmp_path)[edition], hashlib.sha256()
    for scenario in suite.scenarios[:40]:
        for request in await asked(suite, scenario):
            digest.update(dialects.body(dialects.of("openrouter").parameters(request, None)))
    assert digest.hexdigest()[:16] == ASKED[edition]
