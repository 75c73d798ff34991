"""The endpoint on its socket: routes, the key, the wait, and the ways a response can be lost."""

from __future__ import annotations

import asyncio
import errno
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from functools import partial
from hashlib import sha256
from typing import NamedTuple

import msgspec
from aiohttp import web

from independence.errors import UsageError
from independence.testing.loopback import responses, responses_api, wire
from independence.testing.loopback.request_log import RequestEnd, RequestLog
from independence.testing.loopback.responses import ResponsePlan, ResponsePlanner
from independence.testing.loopback.settings import LoopbackSettings

_PREFIXES = ("/v1", "/api/v1", "/openai/v1")  # the last one as at Azure
_SHUTDOWN_S = 0.05
_POLL_S = 0.25  # how often a held request looks whether its client is still there
_TOGETHER = 8  # events that are sent at once where nothing bounds their pace
_JSON = "application/json"
_Handler = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]


class Loopback(NamedTuple):
    """A running endpoint."""

    base_url: str  # up to and including `/v1`
    ledger: RequestLog


@asynccontextmanager
async def serving(settings: LoopbackSettings) -> AsyncIterator[Loopback]:
    """Serve until the block ends; requests still held are dropped then. Raises UsageError if it cannot listen."""
    ledger = RequestLog(settings.log, settings.keep_bodies)
    try:
        desk = _RequestHandlers(settings, ledger)
        # The bare server: aiohttp's application and router would cost a tenth more time per request.
        runner = web.ServerRunner(web.Server(desk.answer, access_log=None), shutdown_timeout=_SHUTDOWN_S)
        await runner.setup()
        try:
            port = await _listen(runner, settings)
            yield Loopback(f"http://{settings.host}:{port}/v1", ledger)
        finally:
            await desk.drop()
            await runner.cleanup()
    finally:
        ledger.close()


async def _listen(runner: web.ServerRunner, settings: LoopbackSettings) -> int:
    try:
        await web.TCPSite(runner, settings.host, settings.port, backlog=1024).start()
    except OSError as error:
        if error.errno == errno.EMFILE:
            raise  # another port would not help
        where = f"{settings.host}:{settings.port}"
        raise UsageError(f"cannot listen on {where}: {error.strerror}; choose another --port, or 0.") from None
    port: int = runner.addresses[0][1]
    return port


