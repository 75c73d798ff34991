"""A server that says what it is told, and a client that talks to it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import aiohttp
import pytest
from aiohttp import web

from independence.clients.catalogue import Catalogue, ModelInfo, Reasoning
from independence.clients.client import OpenAIClient
from independence.clients.connection import EndpointConnection
from independence.clients.limits import Buckets, Budget, Prices
from independence.clients.protocol import Loops, Notify, Policy, UnansweredCall, Wait
from independence.clients.throttle import Throttle
from independence.clients.transport import open_session
from independence.config.endpoints import Endpoint
from independence.errors import IndependenceError
from independence.types import ChatRequest, FunctionCall, Message, Reply, Sampling, Tool, ToolCall
from tests.virtual_time import in_virtual_time, passing

KEY = "sk-or-v1-0123456789abcdef0123456789abcdef"
MODEL = "maker/model-one"
GREETING = "Good day, the line is open."
SETTINGS = ("temperature", "effort", "provider")
TOOL = Tool("send_message_to_human", "Speak.", "message", "What to say.")
USAGE = {"prompt_tokens": 100, "completion_tokens": 20, "cost": 0.001}
QUICK = Policy(base_backoff_s=0.002)
PATIENT = Policy(base_backoff_s=0.25, retries=3)
PATIENCE_S = (
    60.0  # for an answer that comes at once: more than a machine stalls. What waits for a timeout sets its own.
)
INFO = ModelInfo(
    id=MODEL,
    prices=Prices(prompt=1e-6, completion=4e-6),
    supported_parameters=frozenset({"tools", "temperature", "seed", "reasoning", "structured_outputs", "max_tokens"}),
    reasoning=Reasoning(("high", "medium", "low"), "medium"),
)


class Step(NamedTuple):
    """One scripted answer."""

    status: int = 200
    body: Any = None  # JSON, bytes as they are, or a tuple of them with pauses (seconds) and errors in between
    headers: Mapping[str, str] = MappingProxyType({})
    fault: str = ""  # "reset", "cut" or "hang"


class Response:
    """A response as the HTTP library hands it over, whole at once or in parts."""

    closed = True  # its connection went back at the end of the body

    def __init__(self, step: Step) -> None:
        self.status, self.headers = step.status, dict(step.headers)
        self.content = self
        whole = step.body if isinstance(step.body, bytes) else json.dumps(step.body, default=str).encode()
        self._parts = list(step.body) if isinstance(step.body, tuple) else [whole]

    async def readany(self) -> bytes:
        while self._parts:
            part = self._parts.pop(0)
            if isinstance(part, Exception):
                raise part
            if isinstance(part, bytes):
                return part
            await passing(part)
        return b""

    def at_eof(self) -> bool:
        return not self._parts

    def exception(self) -> None:
        return None


class Unplugged:
    """The session of a connection without sockets, for virtual time: answers in order, the last one for ever."""

    def __init__(self, *steps: Step | dict[str, Any]) -> None:
        self.sent: list[float] = []  # when each request left, by the clock of the loop
        self.bodies: list[Any] = []
        self._steps: list[Step] = []
        self.says(*steps)

    def says(self, *steps: Step | dict[str, Any]) -> None:
        self._steps = [step if isinstance(step, Step) else Step(body=step) for step in steps]

    async def request(self, method: str, url: object, *, data: bytes, **_: object) -> Response:
        self.sent.append(asyncio.get_running_loop().time())
        self.bodies.append(json.loads(data))
        step = self._steps.pop(0) if len(self._steps) > 1 else self._steps[0]
        await asyncio.sleep(0)  # others send meanwhile
        return Response(step)


class Seen(NamedTuple):
    """One request as it arrived."""

    method: str
    path: str
    headers: dict[str, str]
    body: Any
    query: str = ""


class Scripted:
    """The server: answers in order, the last one for ever, and what it was asked."""

    def __init__(self) -> None:
        self.url = ""
        self.asked = asyncio.Event()
        self.seen: list[Seen] = []
        self._chat: list[Step] = []
        self._pages: dict[str, list[Step]] = {}

    def says(self, *steps: Step | dict[str, Any]) -> None:
        self._chat = [s if isinstance(s, Step) else Step(body=s) for s in steps]

    def serves(self, path: str, *steps: Step) -> None:
        self._pages[path] = list(steps)

    async def handle(self, request: web.Request) -> web.StreamResponse:
        raw = await request.read()
        self.seen.append(
            Seen(
                request.method,
                request.path,
                dict(request.headers),
                json.loads(raw) if raw else None,
                request.query_string,
            )
        )
        self.asked.set()
        steps = self._chat if request.method == "POST" else self._pages.get(request.path.removeprefix("/v1"))
        if not steps:
            return web.json_response({"error": {"code": 404, "message": "no such page"}}, status=404)
        step = steps.pop(0) if len(steps) > 1 else steps[0]
        return await self._answer(request, step)

    async def _answer(self, request: web.Request, step: Step) -> web.StreamResponse:
        assert request.transport is not None
        if step.fault == "hang":
            await asyncio.Event().wait()  # until the client goes away
        if step.fault == "reset":
            request.transport.abort()
            return web.Response()
        body = step.body if isinstance(step.body, bytes) else json.dumps(step.body).encode()
        if step.fault == "cut":
            response = web.StreamResponse(status=step.status, headers={"Content-Length": str(len(body))})
            await response.prepare(request)
            await response.write(body[: len(body) // 2])
            request.transport.abort()
            return response
        headers = {"Content-Type": "application/json", **step.headers}
        return web.Response(status=step.status, body=body, headers=headers)


def completion(
    content: Any = None,
    *,
    call: Any = None,
    finish: str | None = "stop",
    usage: dict[str, Any] | None = USAGE,
    message: dict[str, Any] | None = None,
    **top: Any,
) -> dict[str, Any]:
    """A completion. `call` is the tool arguments, text or otherwise."""
    said: dict[str, Any] = {"role": "assistant", "content": content, **(message or {})}
    if call is not None:
        said["tool_calls"] = [{"id": "c1", "type": "function", "function": {"name": TOOL.name, "arguments": call}}]
    body: dict[str, Any] = {"id": "gen-1", "model": MODEL, "provider": "Maker"}
    body["choices"] = [{"index": 0, "message": said, "finish_reason": finish}]
    if usage is not None:
        body["usage"] = usage
    return {**body, **top}


SAID = "I am myself."
FINE = completion(SAID)


def failing(status: int, message: str = "no", headers: dict[str, str] | None = None, **error: Any) -> Step:
    """An error response in OpenRouter's form."""
    return Step(status, {"error": {"code": status, "message": message, **error}}, headers or {})


