"""What servers answer in the place of a completion, and what a call makes of it: shapes of real servers."""

from __future__ import annotations

import json
import re
from functools import partial
from typing import Any

import pytest

from independence.clients.catalogue import ModelInfo
from independence.clients.limits import Prices
from independence.clients.protocol import Adapted, GaveUp, Refused, UnansweredCall, Wait

from . import conftest
from .conftest import (
    FINE,
    INFO,
    KEY,
    MODEL,
    PATIENT,
    SAID,
    Step,
    Unplug,
    answered,
    completion,
    failing,
    question,
    without_waiting,
)

SCHEMA = {"type": "object", "required": ["score", "kept"]}
LISTED = ModelInfo(
    MODEL, Prices(), supported_parameters=frozenset({"tools", "temperature", "seed", "parallel_tool_calls"})
)


def openai(status: int, message: str, /, **fields: Any) -> Step:
    return Step(status, {"error": {"message": message, **fields}})


def places(*loc: str | int, msg: str = "Extra inputs are not permitted", **fields: Any) -> dict[str, Any]:
    """One entry of a validation error."""
    return {"type": "x", "loc": ["body", *loc], "msg": msg, **fields}


ask = partial(conftest.ask, dialect="local", info=None)


FILTERED_BODY = completion("", finish="content_filter", usage=None)
ABOUT_ONE_REQUEST = {
    "Azure Foundry sends the completion that its filter ended": Step(400, FILTERED_BODY),
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


ABOUT = [
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
]


def test_a_refusal_of_one_request_is_its_answer_after_one_request() -> None:
    found = [(step, ask(step), reason) for step, reason in ABOUT]
    assert [(step, came) for step, came, reason in found if (came.end, came.asked) != (reason, 1)] == []


GOOGLE_MINUTE = {
    "code": 429, "status": "RESOURCE_EXHAUSTED",
    "message": "You exceeded your current quota, please check your plan and billing details. Please retry in 0.1s.",
    "details": [{"@type": "RetryInfo", "retryDelay": "0.1s"}, {"quotaId": "RequestsPerMinutePerModel-FreeTier"}],
}  # fmt: skip


AT_ONCE = [
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
    (Step(429, [{"error": GOOGLE_MINUTE}]), SAID),
    (openai(404, "The model `m` does not exist", code="model_not_found"), "Refused"),
    (openai(400, "m does not support tools", type="api_error"), "Refused"),
    (openai(429, "Rate limit reached on tokens per minute (TPM); see settings/billing"), SAID),
    (openai(503, "Service unavailable"), SAID),
    (openai(500, "Internal Server Error"), SAID),
    (Step(502, b"<html><title>Bad gateway</title></html>"), SAID),
    (Step(529, {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}), SAID),
    (Step(200, {"status": "449", "msg": "too fast", "body": None}), SAID),
]


def test_what_concerns_key_account_model_or_server_ends_or_waits_at_once() -> None:
    found = [(step, ask(step, FINE), end) for step, end in AT_ONCE]
    wrong = [(step, came) for step, came, end in found if (came.end, came.asked) != (end, 2 if end == SAID else 1)]
    assert wrong == []


GOOD = (
    "stop",
    "STOP",
    "eos",
    "eos_token",
    "COMPLETE",
    "end_turn",
    "tool_calls",
    "stop_sequence",
    "FINISH_REASON_STOP",
    None,
)
CUT = ("length", "MAX_TOKENS", "model_length", "model_context_window_exceeded")
FILTERED = ("content_filter", "SAFETY", "RECITATION", "blocklist", "refusal", "guardrail_intervened", "sensitive")
BROKEN = {
    "error": ("error",) * 4,
    "insufficient_system_resource": ("ending",) * 3,  # DeepSeek
    "function_call_filter: MALFORMED_FUNCTION_CALL": ("ending",) * 3,  # Gemini
    "abort": ("ending",) * 3,  # SGLang and vLLM
    "ERROR_TOXIC": ("ending",) * 3,  # Cohere
}


def test_an_ending_that_is_not_known_to_be_good_is_no_answer() -> None:
    for finish in (*GOOD, *CUT, *FILTERED, *BROKEN):
        came = ask(completion("I would", finish=finish))
        if finish in BROKEN:
            assert (came.end, came.answer.raw, came.kinds) == ("transport", "I would", BROKEN[finish]), finish
            assert f"`{finish}`" in came.line
        elif finish in FILTERED:
            assert (came.end, came.answer.raw, came.asked) == ("blocked", "I would", 1), finish
        else:
            assert (came.end, came.asked) == ("I would", 1 + (finish in CUT)), finish
            assert came.flags == (
                ("retried_length", "truncated") if finish in CUT else ("unstated_end",) * (finish is None)
            )


def test_an_error_beside_a_half_answer_is_asked_again_and_billed() -> None:
    for error in ({"code": 502, "message": "gone"}, "gone"):
        half = completion("I would", finish="error")
        half["choices"][0]["error"] = error
        assert (ask(half, FINE).end, ask(half).end, ask(half).answer.raw) == (SAID, "transport", "I would")
        assert ask(half, FINE).answer.usage.cost_usd == pytest.approx(0.002)
        assert ask(completion("I would", error=error), FINE).asked == 2


def test_what_is_kept_of_a_broken_answer_is_text_without_the_key() -> None:
    for content in (f"It is {KEY}", "Half \ud83d"):
        came = ask(completion(content, finish="content_filter"))
        assert KEY not in repr(came)
        assert came.answer.raw.encode()


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


def test_a_refused_feature_is_sent_in_its_next_form_at_once_and_from_then_on() -> None:
    async def work(unplug: Unplug) -> None:
        for name, (changes, refusals, forms) in REFUSED_FORMS.items():
            asked = dict(changes)
            setting = {"dialect": asked.pop("dialect", "local"), "info": asked.pop("info", None)}
            heard: list[Wait | Adapted] = []
            line, session = unplug(*refusals, FINE, notify=heard.append, policy=PATIENT, **setting)
            first, later = await answered(line, **asked), await answered(line, **asked)
            assert set(first.flags) == set(later.flags) == set(forms), name
            bodies = [json.dumps(body) for body in session.bodies]
            assert len(bodies) == len(refusals) + 2, name
            assert len(set(bodies)) == len(refusals) + 1, name  # never twice in one form
            assert bodies[-1] == bodies[-2]
            assert heard
            assert all(isinstance(told, Adapted) and told.told for told in heard), name

    without_waiting(work)


def test_forms_that_an_endpoint_declares_are_sent_first_and_marked_and_told() -> None:
    async def work(unplug: Unplug) -> None:
        heard: list[Wait | Adapted] = []
        declared = {"token limit": "max_completion_tokens", "effort": "effort_refused", "seed": "seed"}
        refused = openai(400, "Failed to parse grammar")
        line, session = unplug(refused, FINE, notify=heard.append, dialect="openai", features=declared, info=None)
        asked = {"schema": SCHEMA, "effort": "low", "extra_body": '{"thinking":{"type":"disabled"}}'}
        reply = await answered(line, **asked)
        assert set(reply.flags) == {"max_completion_tokens", "effort_refused", "json_object"}
        first, last = session.bodies
        assert first.keys() == last.keys() == {
            "model", "messages", "temperature", "response_format", "max_completion_tokens", "thinking",
        }  # fmt: skip
        assert last["thinking"] == {"type": "disabled"}
        said = sorted(one.told for one in heard if isinstance(one, Adapted))
        assert [("known" in told, told.partition(",")[0]) for told in said] == [
            (True, "no reasoning effort is sent"),
            (True, "the token limit is sent as max_completion_tokens"),
            (False, "verdicts are requested as a JSON object without a schema"),
        ]

    without_waiting(work)


def test_what_stands_for_a_key_in_headers_and_address_is_in_no_reply_and_no_error() -> None:
    async def work(unplug: Unplug) -> None:
        secret, other = "gateway-token-4711", "url-token-0815"
        setting = {"hidden": (secret,), "dialect": "openai", "info": None, "policy": PATIENT}
        said = f"I was asked with {secret} and {other}."
        line, session = unplug(completion(said, finish="content_filter"), **setting)
        answer = await line.client.ask(question())
        session.says(openai(400, f"no {secret} here"))
        with pytest.raises(Refused) as refused:
            await line.client.ask(question())
        for came in (answer, refused.value.why, refused.value.attempts):
            assert secret not in repr(came)
            assert "[key]" in repr(came)

    without_waiting(work)


def test_a_refusal_that_no_form_of_what_it_names_mends_ends() -> None:
    came = ask(openai(400, "the reasoning content must be passed"), tool=True, effort="low", dialect="openai")
    assert (came.end, came.asked) == ("Refused", 5)  # two other forms of either, one after the other
    tools = ask(openai(400, "Function tools with reasoning_effort are not supported"), tool=True, effort="low")
    assert "-r none" in tools.line


LEFT = [
    (openai(400, "`reasoning_content` in the thinking mode must be passed back"), {"effort": "low"}, "extra_body"),
    (openai(400, "'temperature' does not support 0.7 with this model.", param="temperature"), {}, "models.yaml"),
    (openai(400, "invalid temperature: only 1 is allowed for this model"), {}, "temperature_supported: false"),
    (openai(400, "m does not support tools"), {"tool": True}, "--delivery user_role"),
    (openai(400, '"auto" tool choice requires --enable-auto-tool-choice'), {"tool": True}, "tool-call-parser"),
    (openai(500, "roles must alternate user/assistant (jinja)"), {}, "chat template"),
    (openai(400, "max_tokens is too large: 9. It supports at most 8 completion tokens"), {}, "shorter"),
    (openai(404, "model m not found, try pulling it"), {}, "models --catalogue"),
    (openai(400, "the moon is full"), {"effort": "low"}, "the moon is full"),
]


def test_what_is_left_to_the_user_says_what_helps() -> None:
    found = [(ask(step, **changes), says) for step, changes, says in LEFT]
    assert [came for came, says in found if came.end != "Refused" or says not in came.line or came.asked > 2] == []


def test_words_that_stay_the_same_over_two_calls_are_a_refusal() -> None:
    full = openai(500, "model needs 7.5 GiB of memory, and 6.0 GiB are free")

    async def work(unplug: Unplug) -> None:
        line, session = unplug(full, dialect="local", info=None, policy=PATIENT)

        async def ends(error: type[UnansweredCall]) -> None:
            with pytest.raises(error, match="GiB"):
                await line.client.ask(question())

        for _ in range(3):  # an answer in between, and it may pass
            session.says(full)
            session.sent.clear()
            await ends(GaveUp)
            assert len(session.sent) == 1 + PATIENT.retries
            await ends(Refused)
            assert len(session.sent) == 1 + PATIENT.retries + 2
            session.says(FINE)
            await answered(line)

    without_waiting(work)


LOADING = [
    Step(502, {"error": "the model is still loading"}),
    Step(503, b"server is still starting up"),
    Step(503, {"error": "Model a/b is currently loading", "estimated_time": 20.0}),
    Step(503, {"error": "Loading model"}, {"Retry-After": "3"}),
]


def test_a_server_that_loads_is_waited_for_within_its_timeout_and_uses_up_no_retry() -> None:
    async def work(unplug: Unplug) -> None:
        for step in LOADING:
            line, session = unplug(*[step] * 9, FINE, dialect="local", timeout_s=600.0, policy=PATIENT)
            reply = await answered(line)
            assert [attempt.outcome for attempt in reply.attempts] == ["loading"] * 9 + ["ok"]
            gaps = [later - sent for sent, later in zip(session.sent, session.sent[1:], strict=False)]
            asked = bool(step.headers)
            assert gaps == pytest.approx(
                [3.0] * 9 if asked else [0.5, 0.5, 0.5, 0.75, 1.125, 1.6875, 2.53125, 3.796875, 5]
            )
            shown = [wait for wait in line.waits if not wait.still]
            assert {wait.reason for wait in shown} == {"loading"}
            assert [wait.attempt for wait in shown] == list(range(1, 10))
        line, session = unplug(LOADING[0], dialect="local", timeout_s=75.0)
        with pytest.raises(GaveUp, match="still loading after 75 s"):
            await line.client.ask(question())
        assert 75 <= session.sent[-1] - session.sent[0] <= 80

    without_waiting(work)
    broken = Step(500, {"error": "llama runner process has terminated: error loading model: no such file"})
    assert (ask(broken).end, ask(broken).asked) == ("GaveUp", 1 + PATIENT.retries)


BODIES: list[tuple[bytes, str, str, int]] = [
    (b'{"object": "text_completion", "choices": [{"text": "Hi"}]}', "", "text completions, not of chat", 1),
    (b"<html><title>Log in</title></html>", "text/html", "a web page instead of a chat completion: Log in", 4),
    (b"event: message\ndata: {}\n", "application/json", "an event stream", 1),
    (b'{"model": "m", "done": true, "response": "Hi"}', "application/json", "Ollama's own format", 1),
    (b'{"type": "message", "content": [{"type": "text", "text": "Hi"}]}', "", "Anthropic's Messages API", 1),
    (b'{"candidates": [{"content": {}}]}', "", "Google's own API.*/openai", 1),
    (b'{"object": "response", "output": []}', "", "OpenAI's Responses API", 1),
    (b'[{"generated_text": "Hi"}]', "", "another text API", 1),
    (b'{"results": [{"text": "Hi"}]}', "", "another text API", 1),
    (b"upstream is busy", "text/plain", "upstream is busy", 4),
    (b"", "", "without a body", 4),
    (b'{"choices": [{"mess', "", "cut off or broken", 4),
    (b'{"success": true, "result": {"response": "Hi"}}', "", "Cloudflare's own API.*/v1", 1),
    (b'{"model": "m", "message": {"content": "H"}, "done": false}\n{"done": true}\n', "", "Ollama's own", 1),
]


def test_a_200_that_is_no_completion_says_what_it_is() -> None:
    for body, kind, says, asked in BODIES:
        came = ask(Step(200, body, {"Content-Type": kind} if kind else {}))
        assert (came.end, came.asked) == ("Refused" if asked == 1 else "GaveUp", asked), body
        assert re.search(says, came.line), came
    for body in (b"[]", b"null", b'{"choices": {"a": 1}}', b"[" * 50_000):
        assert ask(Step(body=body), FINE).asked == 2


VERDICT = json.dumps({"score": 3, "kept": True})


CHANNELS: list[tuple[dict[str, Any], bool]] = [
    ({"reasoning_content": VERDICT}, True),
    ({"reasoning": f"\n {VERDICT} "}, True),
    ({"tool_calls": [{"id": "1", "function": {"name": "reply", "arguments": VERDICT}}]}, True),
    ({"function_call": {"name": "reply", "arguments": {"score": 3, "kept": True}}}, True),
    ({"reasoning": f"I would say {VERDICT}"}, False),
    ({"reasoning": json.dumps({"score": 3})}, False),
    ({"reasoning": f"{VERDICT} {VERDICT}"}, False),
    ({"reasoning": VERDICT, "tool_calls": [{"function": {"name": "reply", "arguments": VERDICT}}]}, False),
    ({"reasoning": "[" + VERDICT + "]"}, False),
]


def test_a_verdict_in_another_channel_is_taken_where_it_is_the_only_one() -> None:
    for message, taken in CHANNELS:
        came = ask(completion(None, message=message), schema=SCHEMA)
        assert (came.flags == ("other_channel",)) is taken, message
        assert not taken or json.loads(came.end) == json.loads(VERDICT)
        assert ask(completion(None, message=message)).end == "no_answer"  # nobody asked for a schema


def test_an_ending_at_once_is_told_from_reasoning_alone() -> None:
    rows = {1: "ended its answer immediately", 2: "wrote nothing", 3: "only reasoning", 0: "nothing came"}
    for tokens, says in rows.items():
        came = ask(completion("", usage={"prompt_tokens": 9, "completion_tokens": tokens}), info=INFO)
        assert (came.end, says in came.line) == ("no_answer", True), came
    hidden = {"completion_tokens": 1, "completion_tokens_details": {"reasoning_tokens": 1}}
    assert "only reasoning" in ask(completion("", usage=hidden)).line
