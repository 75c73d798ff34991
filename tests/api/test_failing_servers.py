"""Whatever a server answers instead of a completion: one request stops nobody, and no refusal is asked for twice."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

import independence
from independence.clients.protocol import Policy
from independence.engine.events import Event, ModelStopped
from tests import toy

SAID = "the walrus is asleep"
SHAPES = {
    "nested": json.dumps({"error": {"message": SAID, "type": "odd", "param": None, "code": None}}),
    "string": json.dumps({"error": SAID}),
    "details": json.dumps({"detail": [{"type": "odd", "loc": ["body", "walrus"], "msg": SAID}]}),
    "messages": json.dumps({"object": "error", "message": [{"loc": ["body", "walrus"], "msg": SAID}]}),
    "inner": json.dumps({"error": {"message": json.dumps({"error": {"message": SAID}})}}),
    "page": f"<html><head><title>{SAID}</title></head><body>no</body></html>",
    "text": SAID,
    "empty": "",
}
LASTING = (400, 403, 404, 405, 406, 413, 415, 422, 424, 451)
PASSING = (408, 409, 425, 429, 500, 501, 502, 503, 504, 520, 529)
# What fails on each endpoint: `one` model at one text, `all` and `more` at every text, `fine` at none.
TEXTS = {f"{kind}{number}" for kind in ("opening", "pressure") for number in range(2)}
FAILS: dict[str, set[str]] = {"one": {"pressure1"}, "all": TEXTS, "more": TEXTS, "fine": set()}
_PLANNED = re.compile(r"Do you still like topic (\d+) after all this (\w+)\?")


def _most(case: str) -> int:
    """How often the same request may be sent in one run."""
    status, patience = int(case.partition("-")[0]), Policy()
    if status in LASTING:
        return 1
    return 1 + patience.retries + (patience.spared if status in (429, 503, 529) else 0)


def _text(body: dict[str, Any]) -> str:
    """Which text of the suite a request asks; empty for one of the probe."""
    planned = _PLANNED.search(body["messages"][-1]["content"])
    return f"{planned[2]}{planned[1]}" if planned else ""


def _answer(body: dict[str, Any]) -> web.Response:
    words = len(" ".join(str(message.get("content")) for message in body["messages"]).split())
    said = "I like it still, and I stay with it: I chose it for good reasons."
    if "response_format" in body:
        fields = body["response_format"]["json_schema"]["schema"]["properties"]
        said = json.dumps({name: 7 if field["type"] == "integer" else said for name, field in fields.items()})
    message = {"role": "assistant", "content": said}
    usage = {"prompt_tokens": 2 * words, "completion_tokens": 20}
    return web.json_response({"choices": [{"message": message, "finish_reason": "stop"}], "usage": usage})


class Server:
    """Every path is an endpoint that fails in its own way: `/STATUS/SHAPE/v1`."""

    def __init__(self) -> None:
        self.url = ""
        self.asked: Counter[tuple[str, str, str]] = Counter()  # case, model, whole body -> requests, not the probe's
        self.texts: Counter[tuple[str, str, str]] = Counter()  # case, model, text -> the same

    def forget(self) -> None:
        self.asked.clear()
        self.texts.clear()

    async def handle(self, request: web.Request) -> web.Response:
        status, shape = request.match_info["status"], request.match_info["shape"]
        if request.method == "GET":
            return web.json_response({"data": [{"id": model} for model in FAILS]})
        body = await request.json()
        case, model, text = f"{status}-{shape}", body["model"], _text(body)
        if not text:
            return _answer(body)
        self.asked[case, model, json.dumps(body)] += 1
        self.texts[case, model, text] += 1
        if text not in FAILS[model]:
            return _answer(body)
        kind = "text/html" if shape == "page" else "text/plain" if shape == "text" else "application/json"
        return web.Response(status=int(status), text=SHAPES[shape], content_type=kind)


@asynccontextmanager
async def _serving() -> AsyncIterator[Server]:
    server, app = Server(), web.Application()
    app.router.add_route("*", "/{status}/{shape}/v1/{page:.*}", server.handle)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    server.url = "http://{}:{}".format(*runner.addresses[0][:2])
    yield server
    await runner.cleanup()


def _settings(folder: Path, url: str, cases: list[str], models: tuple[str, ...] = tuple(FAILS)) -> dict[str, Any]:
    """A run of a suite of four texts on every model of every case."""
    lines = ["endpoints:"]
    for case in cases:
        address = f"{url}/{case.replace('-', '/')}/v1"
        lines.append(f'  - {{name: e{case}, base_url: "{address}", dialect: local, backoff_s: 0}}')
    (folder / "models.yaml").write_text("\n".join(lines), encoding="utf-8")
    return {
        "suite": str(toy.write_many(folder / "many", each=2)), "models_file": folder / "models.yaml",
        "models": [f"e{case}/{model}" for case in cases for model in models], "judges": ["cues"], "runs": 1,
        "parallel": 64, "parallel_tasks": 2, "store": folder / "store.db",
    }  # fmt: skip


def _scopes() -> list[Any]:
    """One text and one model fail in every shape, and everything fails in two; not every status in every shape."""
    out = []
    for name, statuses in (("lasting", LASTING), ("passing", PASSING)):
        for models, shapes in ((("one", "all", "fine"), tuple(SHAPES)), (("all", "more"), ("nested", "empty"))):
            some = [f"{status}-{shapes[at % len(shapes)]}" for at, status in enumerate(statuses)]
            every = [f"{status}-{shape}" for status in statuses for shape in shapes]
            out.append(pytest.param(some, models, id=f"{name}, {models[0]}"))
            out.append(pytest.param(every, models, marks=pytest.mark.deep, id=f"{name}, {models[0]}, in every shape"))
    return out


@pytest.mark.parametrize(("cases", "models"), _scopes())
async def test_a_failure_stops_whom_it_concerns_and_nobody_else(
    tmp_path: Path, cases: list[str], models: tuple[str, ...]
) -> None:
    lasting, events = int(cases[0][:3]) in LASTING, list[Event]()
    too_large = sum(case.startswith("413") for case in cases)
    async with _serving() as server:
        settings = _settings(tmp_path, server.url, cases, models)
        await independence.arun(on_event=events.append, **settings)
        stopped = Counter(event.model for event in events if isinstance(event, ModelStopped))
        assert set(stopped) <= {"all", "more"}  # no failure of one request stops a model
        for case in cases:
            for model in {"one", "fine"}.intersection(models):  # every other text was asked once, and answered
                asked = {text: server.texts[case, model, text] for text in TEXTS - FAILS[model]}
                assert asked == dict.fromkeys(asked, 1), (case, model)
            if case[:3] in ("500", "501") and not case.endswith("empty"):  # words that stay the same
                assert sum(server.texts[case, "all", text] for text in TEXTS) <= 10, case
        assert [key for key, times in server.asked.items() if times > _most(key[0])] == []
        down = {"all", "more"}.intersection(models)
        # A prompt that is too large is refused for itself, however many there are.
        assert not lasting or {stopped[model] for model in down} == {len(cases) - too_large}

        server.forget()
        again = await independence.arun(**settings)
        assert all(text in FAILS[model] for _, model, text in server.texts)
        assert [key for key, times in server.asked.items() if times > _most(key[0])] == []
        if lasting:  # what is stored as refused is not asked again
            assert not any(model == "one" or case.startswith("413") for case, model, _ in server.texts)
            refused = len(cases) * ("one" in models) + too_large * len(TEXTS) * len(down)
            assert sum(again.missing.values()) == refused
        else:
            assert again.missing == {}


async def test_a_refused_verdict_is_missing_and_the_others_are_bought(tmp_path: Path) -> None:
    cases = ["400-nested", "403-text", "422-details", "451-empty"]
    async with _serving() as server:
        settings = _settings(tmp_path, server.url, cases, ("fine",))
        settings |= {"models": settings["models"][:1], "judges": [f"e{case}/one" for case in cases]}
        await independence.arun(**settings)
        asked = {(case, text) for case, model, text in server.texts if model == "one"}
        assert asked == {(case, text) for case in cases for text in TEXTS}
        server.forget()
        again = await independence.arun(**settings)
        assert server.texts == {}
        assert (again.unfinished, again.missing) == (0, {"blocked": len(cases)})


@pytest.mark.parametrize(
    ("status", "shapes", "kind"),
    [
        (401, ("nested", "details", "page", "empty"), "KeyRejected"),
        (402, ("string", "inner", "text", "empty"), "OutOfCredit"),
    ],
)
async def test_a_refused_key_and_an_empty_account_end_the_run_after_what_was_under_way(
    tmp_path: Path, status: int, shapes: tuple[str, ...], kind: str
) -> None:
    async with _serving() as server:
        for shape in shapes:
            server.forget()
            settings = _settings(tmp_path, server.url, [f"{status}-{shape}"], ("all",))
            result = await independence.arun(**settings | {"parallel": 1, "store": tmp_path / f"{shape}.db"})
            assert type(result.stopped_by).__name__ == kind, shape
            assert sum(server.asked.values()) <= 2  # as many as go at once
            assert max(server.asked.values()) == 1
            assert result.left.planned == result.unfinished == len(TEXTS)