def question(**changes: Any) -> ChatRequest:
    """A request in plain chat; `tool=True` makes it a `tool_role` one with the greeting."""
    messages: tuple[Message, ...] = (Message("system", "Be."), Message("user", "Who are you?"))
    if changes.pop("tool", False):
        call = ToolCall("hmsg00001", FunctionCall(TOOL.name, json.dumps({"message": GREETING})))
        messages = (
            Message("system", "Be."),
            Message("user", "[start]"),
            Message("assistant", None, tool_calls=(call,)),
            Message("tool", "Who are you?", tool_call_id="hmsg00001"),
        )
        changes["tool"] = TOOL
    fields: dict[str, Any] = {"model": MODEL, "messages": messages, "max_tokens": 64, "seed": 7}
    settings = {"temperature": 0.7} | {name: changes.pop(name) for name in SETTINGS if name in changes}
    return ChatRequest(**{**fields, **changes}, sampling=Sampling(**settings))


class Line(NamedTuple):
    """A client and everything it shares."""

    client: OpenAIClient
    budget: Budget
    throttle: Throttle
    waits: list[Wait]


async def answered(line: Line, **changes: Any) -> Reply:
    """Ask and expect a reply."""
    reply = await line.client.ask(question(**changes))
    assert isinstance(reply, Reply), reply
    return reply


def lined(
    session: Any,
    there: Endpoint,
    *,
    cap: float | None = None,
    info: ModelInfo | None = INFO,
    policy: Policy = QUICK,
    notify: Notify | None = None,
    throttle: Throttle | None = None,
    clock: Callable[[], float] | None = None,
    loops: Loops = lambda _: False,
) -> Line:
    """A client of an endpoint, and everything it shares."""
    waits: list[Wait] = []
    budget, throttle = Budget(cap), throttle or Throttle(16)
    connection = EndpointConnection(
        there, session, Catalogue({info.id: info} if info else {}), budget=budget, throttle=throttle,
        notify=notify or waits.append, buckets=Buckets(there, clock) if clock else None, loops=loops,
    )  # fmt: skip
    return Line(OpenAIClient(connection, policy), budget, throttle, waits)


