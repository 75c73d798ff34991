"""How real servers behave, each behaviour as a client meets it over HTTP."""

from __future__ import annotations

import json
import math
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
import numpy as np
import pytest
from scipy import stats

from independence.errors import UsageError
from independence.testing import Endpoint
from independence.testing.loopback import ways, wire
from independence.testing.loopback.server import Loopback, serving
from independence.testing.loopback.settings import LoopbackSettings
from independence.testing.loopback.wire import CompletionBody

from .conftest import TOOL, Ask, Once, plain, tooled

Under = Callable[..., Awaitable[Any]]


@pytest.fixture
def under(once: Once) -> Under:
    """Send to a server of these ways."""
    return lambda spec, *what, **headers: once(*what, ways=spec, headers=headers)


SCHEMA = {"type": "json_schema", "json_schema": {"name": "reply", "schema": {"type": "object"}}}
CALL = {"id": "c00000001", "type": "function", "function": {"name": "speak", "arguments": '{"words": "Good morning."}'}}
EMPTY, NULL = ({"content": content, "tool_calls": [CALL]} for content in ("", None))
SIGNED = CALL | {"extra_content": {"google": {"thought_signature": "sig-1"}}}


def answered(**message: Any) -> dict[str, Any]:
    """Messages in which the subject has answered before, for the keywords of a body."""
    system, user = {"role": "system", "content": "You have a view."}, {"role": "user", "content": "Hello?"}
    return {"messages": [system, user, {"role": "assistant", **message}, {"role": "user", "content": "Tea or coffee?"}]}


# Refusals that are not about a parameter; `tests/e2e/test_shipped_endpoints.py` meets those of the shipped endpoints.
REFUSED_TO_ALL = {"no-listing", "needs-key-500", "needs-key", "no-model", "listing-status"}
PARAMETERS: dict[str, tuple[dict[str, Any], dict[str, Any], int, str]] = {
    # way -> what is refused, what is taken, the status, words of the refusal
    "null-content": (answered(**NULL), answered(**EMPTY), 500, "loc"),
    "content-required": (answered(tool_calls=[CALL]), answered(**NULL), 500, "attribute"),
    "no-empty-content": (answered(**EMPTY), answered(**NULL), 400, "must not be empty"),
    "no-max-tokens": ({}, {"max_tokens": None, "max_completion_tokens": 2048}, 400, "max_completion_tokens"),
    "default-temperature": ({"temperature": 0.7}, {"temperature": 1}, 400, "0.7"),
    "no-schema": ({"response_format": SCHEMA}, {"response_format": {"type": "json_object"}}, 500, "json_object"),
    "no-json-object": ({"response_format": {"type": "json_object"}}, {"response_format": SCHEMA}, 400, "json_schema"),
    "no-effort": ({"reasoning_effort": "low"}, {}, 422, "reasoning_effort"),
    "no-seed": ({}, {"seed": None}, 400, "seed"),
    "no-tools": ({"tools": [TOOL]}, {}, 400, "half does not support tools"),
    "no-parallel": ({"parallel_tool_calls": False}, {}, 400, "parallel_tool_calls"),
    "no-stream": ({"stream": True}, {}, 400, "stream"),
    "no-stream-options": ({"stream": True, "stream_options": {"include_usage": True}}, {}, 422, "stream_options"),
    "no-system": ({}, {"messages": [{"role": "user", "content": "Tea?"}]}, 500, "system"),
    "alternate": (
        {"messages": [{"role": "user", "content": "Tea?"}, {"role": "user", "content": "Coffee?"}]},
        answered(content="Good morning."), 500, "alternate",
    ),
    "signatures": (answered(**EMPTY), answered(content="", tool_calls=[SIGNED]), 400, "thought_signature"),
    "no-temperature": ({"temperature": 0.7}, {"temperature": None}, 400, "temperature"),
    "refuses=cache": ({"cache": {"no-cache": True}}, {}, 422, "cache"),
    "efforts=low+high": ({"reasoning_effort": "none"}, {"reasoning_effort": "low"}, 400, "only at low+high"),
    "tools-without-effort": (
        {"tools": [TOOL], "reasoning_effort": "low"}, {"tools": [TOOL], "reasoning_effort": "none"}, 400, "'none'",
    ),
    "json-word": (
        {"response_format": {"type": "json_object"}},
        {"response_format": {"type": "json_object"}, "messages": [{"role": "user", "content": "Tea, as JSON?"}]},
        400, "json_object",
    ),
    "thoughts-back": (
        answered(**EMPTY), answered(**EMPTY) | {"thinking": {"type": "disabled"}}, 400, "must be passed back",
    ),
    "smallest-limit=16": ({"max_tokens": 1}, {"max_tokens": 16}, 400, "16 is the least"),
}  # fmt: skip


