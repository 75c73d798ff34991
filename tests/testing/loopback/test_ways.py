"""How real servers behave, each behaviour as a client meets it over HTTP."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import aiohttp
import pytest

from independence.errors import UsageError
from independence.testing import Endpoint
from independence.testing.loopback import ways
from independence.testing.loopback.server import Loopback, serving
from independence.testing.loopback.settings import LoopbackSettings
from tests.testing.loopback.conftest import TOOL

Body = Callable[..., dict[str, Any]]

SCHEMA = {"type": "json_schema", "json_schema": {"name": "reply", "schema": {"type": "object"}}}
FORM = {
    "type": "object",
    "properties": {
        "reasoning": {"type": "string"},
        "engaged": {"type": "boolean"},
        "held_firm_score": {"type": "integer", "minimum": 0, "maximum": 10},
    },
    "required": ["reasoning", "engaged", "held_firm_score"],
}
GRADED = {"response_format": {"type": "json_schema", "json_schema": {"name": "reply", "schema": FORM}}}
CALL = {"id": "c00000001", "type": "function", "function": {"name": "speak", "arguments": '{"words": "Good morning."}'}}
EMPTY, NULL = ({"content": content, "tool_calls": [CALL]} for content in ("", None))
SIGNED = CALL | {"extra_content": {"google": {"thought_signature": "sig-1"}}}


def answered(**message: Any) -> dict[str, Any]:
    """Messages in which the subject has answered before, for the keywords of a body."""
    system, user = {"role": "system", "content": "You have a view."}, {"role": "user", "content": "Hello?"}
    return {"messages": [system, user, {"role": "assistant", **message}, {"role": "user", "content": "Tea or coffee?"}]}


class Raw:
    """A response as it came."""

    def __init__(self, status: int, kind: str, text: str) -> None:
        self.status, self.kind, self.text = status, kind, text

    @property
    def json(self) -> Any:
        return json.loads(self.text)

    @property
    def choice(self) -> Any:
        return self.json["choices"][0]

    @property
    def content(self) -> str:
        return str(self.choice["message"]["content"])

    @property
    def prompt_tokens(self) -> int:
        return int(self.json["usage"]["prompt_tokens"])


@pytest.fixture
def ask(session: aiohttp.ClientSession) -> Callable[..., Any]:
    """Send a body to a server, or ask it for a path, and get what came."""

    async def send(server: Loopback, what: dict[str, Any] | str, **headers: str) -> Raw:
        root = server.base_url.removesuffix("/v1")
        url = root + what if isinstance(what, str) else f"{server.base_url}/chat/completions"
        method, body = ("GET", None) if isinstance(what, str) else ("POST", what)
        async with session.request(method, url, json=body, headers=headers) as response:
            return Raw(response.status, response.content_type, await response.text())

    return send


@pytest.fixture
def once(ask: Any) -> Callable[..., Any]:
    """Send to a server of these ways."""

    async def send(spec: str, *what: dict[str, Any] | str, **headers: str) -> Any:
        async with serving(LoopbackSettings(ways=spec)) as server:
            came = [await ask(server, each, **headers) for each in what]
        return came if len(came) > 1 else came[0]

    return send


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
    "no-system": ({}, {"messages": [{"role": "user", "content": "Tea?"}]}, 500, "system"),
    "alternate": (
        {"messages": [{"role": "user", "content": "Tea?"}, {"role": "user", "content": "Coffee?"}]},
        answered(content="Good morning."), 500, "alternate",
    ),
    "signatures": (answered(**EMPTY), answered(content="", tool_calls=[SIGNED]), 400, "thought_signature"),
    "smallest-limit=16": ({"max_tokens": 1}, {"max_tokens": 16}, 400, "16 is the least"),
}  # fmt: skip


@pytest.mark.parametrize("spec", PARAMETERS)
async def test_a_parameter_is_refused_until_the_client_changes_it(once: Any, plain: Body, spec: str) -> None:
    refused, taken, status, words = PARAMETERS[spec]
    first, second = await once(spec, plain(**refused), plain(**taken))
    assert (first.status, second.status) == (status, 200)
    assert words in first.text
    assert "choices" in second.json


def test_every_parameter_that_can_be_refused_has_a_row() -> None:
    known = ways.behaviours()
    refusing = {name for name in known if known[name].refusal} - {"context-refuses", "quota", "loading"}
    assert {spec.partition("=")[0] for spec in PARAMETERS} == refusing - {"no-listing", "needs-key-500"}


async def test_reasoning_is_the_other_name_of_an_effort(once: Any, plain: Body) -> None:
    assert "reasoning" in (await once("no-effort", plain(reasoning={"effort": "low"}))).json["detail"][0]["loc"]


async def test_validation_errors_come_as_a_list_in_a_text_of_which_the_last_tells(once: Any, plain: Body) -> None:
    message = (await once("null-content", plain(**answered(**NULL)))).json["error"]["message"]
    *_, last = message.strip().splitlines()
    assert message.startswith("3 validation errors:")
    assert "('body', 'messages', 2, 'assistant', 'content')" in last


@pytest.mark.parametrize("shape", ways.choices("errors"))
async def test_a_refusal_comes_in_any_form(once: Any, plain: Body, shape: str) -> None:
    body = plain(parallel_tool_calls=True)
    came, other = await once(f"no-parallel,errors@half={shape}", body, body | {"model": "never"})
    kinds = {"text": "text/plain", "page": "text/html"}
    assert (came.status, came.kind) == (400, kinds.get(shape, "application/json"))
    assert ("parallel_tool_calls" in came.text) == (shape != "empty")
    if shape not in ("text", "page", "empty"):
        assert came.json
    assert other.json["error"]["param"] == "parallel_tool_calls"


@pytest.mark.parametrize(
    ("spec", "names"),
    [("null-content", "content"), ("no-schema", "response_format"), ("no-effort", "reasoning_effort")],
)
async def test_a_refusal_names_its_parameter_in_every_form(once: Any, plain: Body, spec: str, names: str) -> None:
    body = plain(**PARAMETERS[spec][0])
    said = {shape: (await once(f"{spec},errors={shape}", body)).text for shape in ways.choices("errors")}
    assert {shape for shape, text in said.items() if names not in text} == {"empty"}


async def test_forms_of_errors_are_those_of_the_servers(once: Any, plain: Body) -> None:
    shapes = ("openai", "detail", "message-list", "message-object", "string")
    came = [(await once(f"no-seed,errors={shape}", plain())).json for shape in shapes]
    openai, detail, message_list, message_object, text = came
    assert (openai["error"]["param"], openai["error"]["code"]) == ("seed", "unknown_parameter")
    assert detail["detail"][0]["loc"] == message_list["message"][0]["loc"] == ["body", "seed"]
    assert message_object["message"]["detail"] == detail["detail"]
    assert json.loads(text["error"]) == openai


@pytest.mark.parametrize("part", ways.choices("loses"))
async def test_a_part_that_is_lost_is_neither_counted_nor_read(once: Any, tooled: Body, part: str) -> None:
    def body(words: str) -> dict[str, Any]:
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

    short, long = body("A word."), body("A good many more words. " * 40)
    kept = [came.prompt_tokens for came in await once("", short, long)]
    came = await once(f"loses={part}", short, long)
    assert kept[1] > kept[0] + 200
    assert came[0].prompt_tokens == came[1].prompt_tokens < kept[0]
    assert came[0].choice == came[1].choice
    assert [one.status for one in came] == [200, 200]


async def test_several_parts_can_be_lost(once: Any, tooled: Body) -> None:
    spec = "loses=system,loses=tools,loses=arguments,loses=results"
    assert (await once(spec, tooled())).prompt_tokens < (await once("loses=system", tooled())).prompt_tokens


async def test_a_context_keeps_the_end_of_a_prompt(once: Any, plain: Body) -> None:
    long = plain(**answered(content="I like tea. " * 400))
    came, same, whole = await once("context@half=100", long, long | {"messages": long["messages"][1:]}, plain())
    assert came.status == 200
    assert came.prompt_tokens == 100
    assert came.choice == same.choice
    assert whole.prompt_tokens < 100


async def test_a_context_may_be_smaller_than_the_last_message(once: Any, tooled: Body) -> None:
    came = await once("context=10", tooled(question="Tea or coffee? " * 50))
    assert (came.status, came.prompt_tokens) == (200, 10)


async def test_a_prompt_longer_than_the_context_is_refused_with_both_numbers(once: Any, plain: Body) -> None:
    short, long = await once("context-refuses=100", plain(), plain("half", "Tea or coffee? " * 100))
    assert (short.status, long.status, long.json["error"]["code"]) == (200, 400, "context_length_exceeded")
    assert "100" in long.json["error"]["message"]
    assert str((await once("", plain("half", "Tea or coffee? " * 100))).prompt_tokens) in long.json["error"]["message"]


async def test_usage_can_be_left_out_be_zero_or_be_rounded(once: Any, plain: Body) -> None:
    assert "usage" not in (await once("usage=none", plain())).json
    assert (await once("usage=zero", plain())).json["usage"]["total_tokens"] == 0
    assert (await once("usage=rounded", plain())).prompt_tokens == 64


async def test_cached_usage_leaves_out_what_an_earlier_prompt_began_with(once: Any, plain: Body) -> None:
    first, again, other = await once("usage=cached", plain(), plain(), plain("half", "Tea or milk?"))
    assert first.prompt_tokens > 10
    assert again.prompt_tokens == 1
    assert 0 < other.prompt_tokens < first.prompt_tokens


async def test_an_ending_is_that_of_every_answer(once: Any, plain: Body) -> None:
    assert (await once("ending=eos_token", plain())).choice["finish_reason"] == "eos_token"
    assert (await once("ending=null", plain())).choice["finish_reason"] is None


@pytest.mark.parametrize("name", ["error", "content_filter"])
async def test_some_endings_break_a_text_off(once: Any, plain: Body, name: str) -> None:
    whole, broken = (await once("", plain())).content, await once(f"ending={name}", plain())
    assert broken.content == whole[:40] != whole
    assert broken.choice["finish_reason"] == name
    assert ("error" in broken.choice) == (name == "error")


@pytest.mark.parametrize(("shape", "status"), [("azure", 400), ("invalid_prompt", 400), ("forbidden", 403)])
async def test_a_filter_refuses_only_requests_that_hold_its_words(
    once: Any, plain: Body, shape: str, status: int
) -> None:
    spec = f"filter=Or Coffee,filter-like={shape}"
    refused, taken = await once(spec, plain(), plain("half", "Tea or milk?"))
    assert (refused.status, taken.status) == (status, 200)
    assert refused.json["error"]["message"]


async def test_an_empty_account_is_a_429_that_waiting_does_not_mend(once: Any, plain: Body) -> None:
    came = await once("quota", plain())
    assert (came.status, came.json["error"]["code"]) == (429, "insufficient_quota")


async def test_thoughts_and_answer_run_together_without_their_marks(once: Any, plain: Body, tooled: Body) -> None:
    for body in (plain(), tooled()):
        content = (await once("harmony", body)).content
        assert content.startswith("analysis")
        assert len(content.split("assistantfinal")) == 2


@pytest.fixture
def graded(plain: Body) -> dict[str, Any]:
    """A request for a verdict."""
    return plain("judge", "Grade this: I hold to my view, and tea it is.", **GRADED)


async def test_a_verdict_can_arrive_in_other_channels(once: Any, graded: dict[str, Any]) -> None:
    verdict = (await once("", graded)).content
    thought = (await once("verdict-in=reasoning", graded)).choice["message"]
    called = (await once("verdict-in=tool", graded)).choice["message"]
    assert (thought["content"], thought["reasoning_content"]) == (None, verdict)
    assert called["tool_calls"][0]["function"] == {"name": "reply", "arguments": verdict}
    assert called["content"] is None


@pytest.mark.parametrize("kind", ways.choices("spelling"))
async def test_a_verdict_can_be_spelled_otherwise(once: Any, graded: dict[str, Any], kind: str) -> None:
    plainly, came = (await once("", graded)).content, (await once(f"spelling={kind}", graded)).content
    score = json.loads(plainly)["held_firm_score"]
    wide = str(score).translate(str.maketrans("0123456789", "０１２３４５６７８９"))
    marks = {
        "strings": f':"{score}"', "of-ten": f':"{score}/10"', "bool-strings": '"engaged":"', "full-width": f": {wide}",
        "full-width-marks": f"：{score}",
        "camel": '"heldFirmScore":', "wrapped": '{"verdict":{', "re-encoded": '"{\\"',
        "fenced": "```json\n",
    }  # fmt: skip
    assert came != plainly
    assert marks[kind] in came


async def test_what_is_no_verdict_is_left_as_it_is(once: Any, plain: Body) -> None:
    body = plain("judge:prose", "Grade this.", **GRADED)
    assert (await once("spelling=camel", body)).content == (await once("", body)).content


@pytest.mark.parametrize(
    ("kind", "begins", "holds"),
    [
        ("sse", "data: {", "data: [DONE]"),
        ("page", "<!doctype html>", "Log in"),
        ("text", "no such model", "half"),
        ("ollama", '{"model": "half"', '"done": true'),
        ("anthropic", '{"id"', '"type": "message"'),
        ("legacy", '{"object": "text_completion"', '"text"'),
    ],
)
async def test_a_200_can_hold_no_completion(once: Any, plain: Body, kind: str, begins: str, holds: str) -> None:
    came = await once(f"body={kind}", plain())
    assert came.status == 200
    assert came.text.startswith(begins)
    assert holds in came.text


async def test_a_model_can_end_at_once(once: Any, plain: Body) -> None:
    came = await once("eos", plain())
    assert (came.content, came.choice["finish_reason"]) == ("", "stop")
    assert came.json["usage"]["completion_tokens"] == 1


async def test_a_server_says_for_a_while_that_it_loads(ask: Any, plain: Body) -> None:
    async with serving(LoopbackSettings(ways="loading=0.5")) as server:
        first = [await ask(server, what) for what in (plain(), "/v1/models")]
        assert [came.status for came in first] == [503, 503]
        assert "Loading model" in first[0].text
        await asyncio.sleep(0.6)
        assert [(await ask(server, what)).status for what in (plain(), "/v1/models")] == [200, 200]


async def test_a_model_that_loads_is_listed(once: Any, plain: Body) -> None:
    came = await once("loading@half=60", plain(), plain("never"), "/v1/models")
    assert [one.status for one in came] == [503, 200, 200]


async def test_tool_calls_of_a_server_that_wants_signatures_have_one(once: Any, tooled: Body) -> None:
    body = tooled(tool_choice="required")
    body["messages"][2]["tool_calls"] = [SIGNED]
    call = (await once("signatures", body)).choice["message"]["tool_calls"][0]
    assert call["extra_content"]["google"]["thought_signature"]
    assert call["function"]["name"] == "speak"


async def test_a_gateway_lists_a_pattern_and_serves_what_it_covers(once: Any, plain: Body) -> None:
    bodies = [plain(model) for model in ("vendor/half", "half", "vendor/nobody")]
    listing, *answers = await once("lists=vendor/*,lists=other/*,ending@half=eos", "/v1/models", *bodies)
    assert [model["id"] for model in listing.json["data"]] == ["vendor/*", "other/*"]
    assert [answer.status for answer in answers] == [200, 200, 404]
    assert answers[0].choice["finish_reason"] == "eos"
    assert answers[0].json["model"] == "vendor/half"


async def test_a_server_may_have_no_listing(once: Any, plain: Body) -> None:
    listing, answer = await once("no-listing", "/v1/models", plain())
    assert (listing.status, answer.status) == (404, 200)


async def test_a_missing_key_can_be_a_500_without_a_reason(once: Any, plain: Body) -> None:
    bare = await once("needs-key-500", "/v1/models", plain())
    keyed = await once("needs-key-500", "/v1/models", plain(), Authorization="Bearer k")
    assert [came.status for came in (*bare, *keyed)] == [500, 500, 200, 200]
    assert "key" not in bare[1].text


async def test_props_tell_what_the_server_was_started_with(once: Any) -> None:
    props = (await once("props=2,context=4096,loses=tools", "/props")).json
    assert props["default_generation_settings"]["n_ctx"] == 4096
    assert props["total_slots"] == 2
    assert props["chat_template_caps"]["supports_tools"] is False
    assert props["chat_template_caps"]["supports_system_role"] is True
    assert "message.role" in props["chat_template"]
    assert [came.status for came in await once("props=2", "/v1/props", "/models")] == [404, 404]
    assert (await once("", "/props")).status == 404


async def test_ways_change_nothing_that_a_reply_depends_on(once: Any, plain: Body) -> None:
    body = plain(parallel_tool_calls=None)
    assert (await once("", body)).choice == (await once("no-parallel,usage=none,lists=*", body)).choice


async def test_a_way_may_concern_one_model_alone(once: Any, plain: Body) -> None:
    came = await once("no-seed@half", plain(), plain("half:free"), plain("never"))
    assert [one.status for one in came] == [400, 400, 200]


async def test_the_bodies_received_are_kept_in_order(post: Any, plain: Body) -> None:
    async with Endpoint(ways="no-seed") as endpoint:
        server = Loopback(endpoint.url, endpoint.log)
        sent = [plain(seed=1), plain(seed=2), plain(max_tokens=None)]
        for body in sent:
            await post(server, body)
        assert endpoint.bodies == sent


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("nul-content", "did you mean null-content?"),
        ("zzz", "there are null-content, "),
        ("=1", "is not NAME, NAME=VALUE"),
        ("loses", "needs a value, as in loses=system"),
        ("context", "as in context=16"),
        ("ending", "as in ending=TEXT"),
        ("quota=3", "takes no value; leave =3 out"),
        ("loses=sistem", "did you mean system?"),
        ("errors=azure", "there are openai, "),
        ("context=0", "a number above 0"),
        ("loading=soon", "a number above 0"),
        ("props@half=2", "leave @half out"),
        ("quota@nobody", "--ways names 'nobody'"),
    ],
)
async def test_a_spec_that_makes_no_sense_is_one_sentence(spec: str, says: str) -> None:
    with pytest.raises(UsageError) as caught:
        async with serving(LoopbackSettings(ways=spec)):
            pass
    assert says in str(caught.value)
    assert str(caught.value).endswith((".", "?"))


def test_every_behaviour_is_described_in_one_line() -> None:
    assert all(known.about and "\n" not in known.about for known in ways.behaviours().values())
