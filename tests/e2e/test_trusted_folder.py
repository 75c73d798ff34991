"""Files of the working directory that nobody named send no key anywhere until a person has agreed to it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import NamedTuple

import pytest

from tests.e2e import command, screens, suites

HOST = "http://models.example.test/v1"
SECRETS = {"OPENROUTER_API_KEY": "sk-or-v1-of-the-environment", "CLOUD_SECRET": "of-the-cloud"}
MODELS = """
endpoints:
  - name: theirs
    base_url: http://models.example.test/v1
    api_key_env: OPENROUTER_API_KEY
    headers: {X-A: "${CLOUD_SECRET}"}
models: [{model_id: theirs/m}]
"""
RUN = ("run", "--suite", "harbour", "--runs", "1", "-j", "cues", "--yes")
# Each would ask the endpoint for something, a list of models at least.
COMMANDS = (
    RUN,
    ("run", "--suite", "harbour", "--dry-run"),
    ("estimate-cost", "--suite", "harbour"),
    ("check", "-m", "theirs/m", "--suite", "harbour", "-j", "cues", "--min-index", "50", "--yes"),
    (*RUN[:3], "-m", "theirs/m,theirs/n", "-j", "cues", "--until-decided", "--yes"),
    ("persona", "init", "mira.md", "--from", "prompt.md", "-m", "theirs/m", "--yes"),
    ("models", "--catalogue", "--endpoint", "theirs"),
    ("doctor", "-m", "theirs/m"),
    ("doctor", "--endpoint", "theirs"),
    ("doctor",),
)


class Wire(NamedTuple):
    """What came in at a proxy, which stands for every host: the lines of requests with the values of their headers."""

    address: str
    received: list[str]


@pytest.fixture
def wire() -> Iterator[Wire]:
    received: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            received.append(f"{self.requestline} {list(self.headers.values())}")
            self.send_response(404)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Nothing on stderr."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield Wire(f"http://127.0.0.1:{server.server_address[1]}", received)
        server.shutdown()


class Folder(NamedTuple):
    """A working directory, and the environment of whoever works there."""

    path: Path
    env: dict[str, str]


@pytest.fixture
def folder(tmp_path: Path, wire: Wire) -> Folder:
    suites.write(tmp_path / "work" / "harbour", suites.harbour())
    (tmp_path / "work" / "models.yaml").write_text(MODELS)
    (tmp_path / "work" / "prompt.md").write_text("You are Mira.")
    env = SECRETS | {"HTTP_PROXY": wire.address, "NO_PROXY": "", "XDG_CONFIG_HOME": str(tmp_path / "own")}
    return Folder(tmp_path / "work", env)


@pytest.mark.parametrize("line", COMMANDS, ids=" ".join)
def test_without_a_terminal_nothing_is_sent_where_a_file_that_nobody_named_says(
    line: tuple[str, ...], folder: Folder, wire: Wire
):
    refused = command.run(*line, cwd=folder.path, env=folder.env)
    file = folder.path / "models.yaml"
    said = f"{file} sends OPENROUTER_API_KEY, CLOUD_SECRET to {HOST}; if that is right, answer yes on a terminal once,"
    assert (refused.code, wire.received) == (2, [])
    assert said in refused.err
    assert not any(secret in refused.err for secret in SECRETS.values())


def test_the_option_the_variable_and_naming_the_file_agree_to_it(folder: Folder, wire: Wire):
    ways = (("--trust-folder",), ("--models-file", "models.yaml"), ())
    for more in ways:
        wire.received.clear()
        env = folder.env | ({} if more else {"INDEPENDENCE_TRUST_FOLDER": "1"})
        ended = command.run(*RUN, *more, cwd=folder.path, env=env)
        assert "if that is right" not in ended.err
        assert wire.received
        assert all(HOST.removesuffix("/v1") in line and SECRETS["CLOUD_SECRET"] in line for line in wire.received)
    (folder.path / ".env").write_text("INDEPENDENCE_TRUST_FOLDER=1\n")  # of the folder itself
    assert "if that is right" in command.run(*RUN, cwd=folder.path, env=folder.env).err


def test_on_a_terminal_it_is_asked_once_and_again_when_something_else_would_be_sent(folder: Folder, wire: Wire):
    def asked(typed: str) -> bool:
        wire.received.clear()
        screen = screens.run(*RUN, cwd=folder.path, columns=500, env=folder.env, typed=typed)
        assert (f"sends OPENROUTER_API_KEY, CLOUD_SECRET to {HOST}" in screen.raw) or not wire.received
        return "Is that right?" in screen.raw

    assert (asked("n\n"), wire.received) == (True, [])
    assert asked("y\n")
    assert wire.received
    assert not asked("")
    assert wire.received
    agreed = folder.path.parent / "own" / "independence" / "trusted.jsonl"
    assert json.loads(agreed.read_text()) == [str(folder.path / "models.yaml"), HOST, [*SECRETS]]
    elsewhere = shutil.copytree(folder.path, folder.path.parent / "copy")
    assert command.run(*RUN, cwd=elsewhere, env=folder.env).code == 2
    (folder.path / "models.yaml").write_text(MODELS.replace("models.example", "other.example"))
    assert command.run(*RUN, cwd=folder.path, env=folder.env).code == 2
    (folder.path / "models.yaml").write_text(MODELS.replace("{X-A", '{X-B: "${HOME}", X-A'))
    assert command.run(*RUN, cwd=folder.path, env=folder.env).code == 2


def test_an_address_of_the_env_file_gets_its_own_key_and_no_other(folder: Folder, wire: Wire):
    line = (*RUN, "-m", "openai/gpt-5-mini")
    (folder.path / "models.yaml").unlink()
    (folder.path / ".env").write_text(f"OPENROUTER_BASE_URL={HOST}\n")
    refused = command.run(*line, cwd=folder.path, env=folder.env)
    assert (refused.code, wire.received) == (2, [])
    assert f"{folder.path / '.env'} sends OPENROUTER_API_KEY to {HOST}" in refused.err
    (folder.path / ".env").write_text(f"OPENROUTER_BASE_URL={HOST}\nOPENROUTER_API_KEY=of-the-file\n")
    env = {name: value for name, value in folder.env.items() if name != "OPENROUTER_API_KEY"}
    assert "if that is right" not in command.run(*line, cwd=folder.path, env=env).err
    assert all("of-the-file" in line for line in wire.received)
    assert wire.received
    (folder.path / ".env").write_text(
        "AZURE_OPENAI_ENDPOINT=http://azure.example.test\nLOCAL_MODEL_URL=http://local.example.test\n"
    )
    wire.received.clear()
    for model, key in (("azure-api/x", "AZURE_OPENAI_API_KEY"), ("local/x", "LOCAL_API_KEY")):
        refused = command.run(*RUN, "-m", model, cwd=folder.path, env=folder.env | {key: "of-the-environment"})
        assert f"sends {key} to http://" in refused.err, refused
    assert wire.received == []


def test_servers_of_this_machine_are_asked_without_a_word(folder: Folder, wire: Wire):
    (folder.path / "models.yaml").write_text(MODELS.replace(HOST, wire.address))
    assert "if that is right" not in command.run(*RUN, cwd=folder.path, env=folder.env).err
    assert wire.received


def test_a_suite_reads_no_variable_but_one_of_a_model(folder: Folder):
    data = suites.harbour()
    data["default"] = {**data["default"], "judge": "CLOUD_SECRET"}
    suites.write(folder.path / "harbour", data)
    refused = command.run("run", "-m", "sim/half", "--suite", "harbour", cwd=folder.path, env=folder.env)
    assert refused.code == 2
    assert SECRETS["CLOUD_SECRET"] not in refused.out + refused.err
    assert "harbour/suite.yaml" in command.one_sentence(refused)