class _RequestHandlers:
    """The handlers."""

    def __init__(self, settings: LoopbackSettings, ledger: RequestLog) -> None:
        self._settings = settings
        self._ledger = ledger
        self._script = ResponsePlanner(settings)
        self._started = asyncio.get_running_loop().time()
        self._answering: set[asyncio.Task[object]] = set()
        self._routes: Mapping[tuple[str, str], _Handler] = {
            ("GET", "/key"): self.key,
            ("POST", "/chat/completions"): self.chat,
            ("POST", "/responses"): partial(self.chat, by_responses=True),
        }

    async def answer(self, request: web.BaseRequest) -> web.StreamResponse:
        prefix = next((prefix for prefix in _PREFIXES if request.path.startswith(f"{prefix}/")), request.path)
        path = request.path.removeprefix(prefix)
        if request.path == "/props":
            return _response(self._script.props())
        if (request.method, path) == ("GET", "/models"):
            return _response(self._closed(request, "") or self._script.listing)
        if route := self._routes.get((request.method, path)):
            return await route(request)
        # One model, listed or not: names that carry numbers are too many to list.
        known = request.method == "GET" and path.startswith("/model/")
        body = self._script.catalogue.single(path.removeprefix("/model/")) if known else None
        if body is None:
            return _response(responses.NOTHING_THERE)
        return web.Response(body=body, content_type=_JSON)

    async def key(self, request: web.BaseRequest) -> web.Response:
        if not self._let_in(request):
            return _response(self._script.key_refused)
        billed = self._ledger.billed_usd
        data = {"label": "loopback", "limit": None, "limit_remaining": None, "usage": billed, "usage_daily": billed}
        return web.Response(body=msgspec.json.encode({"data": {**data, "is_free_tier": False}}), content_type=_JSON)

    async def chat(self, request: web.BaseRequest, *, by_responses: bool = False) -> web.StreamResponse:
        raw = await request.read()
        try:
            body = responses_api.chat_request(raw) if by_responses else raw
            asked: wire.ParsedRequest | None = wire.read(body, self._settings.seed, self._script.seen)
            problem = ""
        except wire.BadRequest as bad:
            asked, problem = None, str(bad)
        digest = asked.digest if asked else sha256(raw).hexdigest()
        ticket = self._ledger.receive(asked.model if asked else "", digest, raw)
        settled, stream, task = RequestEnd(0), web.StreamResponse(), asyncio.current_task()
        assert task is not None
        self._answering.add(task)
        try:
            outcome = self._outcome(request, asked, problem, ticket.attempt)
            outcome = responses_api.answered(outcome) if by_responses else outcome
            settled = RequestEnd(0, outcome.fault, outcome.usage)
            if outcome.seconds:
                await asyncio.sleep(outcome.seconds)
            if outcome.manner == "hang":
                await self._hang(request)
            if outcome.streamed:
                settled = await self._send_events(request, stream, outcome)
            else:
                status = 0 if outcome.manner == "reset" else outcome.status
                settled = RequestEnd(status, outcome.fault, outcome.usage, request.transport is None)
        finally:
            self._ledger.finish(ticket, settled)
            self._answering.discard(task)
        return await (_end(request, stream, outcome) if outcome.streamed else _deliver(request, outcome))

    async def _send_events(
        self, request: web.BaseRequest, response: web.StreamResponse, outcome: ResponsePlan
    ) -> RequestEnd:
        """Send all events of an answer but the last, or the first half where the rest is lost. Returns how it ended."""
        response.content_type = "text/event-stream"
        events, sent, together = outcome.events[:-1], 0, 1 if outcome.pace_s else _TOGETHER
        events = events[: len(events) // 2] if outcome.loses_half else events
        with suppress(ConnectionError):  # the client has left
            await response.prepare(request)
            while sent < len(events) and request.transport is not None:
                await response.write(b"".join(events[sent : sent + together]))
                sent += together
                await asyncio.sleep(outcome.pace_s)
            if outcome.silent:
                await self._hang(request)
        gone = request.transport is None
        usage = msgspec.structs.replace(outcome.usage, completion_tokens=sent) if gone else outcome.usage
        return RequestEnd(outcome.status, outcome.fault, usage, gone)

    def _outcome(
        self, request: web.BaseRequest, asked: wire.ParsedRequest | None, problem: str, attempt: int
    ) -> ResponsePlan:
        closed = self._closed(request, asked.model if asked else "")
        if closed is not None:
            return closed
        if not self._let_in(request):
            return self._script.key_refused
        if asked is None:
            return responses.error(400, problem, "invalid_request")
        metadata = request.headers.get("X-OpenRouter-Metadata", "").lower() == "enabled"
        return self._script.outcome(asked, attempt, metadata)

    async def _hang(self, request: web.BaseRequest) -> None:
        loop = asyncio.get_running_loop()
        end = loop.time() + self._settings.hang_s
        # aiohttp tells of a client that left only by dropping the transport.
        while request.transport is not None and (left := end - loop.time()) > 0:  # noqa: ASYNC110
            await asyncio.sleep(min(left, _POLL_S))

    async def drop(self) -> None:
        # Left to aiohttp's own shutdown, waiting handlers would each be given time to end.
        answering = list(self._answering)
        for task in answering:
            task.cancel()
        await asyncio.gather(*answering, return_exceptions=True)

    def _closed(self, request: web.BaseRequest, model_id: str) -> ResponsePlan | None:
        seconds = asyncio.get_running_loop().time() - self._started
        return self._script.closed(model_id, seconds, request.headers.get("Authorization", ""))

    def _let_in(self, request: web.BaseRequest) -> bool:
        key = self._settings.key
        return not key or request.headers.get("Authorization", "") == f"Bearer {key}"


def _response(outcome: ResponsePlan) -> web.Response:
    return web.Response(
        status=outcome.status, body=outcome.body, headers=outcome.headers or None, content_type=outcome.content_type
    )


async def _deliver(request: web.BaseRequest, outcome: ResponsePlan) -> web.StreamResponse:
    if outcome.manner == "cut":
        response = web.StreamResponse(status=outcome.status)
        response.content_type = _JSON
        response.content_length = len(outcome.body)
        await response.prepare(request)
        await response.write(outcome.body[: len(outcome.body) // 2])
        if request.transport is not None:
            request.transport.close()
        return response
    if outcome.manner == "reset" and request.transport is not None:
        request.transport.abort()
    return _response(outcome)


async def _end(request: web.BaseRequest, response: web.StreamResponse, outcome: ResponsePlan) -> web.StreamResponse:
    """The last event of a stream, or its breaking off."""
    if request.transport is not None and outcome.loses_half:
        request.transport.close()
    elif request.transport is not None:
        with suppress(ConnectionError):  # the client has left
            await response.write(outcome.events[-1])
    return response
