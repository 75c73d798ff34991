"""A model of Inspect as our clients see it: what goes out, and what a reply of it is read as."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.e2e import command

pytestmark = pytest.mark.deep  # Inspect AI is an extra, and takes seconds to start

_SCRIPT = """
import asyncio, json, sys
from inspect_ai.model import ContentReasoning, ContentText, ChatMessageAssistant, ModelOutput, ModelUsage, get_model
from inspect_ai.model._model_output import ChatCompletionChoice
from inspect_ai.tool import ToolCall
from independence.extensions.inspect import models
from independence.types import ChatRequest, Message, Missing, Reply, Tool, Sampling

TOOL = Tool("speak", "Says.", "words", "What is heard.")
def output(content, calls=None, stop="stop"):
    message = ChatMessageAssistant(content=content, tool_calls=calls)
    usage = ModelUsage(input_tokens=5, output_tokens=7, total_tokens=15, input_tokens_cache_read=2,
                       input_tokens_cache_write=1, reasoning_tokens=3, total_cost=0.25)
    return ModelOutput(model="m", choices=[ChatCompletionChoice(message=message, stop_reason=stop)], usage=usage)
OUTPUTS = {
    "plain": [output("I keep it.")],
    "called": [output("aside", [ToolCall(id="1", function="speak", arguments={"words": "I keep it."})])],
    "reasoned": [output([ContentReasoning(reasoning="hm"), ContentText(text="I keep it.")])],
    "only thoughts": [output([ContentReasoning(reasoning="hm"), ContentText(text="")])] * 3,
    "cut": [output("I ke", stop="max_tokens"), output("I keep it.")],
    "filtered": [output("", stop="content_filter")],
}
async def main():
    found = {}
    for name, outputs in OUTPUTS.items():
        model = get_model("mockllm/model", custom_outputs=list(outputs), memoize=False)
        request = ChatRequest("model", (Message("user", "Hello"),), 64, Sampling(0.5), tool=TOOL, seed=7)
        answer = await models.InspectClient(model).ask(request)
        if isinstance(answer, Missing):
            found[name] = {"missing": answer.reason}
        else:
            found[name] = {"text": answer.text, "channel": answer.channel, "thinking": answer.thinking,
                           "reasoning": answer.reasoning, "flags": answer.flags, "cost": answer.usage.cost_usd,
                           "tokens": [answer.usage.prompt_tokens, answer.usage.completion_tokens,
                                      answer.usage.reasoning_tokens, answer.usage.cached_tokens]}
    names = ["openrouter/a/b", "openai-api/loop/x/y", "openai/gpt-5", "sim"]
    json.dump({"answers": found, "names": {n: list(models.identity(n)) for n in names}}, sys.stdout)
asyncio.run(main())
"""


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, dict[str, object]]]:
    pytest.importorskip("inspect_ai")
    ended = subprocess.run(
        [sys.executable, "-c", _SCRIPT], env=command.environment(), capture_output=True, text=True, check=False,
        cwd=tmp_path_factory.mktemp("inspect"), timeout=command.PATIENCE_S,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout)


READ = {
    "plain": {"text": "I keep it.", "channel": "content", "thinking": "", "reasoning": "", "flags": []},
    "called": {"text": "I keep it.", "channel": "tool", "thinking": "aside", "reasoning": "", "flags": []},
    "reasoned": {"text": "I keep it.", "channel": "content", "thinking": "", "reasoning": "hm", "flags": []},
    "only thoughts": {"missing": "no_answer"},
    "cut": {"text": "I keep it.", "reasoning": "", "flags": ["retried_length"]},
    "filtered": {"missing": "blocked"},
}


def test_a_reply_is_read_as_from_any_client_and_counted_over_attempts(found):
    answers = found["answers"]
    assert {name: {key: answers[name].get(key) for key in read} for name, read in READ.items()} == READ
    assert (answers["plain"]["tokens"], answers["plain"]["cost"]) == ([8, 7, 3, 2], 0.25)
    assert (answers["cut"]["tokens"], answers["cut"]["cost"]) == ([16, 14, 6, 4], 0.5)


def test_a_model_is_called_as_subjects_and_judges_are(found):
    assert found["names"] == {
        "openrouter/a/b": ["a/b", "openrouter", "a/b"],
        "openai-api/loop/x/y": ["loop/x/y", "loop", "x/y"],
        "openai/gpt-5": ["openai/gpt-5", "openai", "gpt-5"],
        "sim": ["sim", "sim", ""],
    }
