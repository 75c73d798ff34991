"""Real weights on a real server: SmolLM2-135M-Instruct in llama.cpp's server."""

from __future__ import annotations

import json
import urllib.request
from typing import Any

import pytest

from tests.e2e import llama

pytestmark = pytest.mark.real


def asked(url: str, **body: Any) -> dict[str, Any]:
    """The JSON that the server answers."""
    data = json.dumps(body).encode() if body else None
    with urllib.request.urlopen(urllib.request.Request(url, data), timeout=120) as answer:
        document: dict[str, Any] = json.loads(answer.read())
    return document


def test_the_server_answers_a_question_in_words(smollm2: str) -> None:
    question = [{"role": "user", "content": "What is the capital of France? Answer in one sentence."}]
    answer = asked(f"{smollm2}/v1/chat/completions", messages=question, temperature=0, max_tokens=40)
    assert "Paris" in answer["choices"][0]["message"]["content"]
    assert answer["usage"]["prompt_tokens"] > 0


def test_the_server_is_as_large_and_has_the_template_as_it_was_told() -> None:
    template = "{% for message in messages %}{{ message.content }}{% endfor %}"
    told = ("--context", "512", "--slots", "1", "--template", template)
    with llama.serving(llama.smollm2(), "small", *told) as address:
        properties = asked(f"{address}/props")
    assert properties["model_alias"] == "small"
    assert properties["total_slots"] == 1
    assert properties["default_generation_settings"]["n_ctx"] == 512
    assert properties["chat_template"] == template
