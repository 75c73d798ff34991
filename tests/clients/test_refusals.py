"""What servers answer in the place of a completion, and what a call makes of it: shapes of real servers."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from independence.clients.catalogue import ModelInfo
from independence.clients.limits import Prices
from independence.clients.protocol import Adapted, GaveUp, Parked, Policy, Refused, Wait
from independence.errors import KeyRejected, OutOfCredit
from independence.types import Reply

from .conftest import FINE, INFO, KEY, MODEL, Connect, Line, Scripted, Step, answered, completion, failing, question

PATIENT = Policy(base_backoff_s=0.0, retries=3)
SCHEMA = {"type": "object", "required": ["score", "kept"]}
LISTED = ModelInfo(
    MODEL, Prices(), supported_parameters=frozenset({"tools", "temperature", "seed", "parallel_tool_calls"})
)


def openai(status: int, message: str, /, **fields: Any) -> Step:
    return Step(status, {"error": {"message": message, **fields}})


def places(*loc: str | int, msg: str = "Extra inputs are not permitted", **fields: Any) -> dict[str, Any]:
    """One entry of a validation error."""
    return {"type": "x", "loc": ["body", *loc], "msg": msg, **fields}


async def became(line: Line, **changes: Any) -> str:
    """What a call comes to, in a word."""
    try:
        answer = await line.client.ask(question(**changes))
    except (Refused, Parked, GaveUp, KeyRejected, OutOfCredit) as stop:
        return type(stop).__name__
    return answer.text if isinstance(answer, Reply) else answer.reason


@pytest.fixture
def there(connect: Connect) -> Callable[..., Line]:
    return lambda dialect="local", **changes: connect(dialect, policy=PATIENT, **{"info": None, **changes})


FILTERED_BODY = completion("", finish="content_filter", usage=None)
ABOUT_ONE_REQUEST = {
    "Azure": openai(
        400, "Stopped by the content management policy.", code="content_filter", param="prompt",
        innererror={"code": "ResponsibleAIPolicyViolation"},
    ),
    "Azure Foundry sends the completion that its filter ended": Step(400, FILTERED_BODY),
    "OpenAI": openai(400, "Flagged under our usage policy.", code="invalid_prompt", type="invalid_request_error"),
    "plain 403": openai(403, "Blocked by the content policy of the provider", code=403),
    "DashScope": openai(400, "Not let through.", code="data_inspection_failed", type="data_inspection_failed"),
    "DashScope through a gateway": openai(400, "<400> InternalError.Algo.DataInspectionFailed: not let through"),
    "Moonshot": openai(400, "This was rejected: high risk", code=400, param="prompt", type="content_filter"),
    "OpenRouter": failing(403, "no", metadata={"reasons": ["violence"], "provider_name": "Maker"}),
    "Bedrock through LiteLLM": openai(400, "litellm.BadRequestError: BedrockException - Guardrail stopped it"),
    "451": Step(451, {"error": "for safety reasons"}),
    "a filter in the choice": Step(body=completion("I would", finish="content_filter")),
    "Gemini": Step(body=completion("I would", finish="PROHIBITED_CONTENT")),
    "Anthropic": Step(body=completion("", finish="refusal")),
}  # fmt: skip
TOO_LONG = {
    "vLLM": Step(400, {"object": "error", "message": "The maximum context length is 4096 tokens.", "code": 400}),
    "llama.cpp": openai(500, "exceeds the available size", code=500, type="exceed_context_size_error", n_ctx=256),
    "llama-cpp-python": Step(500, {"error": {"message": "Requested tokens (516) exceed context window of 512"}}),
    "OpenAI": openai(400, "too many", code="context_length_exceeded", param="messages"),
    "Anthropic through LiteLLM": openai(
        400, 'litellm.BadRequestError: - {"type":"error","error":{"message":"prompt is too long: 9 > 8"}}', code="400"
    ),
    "Gemini": Step(400, [{"error": {"code": 400, "message": "The input token count (9) exceeds 8 tokens"}}]),
    "a proxy": Step(413, b"<html><head><title>413 Request Entity Too Large</title></head></html>"),
}  # fmt: skip


@pytest.mark.parametrize(
    ("step", "reason"),
    [
        *((step, "blocked") for step in ABOUT_ONE_REQUEST.values()),
        *((step, "too_long") for step in TOO_LONG.values()),
        (Step(body={"choices": [{"finish_reason": "content_filter: PROHIBITED_CONTENT"}]}), "blocked"),
        (Step(body=completion("", finish="content_filter: SAFETY")), "blocked"),
        (Step(body={"choices": [], "promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}}), "blocked"),
        (openai(400, "Content Exists Risk", type="invalid_request_error"), "blocked"),
        (openai(400, "请您避免输入", code="1301"), "blocked"),
        (Step(422, {"error": "`inputs` must have less than 9 tokens. Given: 10"}), "too_long"),
        (Step(422, {"error": "`inputs` tokens + `max_new_tokens` must be <= 9."}), "too_long"),
        # vLLM names the budget first: prompt and answer do not fit, and no other name of the limit helps.
        (openai(400, "'max_tokens' is too large: 9. The maximum context length is 10 tokens", code=400), "too_long"),
    ],
)
async def test_a_refusal_of_one_request_is_its_answer_after_one_request(
    server: Scripted, there: Callable[..., Line], step: Step, reason: str
) -> None:
    server.says(step)
    assert await became(there()) == reason
    assert len(server.seen) == 1


GOOGLE_MINUTE = {
    "code": 429, "status": "RESOURCE_EXHAUSTED",
    "message": "You exceeded your current quota, please check your plan and billing details. Please retry in 0.1s.",
    "details": [{"@type": "RetryInfo", "retryDelay": "0.1s"}, {"quotaId": "RequestsPerMinutePerModel-FreeTier"}],
}  # fmt: skip


@pytest.mark.parametrize(
    ("step", "end"),
    [
        (openai(429, "You exceeded your current quota.", code="insufficient_quota"), "OutOfCredit"),
        (openai(402, "Insufficient Balance", code="invalid_request_error"), "OutOfCredit"),
        (openai(429, "Your account is suspended.", type="exceeded_current_quota_error"), "OutOfCredit"),
        (openai(400, "Your credit balance is too low for this API.", type="invalid_request_error"), "OutOfCredit"),
        (openai(429, "Insufficient balance or no resource package", code="1113"), "OutOfCredit"),
        (openai(403, "Key limit exceeded (monthly limit)", code=403), "OutOfCredit"),
        (openai(400, "Not in good standing: overdue-payment", code="Arrearage"), "OutOfCredit"),
        (openai(412, "Suspended: spending limit reached", code="x"), "OutOfCredit"),
        (openai(403, "Your team doesn't have any credits yet."), "OutOfCredit"),
        (openai(401, "no"), "KeyRejected"),
        (openai(400, "API key not valid. Pass a valid API key.", status="INVALID_ARGUMENT"), "KeyRejected"),
        (openai(400, "No connected db.", type="no_db_connection", code="400"), "KeyRejected"),
        (openai(500, "Authentication Error, No api key passed in.", type="auth_error"), "KeyRejected"),
        (openai(429, "quota RequestsPerDayPerModel"), "Parked"),
        (Step(429, {"message": "slow down"}, {"Retry-After": "86400"}), "Parked"),
        (Step(429, [{"error": GOOGLE_MINUTE}]), "I am myself."),
        (openai(404, "The model `m` does not exist", code="model_not_found"), "Refused"),
        (openai(400, "m does not support tools", type="api_error"), "Refused"),
        (openai(429, "Rate limit reached on tokens per minute (TPM); see settings/billing"), "I am myself."),
        (openai(503, "Service unavailable"), "I am myself."),
        (openai(500, "Internal Server Error"), "I am myself."),
        (Step(502, b"<html><title>Bad gateway</title></html>"), "I am myself."),
        (Step(529, {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}), "I am myself."),
        (Step(200, {"status": "449", "msg": "too fast", "body": None}), "I am myself."),
    ],
)
async def test_what_concerns_key_account_model_or_server_ends_or_waits_at_once(
    server: Scripted, there: Callable[..., Line], step: Step, end: str
) -> None:
    server.says(step, FINE)
    assert await became(there()) == end
    assert len(server.seen) == (2 if end == "I am myself." else 1)


@pytest.mark.parametrize(
    ("finish", "kinds", "end"),
    [
        ("error", ["error"] * 4, "transport"),
        ("insufficient_system_resource", ["ending"] * 3, "transport"),  # DeepSeek
        ("function_call_filter: MALFORMED_FUNCTION_CALL", ["ending"] * 3, "transport"),  # Gemini
        ("abort", ["ending"] * 3, "transport"),  # SGLang and vLLM
        ("ERROR_TOXIC", ["ending"] * 3, "transport"),  # Cohere
        *((good, ["ok"], "I would") for good in ("stop", "STOP", "eos_token", "COMPLETE", "end_turn", "tool_calls")),
        (None, ["ok"], "I would"),
    ],
)
async def test_an_ending_that_is_not_known_to_be_good_is_no_answer(
    server: Scripted, there: Callable[..., Line], finish: str, kinds: list[str], end: str
) -> None:
    server.says(completion("I would", finish=finish))
    answer = await there().client.ask(question())
    assert (answer.text if isinstance(answer, Reply) else answer.reason) == end
    assert [attempt.outcome for attempt in answer.attempts] == kinds
    assert answer.raw == ("" if isinstance(answer, Reply) else "I would")
    if not isinstance(answer, Reply):
        assert f"`{finish}`" in answer.detail


@pytest.mark.parametrize("error", [{"code": 502, "message": "gone"}, "gone"])
async def test_an_error_beside_a_half_answer_is_asked_again(
    server: Scripted, there: Callable[..., Line], error: Any
) -> None:
    half = completion("I would", finish="error")
    half["choices"][0]["error"] = error
    server.says(half, FINE)
    assert (await answered(there())).text == "I am myself."
    assert len(server.seen) == 2


@pytest.mark.parametrize("content", [f"It is {KEY}", "Half \ud83d"])
async def test_what_is_kept_of_a_broken_answer_is_text_without_the_key(
    server: Scripted, there: Callable[..., Line], content: str
) -> None:
    server.says(completion(content, finish="content_filter"))
    answer = await there().client.ask(question())
    assert KEY not in repr(answer)
    answer.raw.encode()


NO_SCHEMA = (
    "[{'type': 'literal_error', 'loc': ('body', 'response_format', 'type'), "
    "'msg': \"Input should be 'text' or 'json_object'\", 'input': 'json_schema'}]"
)
NO_NULL = (
    "[{'type': 'literal_error', 'loc': ('body', 'messages', 2, 'SystemMessage', 'role'), "
    "'msg': \"Input should be 'system'\", 'input': 'assistant'}, {'type': 'string_type', "
    "'loc': ('body', 'messages', 2, 'AssistantMessage', 'content'), 'msg': 'Input should be a string'}]"
)
REFUSED_FORMS: dict[str, tuple[dict[str, Any], list[Step], tuple[str, ...]]] = {
    "OpenAI": (
        {},
        [openai(400, "'max_tokens' is not supported. Use 'max_completion_tokens'.", param="max_tokens")],
        ("max_completion_tokens",),
    ),
    "a name in `param` alone": ({}, [openai(400, "Unsupported.", param="max_tokens")], ("max_completion_tokens",)),
    "the limit, not the schema": (
        {"schema": SCHEMA}, [openai(400, "Use the newer name.", param="max_tokens")], ("max_completion_tokens",)
    ),
    "llama.cpp": (
        {"schema": SCHEMA}, [openai(400, "Failed to parse grammar", code=400)], ("json_object",)
    ),
    "llama-cpp-python, in a 500": (
        {"schema": SCHEMA}, [openai(500, f"1 validation error: {NO_SCHEMA}", type="internal_server_error")],
        ("json_object",),
    ),
    "neither schema nor object": (
        {"schema": SCHEMA}, [openai(400, "This response_format type is unavailable now")] * 2, ("schema_refused",)
    ),
    "FastAPI": (
        {"effort": "low"}, [Step(422, {"detail": [places("reasoning_effort", input="low")]})] * 2, ("effort_refused",)
    ),
    "Mistral": (
        {"schema": SCHEMA}, [Step(422, {"object": "error", "message": [places("response_format")]})], ("json_object",)
    ),
    "Mistral, once more wrapped": (
        {"effort": "low"}, [Step(422, {"object": "error", "message": {"detail": [places("reasoning_effort")]}})],
        ("effort_renamed",),
    ),
    "xAI": (
        {"effort": "low"}, [openai(400, "Argument not supported on this model: reasoningEffort")] * 2,
        ("effort_refused",),
    ),
    "Google, unknown field": (
        {"info": LISTED}, [Step(400, [{"error": {"message": 'Unknown name "seed": Cannot find field.'}}])],
        ("seed_refused",),
    ),
    "parallel calls": (
        {"info": LISTED, "dialect": "openrouter", "tool": True},
        [openai(400, "Unsupported parameter: 'parallel_tool_calls'")], ("parallel_refused",),
    ),
    "a system message, in a 500": (
        {}, [openai(500, "Jinja Exception: System role not supported", code=500)], ("system_joined",)
    ),
    "roles that are listed": (
        {}, [openai(500, "Only user, assistant and tool roles are supported, got system", code=500)], ("system_joined",)
    ),
    "Gemma at Google": (
        {}, [Step(400, [{"error": {"message": "Developer instruction is not enabled for m"}}])], ("system_joined",)
    ),
    "content that is null": (
        {"tool": True},
        [openai(500, f"2 validation errors: {NO_NULL}")],
        ("content_empty",),
    ),
    "a template without content": (
        {"tool": True}, [openai(500, "'dict object' has no attribute 'content'")], ("content_empty",)
    ),
    "Bedrock": (
        {"tool": True},
        [openai(400, "content: Input should be a valid string"), openai(400, "text content blocks must be non-empty")],
        ("content_omitted",),
    ),
    "Gemini": (
        {"tool": True}, [Step(400, [{"error": {"message": "Function call is missing a thought_signature."}}])],
        ("signature_placeholder",),
    ),
    "two features": (
        {"schema": SCHEMA, "effort": "low"},
        [Step(422, {"detail": [places("reasoning_effort"), places("response_format")]}),
         Step(422, {"detail": [places("response_format")]})],
        ("json_object", "effort_renamed"),
    ),
    "what is quoted of a message is no name": (
        {"effort": "low"},
        [Step(422, {"detail": [places("reasoning_effort", input={"content": "seed temperature max_tokens"})]})],
        ("effort_renamed",),
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED_FORMS)
async def test_a_refused_feature_is_sent_in_its_next_form_at_once_and_from_then_on(
    server: Scripted, there: Callable[..., Line], case: str
) -> None:
    changes, refusals, forms = REFUSED_FORMS[case]
    setting = {name: changes[name] for name in ("info", "dialect") if name in changes}
    asked = {name: value for name, value in changes.items() if name not in setting}
    heard: list[Wait | Adapted] = []
    server.says(*refusals, FINE)
    line = there(**setting, notify=heard.append)
    first, later = await answered(line, **asked), await answered(line, **asked)
    assert set(first.flags) == set(later.flags) == set(forms)
    assert len(server.seen) == len(refusals) + 2
    bodies = [json.dumps(seen.body) for seen in server.seen]
    assert len(set(bodies)) == len(refusals) + 1  # never twice in one form
    assert bodies[-1] == bodies[-2]
    assert heard
    assert all(isinstance(told, Adapted) and told.told for told in heard)


@pytest.mark.parametrize(
    ("step", "changes", "says"),
    [
        (openai(400, "'temperature' does not support 0.7 with this model.", param="temperature"), {}, "models.yaml"),
        (openai(400, "invalid temperature: only 1 is allowed for this model"), {}, "temperature_supported: false"),
        (openai(400, "m does not support tools"), {"tool": True}, "--delivery user_role"),
        (openai(400, '"auto" tool choice requires --enable-auto-tool-choice'), {"tool": True}, "tool-call-parser"),
        (openai(500, "roles must alternate user/assistant (jinja)"), {}, "chat template"),
        (openai(400, "max_tokens is too large: 9. It supports at most 8 completion tokens"), {}, "shorter"),
        (openai(404, "model m not found, try pulling it"), {}, "models --catalogue"),
    ],
)
async def test_what_is_left_to_the_user_says_what_helps(
    server: Scripted, there: Callable[..., Line], step: Step, changes: dict[str, Any], says: str
) -> None:
    server.says(step)
    with pytest.raises(Refused, match=says):
        await there().client.ask(question(**changes))
    bodies = [json.dumps(seen.body) for seen in server.seen]
    assert len(bodies) == len(set(bodies)) <= 2


async def test_words_that_stay_the_same_over_two_calls_are_a_refusal(
    server: Scripted, there: Callable[..., Line]
) -> None:
    full, line = openai(500, "model needs 7.5 GiB of memory, and 6.0 GiB are free"), there()
    for _ in range(10):  # an answer in between, and it may pass
        server.says(full)
        server.seen.clear()
        assert await became(line) == "GaveUp"
        assert len(server.seen) == 1 + PATIENT.retries
        assert await became(line) == "Refused"
        assert len(server.seen) == 1 + PATIENT.retries + 2
        server.says(FINE)
        assert await became(line) == "I am myself."


LOADING = {
    "llama.cpp": openai(503, "Loading model", code=503, type="unavailable_error"),
    "a gateway": Step(502, {"error": "the model is still loading"}),
    "a pod": Step(503, b"server is still starting up"),
    "Hugging Face": Step(503, {"error": "Model a/b is currently loading", "estimated_time": 20.0}),
}


@pytest.mark.parametrize("step", LOADING.values(), ids=LOADING)
async def test_a_server_that_loads_is_waited_for_and_uses_up_no_retry(
    server: Scripted, there: Callable[..., Line], step: Step
) -> None:
    server.says(*[step] * 2, FINE)
    line = there()
    reply = await answered(line)
    assert [attempt.outcome for attempt in reply.attempts] == ["loading", "loading", "ok"]
    assert [wait.reason for wait in line.waits] == ["loading", "loading"]


async def test_a_server_that_loads_for_ever_is_given_up_after_the_timeout(
    server: Scripted, there: Callable[..., Line]
) -> None:
    server.says(LOADING["llama.cpp"])
    with pytest.raises(GaveUp, match="still loading after 1 s"):
        await there(timeout_s=1.0).client.ask(question())


async def test_a_model_that_cannot_be_loaded_is_not_waited_for(server: Scripted, there: Callable[..., Line]) -> None:
    server.says(Step(500, {"error": "llama runner process has terminated: error loading model: no such file"}))
    line = there(timeout_s=1.0)
    assert await became(line) == "GaveUp"
    assert {wait.reason for wait in line.waits} == {"500"}


def ollama(**fields: Any) -> dict[str, Any]:
    return {"model": "m", "done": True, **fields}


@pytest.mark.parametrize(
    ("body", "kind", "says", "asked"),
    [
        (b'data: {"choices": []}\n\ndata: [DONE]\n', "text/event-stream", "an event stream.*streaming off", 1),
        (b"event: message\ndata: {}\n", "application/json", "an event stream", 1),
        (json.dumps(ollama(message={"content": "Hi"})).encode(), "application/json", "Ollama's own format.*/v1", 1),
        (json.dumps(ollama(response="Hi")).encode(), "application/json", "Ollama's own format", 1),
        (b'{"type": "message", "content": [{"type": "text", "text": "Hi"}]}', "", "Anthropic's Messages API", 1),
        (b'{"candidates": [{"content": {}}]}', "", "Google's own API.*/openai", 1),
        (b'{"object": "response", "output": []}', "", "OpenAI's Responses API", 1),
        (b'{"object": "text_completion", "choices": [{"text": "Hi"}]}', "", "text completions, not of chat", 1),
        (b'[{"generated_text": "Hi"}]', "", "another text API", 1),
        (b'{"results": [{"text": "Hi"}]}', "", "another text API", 1),
        (b"unsupported model: foo/bar", "text/plain", "unsupported model: foo/bar", 1),
        (b"<!DOCTYPE html><title>Sign in - SSO</title>", "text/html", "a web page.*Sign in - SSO.*/v1", 4),
        (b"upstream is busy", "text/plain", "upstream is busy", 4),
        (b"", "", "without a body", 4),
        (b'{"choices": [{"mess', "", "cut off or broken", 4),
        (b'{"success": true, "result": {"response": "Hi"}}', "", "Cloudflare's own API.*/v1", 1),
        (b'{"model": "m", "message": {"content": "H"}, "done": false}\n{"done": true}\n', "", "Ollama's own", 1),
    ],
)
async def test_a_200_that_is_no_completion_says_what_it_is(
    server: Scripted, there: Callable[..., Line], body: bytes, kind: str, says: str, asked: int
) -> None:
    server.says(Step(200, body, {"Content-Type": kind} if kind else {}))
    with pytest.raises((Refused, GaveUp), match=says):
        await there().client.ask(question())
    assert len(server.seen) == asked


VERDICT = json.dumps({"score": 3, "kept": True})


@pytest.mark.parametrize(
    ("message", "taken"),
    [
        ({"reasoning_content": VERDICT}, True),
        ({"reasoning": f"\n {VERDICT} "}, True),
        ({"tool_calls": [{"id": "1", "function": {"name": "reply", "arguments": VERDICT}}]}, True),
        ({"function_call": {"name": "reply", "arguments": {"score": 3, "kept": True}}}, True),
        ({"reasoning": f"I would say {VERDICT}"}, False),
        ({"reasoning": json.dumps({"score": 3})}, False),
        ({"reasoning": f"{VERDICT} {VERDICT}"}, False),
        ({"reasoning": VERDICT, "tool_calls": [{"function": {"name": "reply", "arguments": VERDICT}}]}, False),
        ({"reasoning": "[" + VERDICT + "]"}, False),
    ],
)
async def test_a_verdict_in_another_channel_is_taken_where_it_is_the_only_one(
    server: Scripted, there: Callable[..., Line], message: dict[str, Any], taken: bool
) -> None:
    server.says(completion(None, message=message))
    answer = await there().client.ask(question(schema=SCHEMA))
    if taken:
        assert isinstance(answer, Reply)
        assert (json.loads(answer.text), answer.flags) == (json.loads(VERDICT), ("other_channel",))
    else:
        assert not isinstance(answer, Reply)
    assert await became(there()) == "no_answer"  # nobody asked for a schema


async def test_an_ending_at_once_is_told_from_reasoning_alone(server: Scripted, there: Callable[..., Line]) -> None:
    for tokens, says in ((1, "ended its answer at once"), (2, "at once"), (40, "only reasoning"), (0, "nothing came")):
        server.says(completion("", usage={"prompt_tokens": 9, "completion_tokens": tokens}))
        answer = await there(info=INFO).client.ask(question())
        assert not isinstance(answer, Reply)
        assert (answer.reason, says in answer.detail) == ("no_answer", True)
