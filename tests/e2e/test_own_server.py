"""What a server of one's own shows of itself, and what is said of it: slots, chat template, a key that is missing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.e2e import between, command
from tests.e2e.between import Said

LISTED: dict[str, Any] = {"object": "list", "data": [{"id": "small"}]}


def props(context: int, slots: int, template: str = "{{ messages }}") -> dict[str, Any]:
    """llama.cpp's page about itself; its context is that of one slot."""
    generation = {"n_ctx": context, "params": {}}
    return {"default_generation_settings": generation, "total_slots": slots, "chat_template": template}


def served(page: dict[str, Any]) -> between.Answer:
    """A server with this page that counts honestly and answers in a word."""

    def answer(path: str, body: bytes | None) -> Said:
        if body is None:
            return between.said(page if path == "/props" else LISTED)
        asked = json.loads(body)
        choice = {"finish_reason": "stop", "message": {"role": "assistant", "content": "Tea."}}
        return between.said({"id": "r", "model": "small", "choices": [choice], "usage": between.usage(asked)})

    return answer


@pytest.mark.parametrize(("slots", "says"), [(4, "512, which each of its 4 slots has of 2,048"), (1, "512;")])
def test_a_context_that_is_too_small_names_the_slots_that_share_it(slots: int, says: str, tmp_path: Path) -> None:
    with between.serving(served(props(512, slots))) as there:
        line = ("run", "-m", "local/small", "--local-url", there.url, "-j", "cues", "--delivery", "user_role")
        said = command.refused(*line, "--no-stream", "--db", "x.db", cwd=tmp_path)
    assert f"does not fit into {says}" in said
    assert ("--parallel" in said) is (slots > 1)


@pytest.mark.parametrize(
    ("template", "knows"), [("{{ messages }}", False), ("{% if tools %}{{ tools }}{% endif %}", True)]
)
def test_doctor_says_where_a_template_knows_no_tools(template: str, knows: bool, tmp_path: Path) -> None:
    with between.serving(served(props(8192, 1, template))) as there:
        line = ("doctor", "--local-url", there.url, "--format", "json")
        rows = command.run(*line, cwd=tmp_path).board["doctor"]["rows"]
    (found,) = [row["found"] for row in rows if row["check"] == "server"]
    assert ("it knows no tools: --delivery user_role" in found) is not knows


@pytest.mark.parametrize("key", ["", "sk-own"])
def test_doctor_tells_a_gateway_that_fails_without_a_key(key: str, tmp_path: Path) -> None:
    """LiteLLM answers 500 to a request without a key."""
    wrong = {"error": {"message": "Internal Server Error", "type": "internal_server_error", "code": "500"}}
    with between.serving(lambda *_: between.said(wrong, 500)) as there:
        line = ("doctor", "--local-url", there.url, "--format", "json")
        ended = command.run(*line, cwd=tmp_path, env={"LOCAL_API_KEY": key})
    (row,) = [row for row in ended.board["doctor"]["rows"] if (row["check"], row["of"]) == ("endpoint", "local")]
    if key:
        assert (row["result"], "ask again in a few minutes" in row["fix"]) == ("warn", True)
    else:
        assert (ended.code, row["result"], row["fix"]) == (1, "fail", "if it needs a key, set LOCAL_API_KEY")
