"""Who gave an answer: names of one model and of several, fallbacks and caches of gateways."""

from __future__ import annotations

from typing import Any

import pytest
from multidict import CIMultiDict

from independence.clients import protocol, served
from independence.clients.catalogue import Catalogue, ModelInfo
from independence.clients.prompt_lengths import PromptLengths
from independence.types import Message, Missing, Reply

from . import conftest
from .conftest import SAID, Step, completion

ONE = (
    ("gpt-4o", "gpt-4o-2024-11-20"), ("openai/gpt-4o", "gpt-4o"), ("gpt-4", "gpt-4-0613"),
    ("qwen3", "qwen3:latest"), ("qwen3", "qwen3:8b"), ("llama3.1", "llama3.1:8b"), ("small", "Small"),
    ("anthropic/claude-3.5-sonnet", "claude-3-5-sonnet-20241022"),
    ("claude-3.5-sonnet", "us.anthropic.claude-3-5-sonnet-20240620-v1:0"),
    ("gemma-3-270m", "gemma-3-270m-Q4_K_M.gguf"), ("SmolLM2-135M", r"C:\models\SmolLM2-135M.Q4_1.gguf"),
    ("Qwen/Qwen3-8B", "/cache/hub/models--Qwen--Qwen3-8B/snapshots/abc123"),
    ("gemini-2.5-pro", "models/gemini-2.5-pro-preview-05-06"), ("deepseek/deepseek-r1:free", "deepseek/deepseek-r1"),
    ("accounts/fireworks/models/deepseek-v3", "deepseek-v3"), ("mistral-large-latest", "mistral-large-2411"),
)  # fmt: skip
TWO = (
    ("m", "other"), ("gpt-4o", "gpt-4o-mini"), ("gpt-5", "gpt-5.1"), ("o1", "o3"), ("qwen3:8b", "qwen3:4b"),
    ("gpt-4-0314", "gpt-4-0613"), ("gpt-4o-2024-05-13", "gpt-4o-2024-11-20"), ("kimi-k2-0905", "kimi-k2-0711"),
    ("claude-sonnet-4", "claude-sonnet-4-5"), ("claude-3-opus", "claude-3-sonnet"), ("llama3", "llama3.1"),
    ("llama-3.1-8b", "llama-3.1-70b"), ("deepseek-v3", "deepseek-v3.1"), ("deepseek-v3", "deepseek-v2"),
    ("deepseek-v3", "deepseek-r1"), ("gemini-2.5-pro", "gemini-2.5-flash"), ("house-small", "house-backup"),
    ("gemma-3-270m", "gemma-3-1b-it-Q4_K_M.gguf"), ("qwen-2.5-7b", "qwen-2.5-72b"),
)  # fmt: skip


@pytest.mark.parametrize(("asked", "told"), ONE)
def test_dates_tags_vendors_and_paths_make_no_other_model(asked: str, told: str) -> None:
    assert served.same(asked, told)
    assert served.same(told, asked)


@pytest.mark.parametrize(("asked", "told"), TWO)
def test_sizes_versions_and_families_make_another_model(asked: str, told: str) -> None:
    assert not served.same(asked, told)
    assert not served.same(told, asked)


LISTED = Catalogue(
    {name: ModelInfo(name) for name in ("m", "other", "m-mini")} | {"file": ModelInfo("file", weights="SmolLM2-Q8_0")}
)


def marked(asked: str, told: Any, host: Any = None, pin: str | None = None, known: Catalogue = LISTED) -> list[str]:
    return list(served.marks(asked, pin, told, host, known))


def test_another_listed_model_is_told_from_a_mere_other_name() -> None:
    assert marked("m", "other") == marked("m", "vendor/Other") == marked("m", "m-mini") == [protocol.OTHER_MODEL]
    assert marked("m", "gpt-4o-2024-08-06") == [protocol.OTHER_NAME]  # as a deployment has a name of its own
    for nothing in ("m", "M", "", None, 7, ["other"]):
        assert marked("m", nothing) == []
    assert marked("file", "/models/SmolLM2-Q8_0.gguf") == []


def test_a_pinned_host_is_compared_by_its_name() -> None:
    for pin, host in (("google-vertex", "Google"), ("deepinfra/fp8", "DeepInfra"), ("z-ai", "Z.AI"), ("azure", None)):
        assert marked("m", "m", host, pin) == []
    assert marked("m", "m", "Novita", "deepinfra/fp8") == [protocol.OTHER_HOST]
    assert marked("m", "m", "Novita") == []


HITS = (
    {"cf-aig-cache-status": "HIT"}, {"Helicone-Cache": "HIT"}, {"x-portkey-cache-status": "SEMANTIC HIT"},
    {"x-cache": "MISS, HIT"}, {"X-Cache": "TCP_MEM_HIT from a1"}, {"Cache-Status": "edge; hit"},
    {"X-OpenRouter-Cache-Status": "hit"}, {"x-litellm-cache-key": "ab12"}, {"x-litellm-cache-hit": "True"},
    {"x-response-cached": "true"}, {"X-Cache-Hits": "1"}, {"CF-Cache-Status": "HIT"},
)  # fmt: skip
MISSES = (
    {}, {"cf-aig-cache-status": "MISS"}, {"Helicone-Cache": "MISS"}, {"x-portkey-cache-status": "DISABLED"},
    {"x-cache": "MISS"}, {"Cache-Status": "edge; fwd=miss"}, {"X-Cache-Hits": "0"}, {"Cache-Control": "no-hit"},
    {"x-prefix-cache": "hit"}, {"x-prompt-cache-hit-tokens": "128"}, {"x-litellm-cache-key": "None"},
    {"x-litellm-cache-hit": "False", "x-litellm-cache-key": "ab12"}, {"x-cache": "hit-for-pass"},
)  # fmt: skip