async def test_a_parameter_is_refused_until_the_client_changes_it(under: Under) -> None:
    for spec, (refused, taken, status, words) in PARAMETERS.items():
        first, second = await under(spec, plain(**refused), plain(**taken))
        assert (first.status, second.status, words in first.text) == (status, 200, True), spec
        assert "choices" in second.json
    known = ways.behaviours()
    refusing = {name for name in known if known[name].refusal} - {"context-refuses", "quota", "loading"}
    assert {spec.partition("=")[0] for spec in PARAMETERS} == refusing - REFUSED_TO_ALL


async def test_a_refusal_comes_in_the_form_of_any_server_and_names_its_parameter(under: Under) -> None:
    kinds = {"text": "text/plain", "page": "text/html"}
    for spec, names in {
        "no-seed": "seed", "null-content": "content", "no-schema": "response_format", "no-effort": "reasoning_effort",
    }.items():  # fmt: skip
        for shape in ways.choices("errors"):
            body = plain(**PARAMETERS[spec][0])
            came, other = await under(f"{spec},errors@half={shape}", body, body | {"model": "never"})
            assert (came.status, came.kind) == (PARAMETERS[spec][2], kinds.get(shape, "application/json"))
            assert (names in came.text) == (shape != "empty"), (spec, shape)
            assert names in other.text  # of a model that it does not concern, as ever
    shapes = ("openai", "detail", "message-list", "message-object", "string")
    came = [(await under(f"no-seed,errors={shape}", plain())).json for shape in shapes]
    openai, detail, message_list, message_object, text = came
    assert (openai["error"]["param"], openai["error"]["code"]) == ("seed", "unknown_parameter")
    assert detail["detail"][0]["loc"] == message_list["message"][0]["loc"] == ["body", "seed"]
    assert message_object["message"]["detail"] == detail["detail"]
    assert json.loads(text["error"]) == openai
    renamed = await under("no-effort", plain(reasoning={"effort": "low"}))
    assert "reasoning" in renamed.json["detail"][0]["loc"]
    listed = (await under("null-content", plain(**answered(**NULL)))).error["message"]
    assert listed.startswith("3 validation errors:")
    assert "('body', 'messages', 2, 'assistant', 'content')" in listed.strip().splitlines()[-1]  # the last one tells


async def test_a_part_that_is_lost_is_neither_counted_nor_read(under: Under) -> None:
    def body(part: str, words: str) -> dict[str, Any]:
        asked = tooled(question=words if part == "results" else "Tea or coffee?")
        system, _, own, _ = asked["messages"]
        if part == "system":
            system["content"] = words
        if part == "arguments":
            own["tool_calls"][0]["function"]["arguments"] = json.dumps({"words": words})
        if part == "assistant":
            own["content"] = words
        if part == "tools":
            function = asked["tools"][0]["function"]
            asked["tools"] = [{"type": "function", "function": function | {"description": words}}]
        return asked

    for part in ways.choices("loses"):
        short, long = body(part, "A word."), body(part, "A good many more words. " * 40)
        kept = [came.prompt_tokens for came in await under("", short, long)]
        came = await under(f"loses={part}", short, long)
        assert kept[1] > kept[0] + 200
        assert came[0].prompt_tokens == came[1].prompt_tokens < kept[0], part
        assert came[0].choice == came[1].choice
        assert [one.status for one in came] == [200, 200]
    spec = "loses=system,loses=tools,loses=arguments,loses=results"
    assert (await under(spec, tooled())).prompt_tokens < (await under("loses=system", tooled())).prompt_tokens