Unplug = Callable[..., tuple[Line, Unplugged]]


def without_waiting(work: Callable[[Unplug], Awaitable[Any]]) -> Any:
    """Run `work(unplug)` in virtual time; `unplug(*steps, **settings)` makes a client and the session it sends to."""

    async def run(clock: Callable[[], float]) -> Any:
        def unplug(*steps: Any, dialect: str = "openrouter", **changes: Any) -> tuple[Line, Unplugged]:
            names = ("cap", "info", "policy", "notify", "loops")
            shared = {name: changes.pop(name) for name in names if name in changes}
            there = Endpoint(dialect, "http://127.0.0.1/v1", dialect, **{"api_key": KEY, **changes})
            session = Unplugged(*steps)
            return lined(session, there, clock=clock, **shared), session

        return await work(unplug)

    return in_virtual_time(run)


class Came(NamedTuple):
    """What a call came to."""

    end: str  # its text, why there is none, or what it raised
    line: str  # what is said where there is none
    answer: Any  # a Reply, a Missing or an exception
    bodies: list[Any]  # of its requests
    sent: list[float]  # when they left
    window: int  # of 16 calls, those that may be in flight from then on

    @property
    def asked(self) -> int:
        return len(self.bodies)

    @property
    def kinds(self) -> tuple[str, ...]:
        return tuple(attempt.outcome for attempt in self.answer.attempts)

    @property
    def flags(self) -> tuple[str, ...]:
        return self.answer.flags if isinstance(self.answer, Reply) else ()


def ask(
    *steps: Step | dict[str, Any],
    dialect: str = "openrouter",
    info: ModelInfo | None = INFO,
    policy: Policy = PATIENT,
    timeout_s: float = 600.0,
    reached: Mapping[str, Any] = MappingProxyType({}),
    **asked: Any,
) -> Came:
    """Ask a server that answers so, without waiting."""

    async def work(unplug: Unplug) -> Came:
        line, session = unplug(*steps, dialect=dialect, info=info, policy=policy, timeout_s=timeout_s, **reached)
        try:
            answer: Any = await line.client.ask(question(**asked))
            end, said = (answer.text, "") if isinstance(answer, Reply) else (answer.reason, answer.detail)
        except (UnansweredCall, IndependenceError) as stop:
            answer, end, said = stop, type(stop).__name__, str(stop)
        return Came(end, said, answer, session.bodies, session.sent, line.throttle.limit)

    came: Came = without_waiting(work)
    return came


Connect = Callable[..., Line]


@pytest.fixture
async def server() -> AsyncIterator[Scripted]:
    scripted = Scripted()
    app = web.Application()
    app.router.add_route("*", "/{tail:.*}", scripted.handle)
    runner = web.AppRunner(app, shutdown_timeout=0.05, handler_cancellation=True)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    host, port = runner.addresses[0][:2]
    scripted.url = f"http://{host}:{port}/v1"
    yield scripted
    await runner.cleanup()


@pytest.fixture
async def session() -> AsyncIterator[aiohttp.ClientSession]:
    async with open_session() as opened:
        yield opened


@pytest.fixture
def endpoint(server: Scripted) -> Callable[..., Endpoint]:
    def make(dialect: str = "openrouter", **changes: Any) -> Endpoint:
        fields: dict[str, Any] = {"name": dialect, "base_url": server.url, "dialect": dialect, "api_key": KEY}
        return Endpoint(**{**fields, "timeout_s": PATIENCE_S, "connect_timeout_s": PATIENCE_S, **changes})

    return make


@pytest.fixture
def connect(endpoint: Callable[..., Endpoint], session: aiohttp.ClientSession) -> Connect:
    def make(dialect: str = "openrouter", **changes: Any) -> Line:
        names = ("cap", "info", "policy", "notify", "loops")
        shared = {name: changes.pop(name) for name in names if name in changes}
        return lined(session, endpoint(dialect, **changes), **shared)

    return make
