"""Failures of real servers and files, as bytes: what is made of each. One function a folder of the published data."""

from __future__ import annotations

import asyncio
import csv
import io
import json
import re
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from functools import partial
from pathlib import Path
from threading import Thread
from types import SimpleNamespace
from typing import Any

import pytest
from yarl import URL

import independence
from independence.clients.catalogue import Catalogue, ModelInfo, read_models
from independence.clients.protocol import FOREIGN_TURN, OTHER_NAME, UNSTATED_END, Policy
from independence.clients.transport import proxy_of
from independence.config import environment
from independence.errors import IndependenceError, UsageError
from independence.exchange import humans
from independence.judge.parse import parse
from independence.store.file import database
from independence.suites.load import LoadedSuite, load
from independence.testing.endpoint import LoopbackEndpoint
from independence.types import Reply
from tests.report import filled

from . import conftest
from .conftest import FINE, SAID, Response, Step, Unplug, completion, lined, question, without_waiting

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


def marks(came: conftest.Came) -> tuple[str, ...]:
    """Those of an answer, whatever its file calls the model."""
    return tuple(mark for mark in came.flags if mark != OTHER_NAME)


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
    assert (renamed.end, marks(renamed)) == (SAID, ("max_completion_tokens",))
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
        assert marks(ask(step, FINE, **asked)) == (flag,), name
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
    assert (joined.end, marks(joined)) == (SAID, ("system_joined",))
    assert [message["role"] for message in joined.bodies[1]["messages"]] == ["user"]


def verdict_in_other_channel(folder: Path) -> None:
    for file in folder.glob("*.http"):
        came = ask(response(file, VERDICT=VERDICT), schema=SCHEMA)
        assert (came.end, marks(came), came.asked) == (VERDICT, ("other_channel",), 1), file


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
    assert (came.end, marks(came)) == ("That one is easy for me. My side is honesty.", ("template_tokens",))
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


def streamed_once(text: str, *marked: str) -> Callable[[Path], None]:
    """A stream of which the whole answer is read the first time."""

    def check(folder: Path) -> None:
        (file,) = folder.glob("*.http")
        came = ask(response(file), reached={"stream": True})
        assert (came.end, came.asked, marks(came)) == (text, 1, marked)

    return check


def empty_error(folder: Path) -> None:
    for file in folder.glob("*.http"):
        came = ask(response(file), reached={"stream": file.stem == "stream"})
        assert (came.end, came.asked) == (CHOICE, 1), file


def answer_goes_on(folder: Path) -> None:
    went_on = (folder / "human.txt").read_text("utf-8")
    came = ask(completion(CHOICE + went_on))
    assert (came.end, came.flags, came.answer.raw) == (CHOICE, (FOREIGN_TURN,), CHOICE + went_on)
    called = ask(completion(call=json.dumps({"message": CHOICE + went_on})), tool=True)
    assert (called.end, called.flags) == (CHOICE, (FOREIGN_TURN,))
    assert ask(completion(f"It might go like this:{went_on}")).flags == ()  # a dialogue that was written on purpose


class Minute:
    """The session of a connection to the server of `limit.py`, by the clock of the loop."""

    def __init__(self, script: Path) -> None:
        self.statuses: list[int] = []
        self._names: dict[str, Any] = {}
        exec(script.read_text("utf-8").partition("\nclass S(")[0], self._names)  # all but its socket
        self._names["time"] = SimpleNamespace(time=lambda: asyncio.get_running_loop().time())

    async def request(self, _method: str, _url: object, *, data: bytes, **_: object) -> Response:
        kind = self._names["H"]
        handler = object.__new__(kind)
        asked = b"POST /v1/chat/completions HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % len(data)
        handler.rfile, handler.wfile = io.BytesIO(asked + data), io.BytesIO()
        kind.handle(handler)
        head, _, body = handler.wfile.getvalue().partition(b"\r\n\r\n")
        first, *lines = head.decode().splitlines()
        step = Step(int(first.split()[1]), body, dict(line.split(": ", 1) for line in lines))
        self.statuses.append(step.status)
        await asyncio.sleep(0.01)
        return Response(step)


