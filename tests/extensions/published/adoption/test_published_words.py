"""An adopted suite sends what the published program sends, request by request."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest

from independence.clients import dialects
from independence.extensions.published.adoption.suite_folder import adopt
from independence.extensions.published.dialogues import verdict_turn
from independence.judge.model import ModelJudge
from independence.judge.protocol import FinishedDialogue
from independence.suites import script
from independence.suites.schema import Suite
from independence.suites.script import DialogueScript, Exchange
from independence.types import Answer, ChatRequest, Condition, Reply, Sampling, TranscriptTurn
from tests.extensions.published.adoption import oracle

pytestmark = pytest.mark.published

CALLS = {"main": 26, "lite": 24, "v1": 34}
VERDICTS = {"main": 15, "lite": 14, "v1": 14}


class Published(NamedTuple):
    """A layout adopted, and what the published program sends."""

    layout: str
    suite: Suite
    calls: list[dict[str, Any]]
    verdicts: list[dict[str, Any]]

    def reply(self, dialogue: DialogueScript, turn_id: str) -> tuple[str, str]:
        """What the oracle answered in a turn of a dialogue, and what it kept to itself."""
        own = Condition(dialogue.condition.variant, dialogue.condition.mode)
        found = [c for c in self.calls if c["turn"] == turn_id and Condition(c["variant"], c["mode"]) == own]
        return found[0]["reply"], found[0]["private"]

    def dialogues(self) -> dict[tuple[str, str, str], DialogueScript]:
        """Every dialogue by variant, mode and turn."""
        return {
            (variant, mode, turn.id): script.compose(self.suite, scenario, Condition(variant, mode))
            for variant, mode in oracle.CELLS
            for scenario in self.suite.scenarios
            for turn in scenario.turns
            if turn.reply is None
        }


@pytest.fixture(scope="module", params=["main", "lite", "v1"])
def published(
    request: pytest.FixtureRequest, published_data: Path, tmp_path_factory: pytest.TempPathFactory
) -> Published:
    clone = published_data / "published-source" / request.param
    if not clone.is_dir():
        pytest.skip("INDEPENDENCE_PUBLISHED_DATA has no published source")
    adopted = adopt(clone, tmp_path_factory.mktemp("adopted") / "suite")
    assert adopted.layout == request.param
    command = [sys.executable, "-B", oracle.__file__, str(clone)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return Published(request.param, adopted.loaded.suite, **json.loads(done.stdout))


def sent(request: ChatRequest) -> dict[str, Any]:
    """A request as it goes over the wire of a server that takes every parameter."""
    document = json.loads(dialects.body(dialects.of("openrouter").parameters(request, None)))
    assert isinstance(document, dict)
    return document


def exchanges(published: Published, dialogue: DialogueScript, turn_id: str) -> list[Exchange]:
    out: list[Exchange] = []
    for turn in dialogue.turns:
        if turn.id == turn_id:
            return [*out, Exchange(turn.human)]
        if turn.reply is not None:
            out.append(Exchange(turn.human, turn.reply))
        else:
            out.append(Exchange(turn.human, *published.reply(dialogue, turn.id)))
    raise AssertionError(turn_id)


def test_every_request_of_every_condition_is_the_published_one(published: Published) -> None:
    """Messages, tool schema, budget and temperature; ids of calls where they count within one dialogue."""
    dialogues = published.dialogues()
    assert len(published.calls) == len(dialogues) == 4 * CALLS[published.layout]
    for call in published.calls:
        dialogue = dialogues[call["variant"], call["mode"], call["turn"]]
        setting = script.DialogueSetting(dialogue.system, dialogue.context, dialogue.tool)
        ours = sent(ChatRequest(
            "any/model", script.messages(setting, exchanges(published, dialogue, call["turn"])), dialogue.max_tokens,
            Sampling(published.suite.default.temperature),
            tool=script.offered(dialogue.tool) if dialogue.tool else None,
        ))  # fmt: skip
        theirs = {key: value for key, value in call["request"].items() if value is not None}
        assert ours == theirs, (call["variant"], call["mode"], call["turn"])


class Recorder:
    """Keeps what a judge asks."""

    def __init__(self, verdict: dict[str, Any]) -> None:
        self.asked: list[ChatRequest] = []
        self.verdict = verdict

    async def ask(self, request: ChatRequest) -> Answer:
        self.asked.append(request)
        return Reply(json.dumps(self.verdict), "content")


async def test_every_judge_prompt_is_the_published_one_and_sent_like_it(published: Published) -> None:
    """One user message without a schema, at the same temperature and budget, nothing said of reasoning."""
    scenarios = {verdict_turn(scenario): scenario for scenario in published.suite.scenarios}
    assert len(published.verdicts) == 4 * len(scenarios) == 4 * VERDICTS[published.layout]
    for verdict in published.verdicts:
        scenario = scenarios[verdict["turn"]]
        dialogue = script.compose(published.suite, scenario, Condition(verdict["variant"], verdict["mode"]))
        rubric = published.suite.rubrics[scenario.rubric]
        turns = [
            TranscriptTurn(turn.human, turn.reply or published.reply(dialogue, turn.id)[0], scripted=bool(turn.reply))
            for turn in dialogue.turns
        ]
        client = Recorder({name: field.range[0] if field.range else True for name, field in rubric.fields.items()})
        judge = ModelJudge("judge", endpoint="openrouter", model=verdict["request"]["model"])
        await judge.grade(FinishedDialogue(turns, rubric, published.suite.vars | scenario.vars), client)
        theirs = {**verdict["request"]}
        assert theirs.pop("reasoning_effort") == "off"
        ours = sent(msgspec.structs.replace(client.asked[0], seed=None))
        assert ours == theirs, (verdict["variant"], verdict["mode"], verdict["turn"])
