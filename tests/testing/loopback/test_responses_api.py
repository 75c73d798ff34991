"""The Responses API, as OpenAI's own client reads it: the same answers as those of chat completions."""

from __future__ import annotations

import json
from typing import Any

import pytest

from independence.testing.loopback import responses_api
from independence.testing.loopback.server import Loopback, serving
from independence.testing.loopback.settings import LoopbackSettings

openai = pytest.importorskip("openai")

TOOL: dict[str, Any] = {
    "type": "function", "name": "speak", "description": "Say something.", "strict": False,
    "parameters": {"type": "object", "properties": {"words": {"type": "string"}}, "required": ["words"]},
}  # fmt: skip
SAID = {"model": "half", "instructions": "You have a view.", "input": "Tea or coffee?", "max_output_tokens": 2048}
FORCED = {"tools": [TOOL], "tool_choice": {"type": "function", "name": "speak"}}


def client(server: Loopback) -> Any:
    return openai.AsyncOpenAI(base_url=server.base_url, api_key="none", max_retries=0)


async def streamed(own: Any, **asked: Any) -> tuple[list[str], Any]:
    """The kinds of the events, and the response that the client makes of them."""
    async with own.responses.stream(**asked) as stream:
        kinds = [event.type async for event in stream]
        return kinds, await stream.get_final_response()


async def test_an_answer_is_that_of_a_chat_completion_whole_and_streamed() -> None:
    async with serving(LoopbackSettings()) as server, client(server) as own:
        messages = [{"role": "system", "content": SAID["instructions"]}, {"role": "user", "content": SAID["input"]}]
        chat = await own.chat.completions.create(model="half", messages=messages, max_tokens=2048)
        whole = await own.responses.create(**SAID)
        kinds, final = await streamed(own, **SAID)
        cut = await own.responses.create(**SAID | {"max_output_tokens": 5})
    assert whole.output_text == final.output_text == chat.choices[0].message.content
    assert (whole.status, whole.usage) == (final.status, final.usage)
    assert (whole.usage.input_tokens, whole.usage.output_tokens) == (
        chat.usage.prompt_tokens, chat.usage.completion_tokens,
    )  # fmt: skip
    assert (kinds[0], kinds[-1]) == ("response.created", "response.completed")
    assert "response.output_text.delta" in kinds
    assert (cut.status, cut.incomplete_details.reason) == ("incomplete", "max_output_tokens")


async def test_calls_of_a_tool_and_what_came_of_them_go_both_ways() -> None:
    async with serving(LoopbackSettings(keep_bodies=1)) as server, client(server) as own:
        first = await own.responses.create(**SAID | FORCED)
        kinds, final = await streamed(own, **SAID | FORCED)
        call = first.output[-1]
        came = {"type": "function_call_output", "call_id": call.call_id, "output": "Why?"}
        asked = [{"role": "user", "content": [{"type": "input_text", "text": SAID["input"]}]}]
        then = [*asked, *(item.model_dump(exclude_none=True) for item in first.output), came]
        await own.responses.create(**SAID | FORCED | {"input": then})
        own_words = responses_api.chat_request(server.ledger.bodies[-1])
    assert (call.type, call.name, set(json.loads(call.arguments))) == ("function_call", "speak", {"words"})
    assert (final.output[-1].arguments, final.output[-1].call_id) == (call.arguments, call.call_id)
    assert "response.function_call_arguments.delta" in kinds
    said = json.loads(own_words)["messages"]
    assert [one["role"] for one in said] == ["system", "user", "assistant", "tool"]
    assert said[2]["tool_calls"][0]["id"] == said[3]["tool_call_id"] == call.call_id


async def test_a_judge_keeps_to_the_form_and_refusals_come_through() -> None:
    form = {"type": "json_schema", "name": "reply", "strict": True, "schema": {"type": "object", "properties": {}}}
    async with serving(LoopbackSettings(faults="429@always")) as server, client(server) as own:
        with pytest.raises(openai.RateLimitError):
            await own.responses.create(**SAID | {"model": "always"})
        graded = await own.responses.create(model="judge", input="Grade this.", text={"format": form})
        with pytest.raises(openai.BadRequestError):
            await own.responses.create(model="half", input=[{"role": "user"}])
        with pytest.raises(openai.NotFoundError):
            await own.responses.create(**SAID | {"model": "nobody"})
    assert isinstance(json.loads(graded.output_text), dict)