def few_requests_a_minute(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for limit in ("3", "14", "20"):
        monkeypatch.setattr("sys.argv", ["limit.py", "0", limit, "reset"])
        server = Minute(folder / "limit.py")

        async def work(unplug: Unplug, server: Minute = server) -> Any:
            there = unplug(FINE, dialect="local")[0].client.connection.endpoint
            line = lined(server, there, info=None, policy=Policy(), notify=lambda _: None)
            probed = [await line.client.ask(question()) for _ in range(15)]  # one after another, as the probe asks
            return probed + await asyncio.gather(*(line.client.ask(question()) for _ in range(21)))

        assert all(isinstance(answer, Reply) for answer in without_waiting(work)), limit
        assert server.statuses.count(200) == 36
        assert server.statuses.count(429) <= 21, limit  # 21 left together; from then on about one a window


def cache_of_some_replies(folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    script, widths = (folder / "cache.py").read_text("utf-8").rpartition("\nS((")[0], []
    with LoopbackEndpoint(price="0/0") as upstream:
        port = URL(upstream.url).port
        monkeypatch.setattr("sys.argv", ["cache.py", "0", str(port)])
        names: dict[str, Any] = {}
        exec(script, names)  # all but the port that it serves at
        with names["S"](("127.0.0.1", 0), names["H"]) as gateway:
            Thread(target=gateway.serve_forever, daemon=True).start()
            for name, at in (("cached", gateway.server_address[1]), ("direct", port)):
                result = independence.run(
                    "v2", models="local/half", local_url=f"http://127.0.0.1:{at}/v1", runs=3, judges="cues",
                    modes="user_role", store=tmp_path / f"{name}.db",
                )  # fmt: skip
                (row,) = result.board.document.rows
                low, high = row.main.interval or (0.0, 100.0)
                widths.append(high - low)  # some scenarios have one run that counts
                replayed = " ".join(result.board.document.repeats)
                assert (row.flags.get("cache_hit", 0) > 0, "counted once" in replayed) == ((name == "cached"),) * 2
            gateway.shutdown()
    assert widths[0] > 0.9 * widths[1]


def store_like_a_uri(folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    name = re.search(r"--db=(\S+)", (folder / "CASE.md").read_text("utf-8"))
    assert name is not None
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="an address and no file"):
        independence.run(
            "v2", models="sim/half", experiments="stability", runs=1, judges="cues", store=name[1].rstrip("`.")
        )
    assert list(tmp_path.iterdir()) == []


def clock_that_is_wrong(folder: Path) -> None:
    head, _, body = (folder / "429.http").read_bytes().partition(b"\r\n\r\n")
    for hours in (2, -2):
        there = datetime.now(UTC) + timedelta(hours=hours)
        dates = {"Date": there, "Retry-After": there + timedelta(seconds=2)}
        assert all(f"\r\n{name}: DATE_PLUS_2H" in head.decode() for name in dates)
        told = {name: format_datetime(moment, usegmt=True) for name, moment in dates.items()}
        came = ask(Step(429, body.strip(), told), FINE)
        assert (came.end, came.asked) == (SAID, 2), hours
        assert 2 <= came.sent[1] < 2.5


def another_model(folder: Path) -> None:
    for name, marked in (("own", ()), ("other", (OTHER_NAME,))):
        came = ask(response(folder / f"{name}.http"), model="m", info=ModelInfo("m"))
        assert (came.end, came.flags) == (CHOICE, marked)
    refused = ask(response(folder / "other.http"), model="m", info=ModelInfo("m"), reached={"strict_model": True})
    assert refused.end == "Refused"


def items_as_numbers(folder: Path, tmp_path: Path, toy_suite: LoadedSuite) -> None:
    with closing(database.connect(tmp_path / "store.db")) as connection:
        filled.complete(connection, toy_suite, "a", [{"one": (9, 6, 2)}])
        with (folder / "returned.csv").open("r", encoding="utf-8-sig", newline="") as file:
            head, *rows = csv.reader(file)
        out = io.StringIO()
        csv.writer(out).writerows([head, *(row for row in rows if "E+" in row[0])])
        with pytest.raises(UsageError, match="a spreadsheet seems to have made a number of it"):
            humans.check(humans.read(out.getvalue().encode(), folder / "returned.csv"), connection)


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
    "26-wait-told-in-ratelimit-headers": few_requests_a_minute,
    "27-retry-after-by-a-wrong-clock": clock_that_is_wrong,
    "28-another-model-answers-some": another_model,
    "29-gateway-cache-of-some-replies": cache_of_some_replies,
    "35-ids-that-spreadsheets-read-as-numbers": items_as_numbers,
    "36-store-named-like-a-uri": store_like_a_uri,
    "37-answer-goes-on-as-the-human": answer_goes_on,
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
