"""What a person reads who meets a server for the first time: the reason, and what to do about it."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from independence.testing import Endpoint
from tests.e2e import command, refusals

TOOLS = ("--delivery", "tool_role")
# What a server does, how it is asked, the exit code, and words of the last line: what is wrong, and what to do.
MEETINGS = [
    ("needs-key-500", (), 2, ["does not list its models (HTTP 500", "if it needs a key, set LOCAL_API_KEY"]),
    ("lists=vendor/*", (), 2, ["local has no model `half`", "it has local/vendor/*"]),
    ("loading=1", (), 0, ["5/5 verdicts"]),
    ("no-tools", TOOLS, 2, ["half does not support tools", "--delivery user_role", "--enable-auto-tool-choice"]),
    ("alternate", TOOLS, 2, ["roles must alternate", "another chat template", "--delivery user_role"]),
    ("loses=arguments", TOOLS, 2, ["the model never sees its own earlier messages", "--delivery user_role"]),
    ("context-refuses=700", (), 2, ["the context length of 700 tokens", "num_ctx", "llama.cpp: -c N"]),
    ("context=700", (), 2, ["the server read", "num_ctx", "llama.cpp: -c N"]),
    ("default-temperature", (), 2, ["{model_id: local/half, temperature_supported: false}", "models.yaml"]),
    ("quota", (), 3, ["out of credit", "everything so far is kept"]),
    ("body=page", (), 2, ["a web page instead of a chat completion: Log in", "/v1"]),
    ("body=ollama", (), 2, ["Ollama's own format", "add /v1 to the address"]),
    ("eos", (), 3, ["5 no_answer (the model ended its answer immediately and wrote nothing)"]),
    ("ending=odd", (), 3, ["5 transport (the answer ended with finish_reason `odd`"]),
    ("filter=honest", (), 3, ["1 blocked (HTTP 400: The content policy"]),
]  # fmt: skip


@pytest.mark.parametrize(("ways", "how", "code", "words"), MEETINGS, ids=[ways for ways, *_ in MEETINGS])
def test_the_last_line_says_what_is_wrong_and_what_to_do(
    tmp_path: Path, ways: str, how: tuple[str, ...], code: int, words: list[str]
) -> None:
    line = ("run", "-e", "stability", "--runs", "1", "--local-model", "half", "-j", "cues", "--local-url")
    with Endpoint(ways=ways) as server:
        ended = command.run(*line, server.url, *(how or ("--delivery", "user_role")), cwd=tmp_path)
    last = [line for line in ended.err.splitlines() if not line.startswith("spent ")][-1]
    assert (ended.code, [word for word in words if word not in last]) == (code, []), ended.err
    answered = code == 0 or ways == "filter=honest"
    assert bool(ended.out) == answered  # no board where nothing was answered


def test_where_nothing_listens_the_line_says_how_to_give_another_address(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    says = [f"no server answers at {address}", "start the server, or correct the address in --local-url"]
    assert refusals.wrong(tmp_path, {f"run --local-url {address} --local-model half -j cues": says}) == {}