def test_a_replayed_answer_is_known_by_the_header_of_any_gateway() -> None:
    assert [one for one in HITS if not served.replayed(CIMultiDict(one))] == []
    assert [one for one in MISSES if served.replayed(CIMultiDict(one))] == []
    told = []
    came = conftest.without_waiting(lambda unplug: _asked(unplug, Step(body=completion(SAID), headers=HITS[0]), told))
    assert came.flags == (protocol.CACHE_HIT,)
    assert [line for line in map(str, told) if "cf-aig-skip-cache: true" in line] == [str(told[0])]  # once


async def _asked(unplug: Any, step: Step, told: list[Any]) -> Any:
    line, _ = unplug(step, dialect="local", info=None, notify=told.append)
    await line.client.ask(conftest.question())
    return await line.client.ask(conftest.question())


@pytest.mark.parametrize(
    "headers",
    [
        {"x-litellm-attempted-fallbacks": "1", "x-litellm-model-group": "house-backup"},
        {"ngrok-aig-model": "house-backup"},
        {"cf-aig-step": "1"},
    ],
)
def test_a_gateway_that_fell_back_says_so_in_a_header(headers: dict[str, str]) -> None:
    info = ModelInfo(conftest.MODEL)
    came = conftest.ask(Step(body=completion(SAID), headers=headers), dialect="local", info=info)
    assert set(came.flags) <= {protocol.OTHER_MODEL, protocol.OTHER_NAME}
    assert len(came.flags) == 1
    assert "x-litellm-model-group" not in headers or came.answer.served_model == "house-backup"
    first = {name: value.replace("1", "0") for name, value in headers.items() if name != "ngrok-aig-model"}
    assert conftest.ask(Step(body=completion(SAID), headers=first), dialect="local", info=info).flags == ()


@pytest.mark.parametrize(("loaded", "ends"), [("/m/gemma-Q4.gguf", True), ("/m/SmolLM2-Q8.gguf", False), ("", False)])
async def test_a_server_that_was_started_again_is_asked_what_it_has_loaded(
    loaded: str, ends: bool, server: Any, connect: conftest.Connect
) -> None:
    info = ModelInfo(conftest.MODEL, weights="SmolLM2-Q8")
    line = connect(dialect="local", info=info)
    server.says(Step(body=completion(SAID)), Step(fault="reset"), Step(body=completion(SAID)))
    server.serves("/models", Step(body={"data": [{"id": conftest.MODEL}]}))
    server.serves("/props", Step(body={"model_path": loaded}))
    assert (await conftest.answered(line)).text == SAID
    assert [one.path for one in server.seen].count("/props") == 0
    if not ends:
        assert [(await conftest.answered(line)).text for _ in range(2)] == [SAID] * 2
        assert [one.path for one in server.seen].count("/props") == (1 if loaded else 2)
        return
    for _ in range(2):  # nothing of it is kept
        with pytest.raises(protocol.Parked, match=r"has loaded `gemma-Q4`, not `SmolLM2-Q8`; its answers"):
            await line.client.ask(conftest.question())


COUNTED = {
    "other weights": (conftest.MODEL, "/m/gemma-Q4.gguf", "other_weights", "has loaded `gemma-Q4`, not `SmolLM2-Q8`"),
    "weights as before": (conftest.MODEL, "/m/SmolLM2-Q8.gguf", "prompt_cut", "missed at least 46; give"),
    "weights that are not told": (
        conftest.MODEL,
        "",
        "prompt_cut",
        "missed at least 46, or other weights, whose token",
    ),
    "another model": ("house-backup", "/m/SmolLM2-Q8.gguf", "", ""),
}


@pytest.mark.parametrize(("named", "loaded", "kind", "says"), COUNTED.values(), ids=COUNTED)
async def test_a_longer_prompt_of_fewer_tokens_was_counted_by_another_tokenizer_where_another_model_answers(
    named: str, loaded: str, kind: str, says: str, server: Any, connect: conftest.Connect
) -> None:
    line = connect(dialect="local", info=ModelInfo(conftest.MODEL, weights="SmolLM2-Q8"))
    line.client.connection.lengths[conftest.MODEL] = PromptLengths(1.0)
    counts = ({"prompt_tokens": count, "completion_tokens": 9} for count in (453, 429))
    first, second = (
        Step(body=completion(SAID, model=name, usage=usage))
        for name, usage in zip((conftest.MODEL, named), counts, strict=True)
    )
    server.says(first, second)
    server.serves("/models", *[Step(body={"data": [{"id": conftest.MODEL}]})] * 2)
    server.serves("/props", *[Step(body={"model_path": loaded})] * 2)
    begun = (Message("system", "Be."), Message("user", " ".join(["harbour"] * 300)))
    gone_on = (*begun, Message("assistant", SAID), Message("user", " ".join(["lantern"] * 24)))
    assert isinstance(await line.client.ask(conftest.question(messages=begun)), Reply)
    if kind == "other_weights":
        with pytest.raises(protocol.Parked, match=says):
            await line.client.ask(conftest.question(messages=gone_on))
        return
    came = await line.client.ask(conftest.question(messages=gone_on))
    assert came.attempts[-1].outcome == (kind or "ok")
    assert isinstance(came, Missing) is bool(kind)
    assert says in getattr(came, "detail", "")


def test_who_wants_no_other_model_is_answered_by_none() -> None:
    step = Step(body=completion(SAID, model="other"))
    came = conftest.ask(step, dialect="local", info=None, reached={"strict_model": True})
    assert (came.end, came.asked) == ("Refused", 1)
    assert "`other` gave them; without --strict-model" in came.line
    assert conftest.ask(step, dialect="local", info=None).flags == (protocol.OTHER_NAME,)
