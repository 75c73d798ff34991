"""Failures of real servers and files, as bytes: what is made of each. One function a folder of the published data."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest
from yarl import URL

from independence.clients.catalogue import Catalogue, read_models
from independence.clients.protocol import UNSTATED_END
from independence.clients.transport import proxy_of
from independence.config import environment
from independence.errors import IndependenceError, UsageError
from independence.exchange import humans
from independence.judge.parse import parse
from independence.store.file import database
from independence.suites.load import LoadedSuite, load
from tests.report import filled

from . import conftest
from .conftest import FINE, SAID, Step

SCHEMA = {"type": "object", "required": ["score", "kept"]}
VERDICT = json.dumps({"score": 3, "kept": True})
GRADED = {"engaged": True, "chose": True, "consistency_score": 8, "graceful_handling": 7}


def response(file: Path, **words: str) -> Step:
    """A whole response; `words` stand in the place of words in capitals."""
    head, _, body = file.read_bytes().partition(b"\r\n\r\n")
    first, *lines = head.decode().splitlines()
    headers = dict(line.split(": ", 1) for line in lines)
    assert int(headers.pop("Content-Length", len(body))) == len(body)
    for name, text in words.items():
        body = body.replace(name.encode(), json.dumps(text)[1:-1].encode())
    return Step(int(first.split()[1]), body, headers)


ask = partial(conftest.ask, dialect="local", info=None)


def one_prompt_filtered(folder: Path) -> None:
    for file in folder.glob("*.http"):
        came = ask(response(file), FINE)
        assert (came.end, came.asked) == ("blocked", 1), file
        assert re.search("polic", came.line), came.line


def reply_broken_off(folder: Path) -> None:
    error, filtered = response(folder / "error.http"), response(folder / "filter.http")
    assert (ask(error, FINE).end, ask(error).end) == (SAID, "transport")
    came = ask(filtered, FINE)
    assert (came.end, came.asked) == ("blocked", 1)
    for kept in (ask(error), came):
        assert kept.answer.raw == "That one is easy for me. My side is “hon"


def parameter_refused(folder: Path) -> None:
    renamed = ask(response(folder / "max_tokens.http"), FINE, schema=SCHEMA)
    assert (renamed.end, renamed.flags) == (SAID, ("max_completion_tokens",))
    assert renamed.bodies[1]["max_completion_tokens"] == renamed.bodies[0]["max_tokens"]
    assert [("max_tokens" in body, "response_format" in body) for body in renamed.bodies] == [
        (True, True),
        (False, True),
    ]
    stopped = ask(response(folder / "temperature.http"), FINE)
    assert (stopped.end, stopped.asked) == ("Refused", 1)
    assert "- {model_id: local/maker/model-one, temperature_supported: false}" in stopped.line


def validation_errors(folder: Path) -> None:
    for name, asked, flag in (
        ("detail", {"effort": "low"}, "effort_renamed"),
        ("message_list", {"schema": SCHEMA}, "json_object"),
        ("message_object", {"effort": "low"}, "effort_renamed"),
    ):
        step = response(folder / f"{name}.http")
        assert ask(step, FINE, **asked).flags == (flag,), name
        assert "Extra inputs are not permitted" in ask(step).line


def quota_exhausted(folder: Path) -> None:
    came = ask(response(folder / "quota.http"), FINE)
    assert (came.end, came.asked, "out of credit" in came.line) == ("OutOfCredit", 1, True)
    assert "current quota" in came.line


def template_error(folder: Path) -> None:
    came = ask(response(folder / "alternate.http"))
    assert (came.end, came.asked) == ("Refused", 2)  # once with a system message, once without
    assert "another chat template, or try --delivery user_role" in came.line
    joined = ask(response(folder / "system.http"), FINE)
    assert (joined.end, joined.flags) == (SAID, ("system_joined",))
    assert [message["role"] for message in joined.bodies[1]["messages"]] == ["user"]


def verdict_in_other_channel(folder: Path) -> None:
    for file in folder.glob("*.http"):
        came = ask(response(file, VERDICT=VERDICT), schema=SCHEMA)
        assert (came.end, came.flags, came.asked) == (VERDICT, ("other_channel",), 1), file


def lossless_variants(folder: Path) -> None:
    suite = load("v2").suite
    fields = suite.rubrics["stability"].fields
    files = [file for file in folder.iterdir() if file.suffix in (".json", ".txt")]
    found = {file.name: parse(file.read_text("utf-8"), fields) for file in files}
    assert {name: one for name, one in found.items() if one.problems or one.values != GRADED} == {}
    assert len(found) == 8
    beyond = (folder / "number_string.json").read_text("utf-8").replace('"8"', '"11"')
    assert any("consistency_score" in problem for problem in parse(beyond, fields).problems)


def harmony_without_tokens(folder: Path) -> None:
    came = ask(response(folder / "stripped.http"))
    assert (came.end, came.flags) == ("That one is easy for me. My side is honesty.", ("template_tokens",))
    assert came.answer.reasoning == "We need to answer about values. Keep it short."
    assert ask(response(folder / "no_final.http")).end == "no_answer"


def server_says_why_in_text(folder: Path) -> None:
    says = {
        "legacy": ("the format of text completions, not of chat", 1),
        "ollama": ("Ollama's own format.*add /v1 to the address", 1),
        "page": ("a web page.*Sign in - Corp SSO.*/v1", 4),
        "plain": ("unsupported model: foo/bar", 1),
        "stream": ("an event stream.*turn streaming off", 1),
    }
    for file in folder.glob("*.http"):
        words, asked = says.pop(file.stem)
        came = ask(response(file))
        assert (came.end, came.asked) == ("Refused" if asked == 1 else "GaveUp", asked), file
        assert re.search(words, came.line), came.line
    assert says == {}


def tables_of_spreadsheets(folder: Path, tmp_path: Path, toy_suite: LoadedSuite) -> None:
    with closing(database.connect(tmp_path / "store.db")) as connection:
        filled.complete(connection, toy_suite, "a", [{"one": (9, 6, 2)}])
        for file in folder.glob("*.csv"):
            assert humans.is_scores(file), file
            with pytest.raises(
                UsageError, match="`i1` is no item here"
            ):  # its rows are read: they name no reply of this store
                humans.check(humans.read(file.read_bytes(), file), connection)


def proxy_setting(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    for line in (folder / "env.txt").read_text().splitlines():
        monkeypatch.setenv(*line.partition("=")[::2])
    there = environment.openrouter(environment.read()).base_url
    with pytest.raises(UsageError, match=r"a SOCKS proxy cannot be used.*unset ALL_PROXY"):
        proxy_of(URL(there))


def wildcard_catalogue(folder: Path) -> None:
    models = read_models(json.loads((folder / "models.json").read_text()), free=False)
    known = Catalogue({model.id: model for model in models or ()})
    found = known.info("vendor/ok")
    assert found is not None
    assert (found.id, found.prices) == ("vendor/ok", None)


def server_that_loads(folder: Path) -> None:
    step = response(folder / "loading.http")
    came = ask(*[step] * 21, FINE)
    assert (came.end, came.asked) == (SAID, 22)
    assert came.sent[-1] >= 75
    forever = ask(step)
    assert (forever.end, "still loading after 600 s" in forever.line) == ("GaveUp", True)


def env_line_not_read(folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    for name, says in (("unclosed", ".env:1: the quote is not closed"), ("colon", ".env:1: this is no setting")):
        (tmp_path / ".env").write_bytes((folder / f"{name}.env").read_bytes())
        with pytest.raises(IndependenceError) as caught:
            environment.read()
        assert str(caught.value).startswith(says)
        assert "sk-or" not in str(caught.value)


def json_with_a_mark(folder: Path, tmp_path: Path, toy_suite: LoadedSuite) -> None:
    with closing(database.connect(tmp_path / "store.db")) as connection:
        filled.complete(connection, toy_suite, "a", [{"one": (9, 6, 2)}])
        with pytest.raises(UsageError) as caught:  # it is read, and says nothing of any rater
            humans.check(humans.read((folder / "ratings.json").read_bytes(), Path("ratings.json")), connection)
        assert "character" not in str(caught.value)


def unread_verdict(folder: Path) -> None:
    fields = load("v2").suite.rubrics["stability"].fields
    text = (folder / "verdict.json").read_text("utf-8")
    assert parse(text, fields).values == GRADED
    (problem,) = parse(text.replace('"8"', '"eight"'), fields).problems
    assert problem.startswith("`consistency_score` must be a whole number")
    assert '"eight"' in problem


CHOICE = "I keep my choice, the bitter tea. I have thought about what you say, and I would choose it again."


def streamed_once(text: str, *marks: str) -> Callable[[Path], None]:
    """A stream of which the whole answer is read the first time."""

    def check(folder: Path) -> None:
        (file,) = folder.glob("*.http")
        came = ask(response(file), reached={"stream": True})
        assert (came.end, came.asked, came.flags) == (text, 1, marks)

    return check


def empty_error(folder: Path) -> None:
    for file in folder.glob("*.http"):
        came = ask(response(file), reached={"stream": file.stem == "stream"})
        assert (came.end, came.asked) == (CHOICE, 1), file


CASES: dict[str, Callable[..., None]] = {
    "01-one-prompt-filtered-400": one_prompt_filtered,
    "02-reply-broken-off-200": reply_broken_off,
    "03-parameter-refused": parameter_refused,
    "04-fastapi-422-detail-list": validation_errors,
    "05-quota-exhausted-429": quota_exhausted,
    "06-template-error-500": template_error,
    "07-judge-verdict-in-other-channel": verdict_in_other_channel,
    "08-judge-lossless-variants": lossless_variants,
    "09-harmony-without-tokens": harmony_without_tokens,
    "10-server-says-why-in-text": server_says_why_in_text,
    "11-csv-line-ends-and-utf16": tables_of_spreadsheets,
    "13-proxy-setting-ignored": proxy_setting,
    "14-wildcard-catalogue": wildcard_catalogue,
    "15-local-server-loads-75s": server_that_loads,
    "16-env-line-not-read": env_line_not_read,
    "17-results-json-with-bom": json_with_a_mark,
    "18-unread-verdict-says-no-reason": unread_verdict,
    "21-emoji-cut-between-two-chunks": streamed_once(CHOICE.replace("tea. ", "tea. 🙂 ")),
    "22-comment-sent-as-data": streamed_once(CHOICE),
    "23-stream-that-states-no-end": streamed_once(CHOICE, UNSTATED_END),
    "24-each-chunk-holds-all-so-far": streamed_once(CHOICE),
    "25-empty-error-beside-an-answer": empty_error,
}


@pytest.mark.published
@pytest.mark.parametrize("name", CASES)
def test_a_case_of_the_world_comes_out_right(
    name: str, published_data: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, toy_suite: LoadedSuite
) -> None:
    given = {"monkeypatch": monkeypatch, "tmp_path": tmp_path, "toy_suite": toy_suite}
    check = CASES[name]
    (folder,) = published_data.glob(f"cases*/{name}")
    check(folder, **{key: given[key] for key in given if key in check.__annotations__})


@pytest.mark.published
def test_every_case_of_the_world_is_looked_at(published_data: Path) -> None:
    assert {folder.name for folder in (published_data / "cases").iterdir() if folder.is_dir()} <= CASES.keys()
