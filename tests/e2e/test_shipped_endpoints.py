"""Every endpoint that ships, from its key alone, against a server that does what its documentation says."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

from independence.config import entries
from independence.testing import Endpoint
from independence.testing.loopback.ways import apis
from tests.e2e import command, suites

KEY = "sk-4f1d0c9b8a7e6d5c4b3a"
RUN = ("run", "--suite", "harbour", "--runs", "1", "-j", "cues", "--format", "json", "--db", "here.db")
BARE = {"model", "messages", "max_tokens", "temperature", "reasoning_effort"}


class Known(NamedTuple):
    """What is known of an endpoint."""

    sent: set[str]  # parameters of the last request to a subject
    marks: set[str]  # on its replies
    schema: str  # how its judge is asked for JSON
    wrong_key: str  # words of its errors
    unknown: str  # of a model that there is not
    quota: str


LISTS = "has no model `nonsense`; `independence models --catalogue --endpoint"
LIMIT = (BARE - {"max_tokens"}) | {"max_completion_tokens"}
UNSENT = "temperature_unsent"
KNOWN = {
    "openai-api": Known(
        LIMIT - {"temperature"}, {"max_completion_tokens", UNSENT}, "json_schema",
        "HTTP 401: The API key is incorrect", LISTS, "HTTP 429: The quota",
    ),
    "anthropic-api": Known(
        BARE - {"temperature", "reasoning_effort"}, {"effort_refused", UNSENT}, "",
        "HTTP 401: invalid x-api-key", "HTTP 404: model: nonsense; correct the id", "HTTP 400: The credit balance",
    ),
    "google-api": Known(
        BARE, {"signature_placeholder"}, "json_schema",
        "HTTP 400: The API key is not valid", LISTS, "HTTP 429: You exceeded",
    ),
    "mistral-api": Known(BARE, set(), "json_schema", "HTTP 401: Unauthorized", LISTS, "HTTP 402: Payment"),
    "deepseek-api": Known(
        BARE - {"temperature"}, {UNSENT}, "json_object",
        "HTTP 401: Authentication failed", LISTS, "HTTP 402: Insufficient Balance",
    ),
    "xai-api": Known(
        (BARE - {"reasoning_effort"}) | {"reasoning"}, {"effort_renamed"}, "json_schema",
        "HTTP 400: Incorrect API key", LISTS, "HTTP 403: Your team",
    ),
    "groq-api": Known(BARE, set(), "json_object", "HTTP 401: Invalid API Key", LISTS, "HTTP 429: Rate limit"),
    "together-api": Known(BARE, set(), "json_schema", "HTTP 401: The API key", LISTS, "HTTP 402: The credit limit"),
    "fireworks-api": Known(
        BARE, set(), "json_schema", "HTTP 401: The API key you", "HTTP 404: Model not found", "HTTP 412: The account"
    ),
    "huggingface-api": Known(BARE, set(), "json_schema", "HTTP 401: The user name", LISTS, "HTTP 402: The monthly"),
    "cerebras-api": Known(BARE, set(), "json_schema", "HTTP 401: The API key is wrong", LISTS, "HTTP 429: The quota"),
    "cohere-api": Known(
        BARE, set(), "json_object", "HTTP 401: invalid api token", "HTTP 404: model 'nonsense'", "HTTP 402: The billing"
    ),
    "azure-api": Known(
        LIMIT - {"temperature"}, {"max_completion_tokens", UNSENT}, "json_schema",
        "HTTP 401: Access denied", "HTTP 404: The API deployment", "HTTP 429: The quota",
    ),
}  # fmt: skip


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    suites.write(tmp_path / "harbour", suites.harbour())
    monkeypatch.chdir(tmp_path)
    return tmp_path


@contextmanager
def serving(name: str, more: str = "", entry: str = "") -> Iterator[tuple[Endpoint, dict[str, str]]]:
    """A server that does as that endpoint does, `models.yaml` with its address, and the environment of its key."""
    shipped = entries.shipped()[name]
    env = {shipped.key_variables[0]: KEY}
    with Endpoint(ways=f"like={name}{more}", key=KEY) as server:
        if shipped.base_url.startswith("$"):
            env["AZURE_OPENAI_ENDPOINT"] = server.url.removesuffix("/v1") + "/"
            Path("models.yaml").unlink(missing_ok=True)
        else:
            file = f"endpoints: [{{name: {name}, base_url: '{server.url}', backoff_s: 0.01{entry}}}]"
            Path("models.yaml").write_text(file)
        yield server, env


def test_every_shipped_endpoint_brings_a_board_and_a_judge_from_its_key_alone(place: Path) -> None:
    assert KNOWN.keys() == entries.shipped().keys() == apis().keys()
    for name, known in KNOWN.items():
        Path("here.db").unlink(missing_ok=True)
        served = apis()[name].model
        with serving(name) as (server, env):
            delivery = "user_role" if name == "deepseek-api" else "tool_role"  # see below
            ended = command.run(*RUN, "-m", f"{name}/{served}", "--delivery", delivery, env=env)
            subject = server.bodies[-1]
            graded = command.run("judge", "-j", f"{name}/judge", "--db", "here.db", "--suite", "harbour", env=env)
            judge = server.bodies[-1]
        assert ended.code == graded.code == 0, (name, ended.err, graded.err)
        (row,) = ended.board["rows"]
        assert (row["coverage"], row["simulated"]) == (1.0, False), name
        assert row["label"].startswith(f"{name}/{served}@"), row["label"]
        assert (set(row["flags"]) - {"reasoning"}, set(subject) - {"tools"}) == (known.marks, known.sent), name
        assert (judge["model"], judge.get("response_format", {}).get("type", "")) == ("judge", known.schema), name
        assert f"no price known for {name}/{served}" in ended.err
        said = [line for line in graded.err.splitlines() if "JSON" in line]
        assert bool(said) == (known.schema != "json_schema"), (name, said)
        assert KEY not in ended.err + ended.out + graded.err


def test_a_key_a_model_or_money_that_is_missing_is_one_sentence(place: Path) -> None:
    for name, known in KNOWN.items():
        variable = entries.shipped()[name].key_variables[0]
        model, other = f"{name}/{apis()[name].model}", f"{name}/nonsense"
        with serving(name) as (_, env):
            rows = [
                (model, env | {variable: ""}, 2, f"{variable}", "is not set; export it or put it into .env"),
                (model, env | {variable: "your-key-here"}, 2, variable, "which is still a placeholder"),
                (model, env | {variable: "\u201csk-1234567\u201d"}, 2, variable, "signs that are not ASCII"),
                (model, env | {variable: "sk-of-another"}, 2, known.wrong_key, f"check {variable}"),
                (other, env, 2, known.unknown, ""),
            ]
            found = [(command.run(*RUN, "-m", one, env=env), code, words) for one, env, code, *words in rows]
            capped = command.run(*RUN, "-m", model, "--max-cost", "1", env=env)
        with serving(name, ",quota") as (_, env):
            empty = command.run(*RUN, "-m", model, env=env)
        for ended, code, words in found:
            said = command.one_sentence(ended)
            assert (ended.code, [word for word in words if word not in said]) == (code, []), said
            assert "sk-of-another" not in said
        assert "--max-cost cannot be held" in command.one_sentence(capped)
        assert known.quota in empty.err, empty.err
        assert empty.code == (2 if name == "groq-api" else 3), name  # a limit by the day: the model is left out


def test_what_is_not_known_or_not_sent_is_said_before_anything_is_asked(place: Path) -> None:
    model, served = "anthropic-api", apis()["anthropic-api"].model
    with serving(model) as (_, env):
        line = ("-m", f"{model}/{served}", "-j", "cues")
        priced = command.run("estimate-cost", *line, "--suite", "harbour", "--format", "json", env=env)
        looked = command.run("doctor", *line, "--format", "json", env=env)
    assert any("their price is not known" in note for note in priced.board["estimate"]["notes"])
    (effort,) = [row["found"] for row in looked.board["doctor"]["rows"] if row["check"] == "effort"]
    assert effort == "nothing is sent"


def test_a_newer_model_of_openai_is_asked_without_an_effort_where_it_has_tools(place: Path) -> None:
    line = (*RUN, "-m", f"openai-api/{apis()['openai-api'].model}", "--delivery", "tool_role")
    with serving("openai-api", ",tools-without-effort") as (_, env):
        ended, without = command.run(*line, env=env), command.run(*line, "-r", "none", env=env)
    assert (ended.code, without.code) == (0, 0), ended.err
    assert "effort_refused" in ended.board["rows"][0]["flags"]
    assert "no reasoning effort is sent, because this server does not work with the usual form" in ended.err


def test_where_thinking_forbids_tools_the_sentence_says_what_to_add_and_that_works(place: Path) -> None:
    model, tool = f"deepseek-api/{apis()['deepseek-api'].model}", ("--delivery", "tool_role")
    with serving("deepseek-api") as (server, env):
        refused = command.run(*RUN, *tool, "-m", model, env=env)
        said = command.one_sentence(refused)
        extra = "extra_body: {thinking: {type: disabled}}"
        assert f"`{extra}`" in said
        assert server.requests == 2
        file = Path("models.yaml")
        file.write_text(f"models: [{{model_id: {model}, {extra}}}]\n{file.read_text()}")
        ended = command.run(*RUN, *tool, "-m", model, env=env)
        bodies = server.bodies[2:]
    assert ended.code == 0, ended.err
    assert all(body["thinking"] == {"type": "disabled"} for body in bodies)
    (row,) = ended.board["rows"]
    assert row["label"] == row["config"].replace("--", "/")
    assert row["label"].startswith(f"{model}@low-t0.7-x")
    shapes = command.ask(Path("here.db"), "SELECT shape FROM trials")
    assert all("disabled" in shape for (shape,) in shapes)


def test_headers_and_query_come_from_the_environment_and_are_in_no_file(place: Path) -> None:
    token = "gateway-token-4711"
    headers = "headers: {Authorization: 'Bearer ${LAB_TOKEN}', X-Team: bench}, query: {version: '3', k: '${LAB_TOKEN}'}"
    with Endpoint(key=token) as server:
        Path("models.yaml").write_text(f"endpoints: [{{name: lab, base_url: '{server.url}', {headers}}}]")
        line = (*RUN, "-m", "lab/half", "--log", "log.jsonl")
        unset = command.run(*line)
        ended = command.run(*line, env={"LAB_TOKEN": token, "LOG_LEVEL": "debug"})
        wrong = command.run(*line, "--runs", "2", env={"LAB_TOKEN": "wrong-token-0815"})
    assert "a header of endpoint `lab` reads LAB_TOKEN, which is not set" in command.one_sentence(unset)
    assert ended.code == 0, ended.err
    assert wrong.code == 2
    told = ended.out + ended.err + wrong.out + wrong.err
    for secret in (token, "wrong-token-0815"):
        assert secret not in told
        assert [one.name for one in place.iterdir() if one.is_file() and secret.encode() in one.read_bytes()] == []