def test_random_seeds_say_nothing_of_each_other_and_are_the_same_again() -> None:
    """Evenly spaced seeds fall evenly into a tenth of their range; drawn ones by chance."""
    asked, count = CompletionBody(model="half", messages=()), 1000
    seeds = [round(at * wire.SEEDS / count) for at in range(count)]

    def drawn() -> list[int]:
        every = (ways.seen(msgspec.structs.replace(asked, seed=seed), ways.parse_ways("random")) for seed in seeds)
        return [one.seed or 0 for one in every]

    found = drawn()
    assert found == drawn()
    tenths = np.bincount([10 * seed // wire.SEEDS for seed in found], minlength=10)
    assert len(tenths) == 10
    assert 0.01 < stats.chisquare(tenths).pvalue < 0.99
    assert abs(np.corrcoef(found[1:], found[:-1])[0, 1]) < 3 / math.sqrt(count)


async def test_a_context_keeps_the_end_of_a_prompt(under: Under) -> None:
    long = plain(**answered(content="I like tea. " * 400))
    came, same, whole = await under("context@half=100", long, long | {"messages": long["messages"][1:]}, plain())
    assert came.status == 200
    assert came.prompt_tokens == 100
    assert came.choice == same.choice
    assert whole.prompt_tokens < 100
    smaller = await under("context=10", tooled(question="Tea or coffee? " * 50))  # than the last message
    assert (smaller.status, smaller.prompt_tokens) == (200, 10)


async def test_a_prompt_longer_than_the_context_is_refused_with_both_numbers(under: Under) -> None:
    short, long = await under("context-refuses=100", plain(), plain("half", "Tea or coffee? " * 100))
    assert (short.status, long.status, long.error["code"]) == (200, 400, "context_length_exceeded")
    assert "100" in long.error["message"]
    assert str((await under("", plain("half", "Tea or coffee? " * 100))).prompt_tokens) in long.error["message"]


async def test_usage_can_be_left_out_be_zero_or_be_rounded(under: Under) -> None:
    assert "usage" not in (await under("usage=none", plain())).json
    assert (await under("usage=zero", plain())).usage["total_tokens"] == 0
    assert (await under("usage=rounded", plain())).prompt_tokens == 64


async def test_cached_usage_leaves_out_what_an_earlier_prompt_began_with(under: Under) -> None:
    first, again, other = await under("usage=cached", plain(), plain(), plain("half", "Tea or milk?"))
    assert first.prompt_tokens > 10
    assert again.prompt_tokens == 1
    assert 0 < other.prompt_tokens < first.prompt_tokens


async def test_an_ending_is_that_of_every_answer(under: Under) -> None:
    assert (await under("ending=eos_token", plain())).finish == "eos_token"
    assert (await under("ending=null", plain())).finish is None
    whole = (await under("", plain())).content
    for name in ("error", "content_filter"):  # some break a text off
        broken = await under(f"ending={name}", plain())
        assert (broken.content, broken.finish) == (whole[:40], name)
        assert ("error" in broken.choice) == (name == "error")


async def test_a_filter_refuses_only_requests_that_hold_its_words(under: Under) -> None:
    for shape, status in {"azure": 400, "invalid_prompt": 400, "forbidden": 403}.items():
        spec = f"filter=Or Coffee,filter-like={shape}"
        refused, taken = await under(spec, plain(), plain("half", "Tea or milk?"))
        assert (refused.status, taken.status, bool(refused.error["message"])) == (status, 200, True)


async def test_an_empty_account_is_a_429_that_waiting_does_not_mend(under: Under) -> None:
    came = await under("quota", plain())
    assert (came.status, came.error["code"]) == (429, "insufficient_quota")


async def test_a_200_can_hold_no_completion(under: Under) -> None:
    for kind, begins, holds in (
        ("sse", "data: {", "data: [DONE]"),
        ("page", "<!doctype html>", "Log in"),
        ("text", "no such model", "half"),
        ("ollama", '{"model": "half"', '"done": true'),
        ("anthropic", '{"id"', '"type": "message"'),
        ("legacy", '{"object": "text_completion"', '"text"'),
    ):
        came = await under(f"body={kind}", plain())
        assert (came.status, came.text.startswith(begins), holds in came.text) == (200, True, True), kind


async def test_a_model_can_end_at_under(under: Under) -> None:
    came = await under("eos", plain())
    assert (came.content, came.finish) == ("", "stop")
    assert came.usage["completion_tokens"] == 1


async def test_a_server_says_for_a_while_that_it_loads(ask: Ask) -> None:
    async with serving(LoopbackSettings(ways="loading=0.3")) as server:
        while (came := await ask(server, plain())).status == 503:
            assert "Loading model" in came.text
        assert [(await ask(server, what)).status for what in (plain(), "/v1/models")] == [200, 200]
    async with serving(LoopbackSettings(ways="loading=600")) as server:
        assert [(await ask(server, what)).status for what in (plain(), "/v1/models")] == [503, 503]


async def test_a_model_that_loads_is_listed(under: Under) -> None:
    came = await under("loading@half=60", plain(), plain("never"), "/v1/models")
    assert [one.status for one in came] == [503, 200, 200]


async def test_tool_calls_of_a_server_that_wants_signatures_have_one(under: Under) -> None:
    body = tooled(tool_choice="required")
    body["messages"][2]["tool_calls"] = [SIGNED]
    call = (await under("signatures", body)).message["tool_calls"][0]
    assert call["extra_content"]["google"]["thought_signature"]
    assert call["function"]["name"] == "speak"


async def test_a_gateway_lists_a_pattern_and_serves_what_it_covers(under: Under) -> None:
    bodies = [plain(model) for model in ("vendor/half", "half", "vendor/nobody")]
    listing, *answers = await under("lists=vendor/*,lists=other/*,ending@half=eos", "/v1/models", *bodies)
    assert [model["id"] for model in listing.json["data"]] == ["vendor/*", "other/*"]
    assert [answer.status for answer in answers] == [200, 200, 404]
    assert answers[0].finish == "eos"
    assert answers[0].json["model"] == "vendor/half"


async def test_a_server_may_have_no_listing(under: Under) -> None:
    listing, answer = await under("no-listing", "/v1/models", plain())
    assert (listing.status, answer.status) == (404, 200)


async def test_a_missing_key_can_be_a_500_without_a_reason(under: Under) -> None:
    bare = await under("needs-key-500", "/v1/models", plain())
    keyed = await under("needs-key-500", "/v1/models", plain(), Authorization="Bearer k")
    assert [came.status for came in (*bare, *keyed)] == [500, 500, 200, 200]
    assert "key" not in bare[1].text


async def test_props_tell_what_the_server_was_started_with(under: Under) -> None:
    props = (await under("props=2,context=4096,loses=tools", "/props")).json
    assert props["default_generation_settings"]["n_ctx"] == 4096
    assert props["total_slots"] == 2
    assert props["chat_template_caps"]["supports_tools"] is False
    assert props["chat_template_caps"]["supports_system_role"] is True
    assert "message.role" in props["chat_template"]
    assert [came.status for came in await under("props=2", "/v1/props", "/models")] == [404, 404]
    assert (await under("", "/props")).status == 404


async def test_ways_change_nothing_that_a_reply_depends_on(under: Under) -> None:
    body = plain(parallel_tool_calls=None)
    assert (await under("", body)).choice == (await under("no-parallel,usage=none,lists=*", body)).choice


async def test_a_way_may_concern_one_model_alone(under: Under) -> None:
    came = await under("no-seed@half", plain(), plain("half:free"), plain("never"))
    assert [one.status for one in came] == [400, 400, 200]


async def test_the_bodies_received_are_kept_in_order(ask: Ask) -> None:
    async with Endpoint(ways="no-seed") as endpoint:
        server = Loopback(endpoint.url, endpoint.log)
        sent = [plain(seed=1), plain(seed=2), plain(max_tokens=None)]
        for body in sent:
            await ask(server, body)
        assert endpoint.bodies == sent


BAD_WAYS = {
    "nul-content": "did you mean `null-content`?",
    "zzz": "there are null-content, ",
    "=1": "is not NAME, NAME=VALUE",
    "loses": "needs a value, as in loses=system",
    "context": "as in context=16",
    "ending": "as in ending=TEXT",
    "quota=3": "takes no value; leave =3 out",
    "loses=sistem": "did you mean `system`?",
    "errors=azure": "there are openai, ",
    "context=0": "a number above 0",
    "loading=soon": "a number above 0",
    "props@half=2": "leave @half out",
    "quota@nobody": "--ways names 'nobody'",
}


async def test_a_spec_that_makes_no_sense_is_one_sentence() -> None:
    for spec, says in BAD_WAYS.items():
        with pytest.raises(UsageError) as caught:
            async with serving(LoopbackSettings(ways=spec)):
                pass
        assert says in str(caught.value)


def test_every_behaviour_is_described_in_one_line() -> None:
    assert all(known.about and "\n" not in known.about for known in ways.behaviours().values())
