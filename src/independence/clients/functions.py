"""Asks functions of the user's own, as `transport.py` asks servers: a request in, a response or a failure out.

A function runs in a thread. An asynchronous one runs on an event loop that all such functions of the process share. So
nothing that a function does stops the run: one that does not answer in time is left behind, in a thread that does not
keep the process from ending.
"""

from __future__ import annotations

import asyncio
import dataclasses
import inspect
import json
import os
import re
import sys
import threading
import traceback
from collections import OrderedDict
from collections.abc import Callable, Mapping
from contextlib import suppress
from contextvars import ContextVar, copy_context
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from independence.clients import failures
from independence.clients.failures import Failure
from independence.clients.streams import StreamedAnswer, StreamLimits
from independence.clients.transport import LARGEST, BodyTooLarge, HttpResponse, patience
from independence.config import functions
from independence.config.functions import Function

Message = dict[str, Any]
_ASKED_AGAIN: Final = "mend it, and the same command asks again what is missing"
_PASSING_STATUS: Final = frozenset({408, 409, 425, 429})
_OVERLOAD: Final = frozenset({429, 503, 529})
_BROKEN: Final = 500  # what is no lower is a fault of some server
_PASSING_NAME: Final = re.compile(r"Time(?:d)?-?out|Connect(?:ion)?(?:Error|Reset|Closed)|RateLimit", re.IGNORECASE)
_MOST_SESSIONS: Final = 1_000  # that are kept open; a dialogue that goes on after that begins again with its history
_FORMS: Final = "return text, or a mapping with `content`"
_STILL_S: Final = 1.0  # after which a loop that does nothing is taken for blocked
_USAGE: Final = {"input_tokens": "prompt_tokens", "output_tokens": "completion_tokens", "cost_usd": "cost"}
_INSIDE: Final = ContextVar("_INSIDE", default=False)  # whether a function of the user's is running


class FunctionFailed(Exception):
    """No answer came from a function, and why."""

    def __init__(self, failure: Failure) -> None:
        self.failure = failure
        super().__init__(failure.line)


class _Session(NamedTuple):
    call: Any
    seen: list[Message]  # the messages up to its last answer


class FunctionTransport:
    """The way to all functions of this process."""

    def __init__(self) -> None:
        self._sessions: OrderedDict[str, _Session] = OrderedDict()

    async def post(self, body: bytes, timeout_s: float | None = None) -> HttpResponse:
        """Ask for an answer. Raises FunctionFailed, TimeoutError or BodyTooLarge."""
        asked = msgspec.json.decode(body)
        async with patience(timeout_s):
            answer = await self._answer(functions.known(asked["model"]), asked)
        out = _encoded({"model": asked["model"], **_completion(answer)})
        if len(out) > LARGEST:
            raise BodyTooLarge
        return HttpResponse(200, {}, out)

    async def stream(self, body: bytes, answer: StreamedAnswer, limits: StreamLimits) -> HttpResponse:
        """The same: an answer comes whole."""
        return await self.post(body, limits.first_s)

    async def _answer(self, function: Function, asked: Mapping[str, Any]) -> object:
        """What a function returns; of one that opens sessions, the session of the dialogue."""
        messages: list[Message] = asked["messages"]
        tools = {"tools": asked["tools"]} if "tools" in asked else {}
        if not callable(getattr(function.call, "open", None)):
            return await _called(function.call, messages, tools)
        dialogue = asked["dialogue"]
        session = self._sessions.pop(dialogue, None)  # after a failure nobody knows what it has taken in
        new, before = messages, len(session.seen) if session else 0
        if session is not None and len(messages) > before and messages[:before] == session.seen:
            new = messages[before + 1 :]  # without its own last answer
        else:
            session = _Session(await _called(function.call.open), [])
        answer = await _called(session.call, new, tools)
        if dialogue:
            self._sessions[dialogue] = session._replace(seen=messages)
            if len(self._sessions) > _MOST_SESSIONS:
                self._sessions.popitem(last=False)
        return answer


async def _called(call: Any, messages: list[Message] | None = None, tools: Any = None) -> object:
    """What a call returns, wherever it runs. Raises FunctionFailed."""
    # Its own copy: what it does to its messages changes none of ours.
    arguments = () if messages is None else (msgspec.json.decode(msgspec.json.encode(messages)),)
    keywords = {name: value for name, value in (tools or {}).items() if _takes(call, name)}
    if not isinstance(sys.stdout, _Stdout):
        sys.stdout = _Stdout(sys.stdout)
    if inspect.iscoroutinefunction(call) or inspect.iscoroutinefunction(getattr(call, "__call__", None)):  # noqa: B004
        came = await _LOOP.run(lambda: call(*arguments, **keywords))
    else:
        came = await _in_thread(lambda: call(*arguments, **keywords))
        value = came.value
        if inspect.isawaitable(value):
            came = await _LOOP.run(lambda: value)
    if came.error is None:
        return came.value
    raise FunctionFailed(_failure(came.error)) from came.error


def _takes(call: Any, keyword: str) -> bool:
    try:
        return keyword in inspect.signature(call).parameters
    except (TypeError, ValueError):
        return False


class _Came(NamedTuple):
    value: Any = None
    error: BaseException | None = None


async def _in_thread(work: Callable[[], object]) -> _Came:
    """What work comes to in a thread of its own, which does not keep the process from ending."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[_Came] = loop.create_future()

    def settle(came: _Came) -> None:
        if not done.done():
            done.set_result(came)

    def run() -> None:
        came = _guarded(work)
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(settle, came)

    context = copy_context()
    threading.Thread(target=context.run, args=(run,), daemon=True, name="independence-function").start()
    return await done


def _guarded(work: Callable[[], object]) -> _Came:
    """What work returns or raises, whatever that is. A process that it forked ends here."""
    process, inside = os.getpid(), _INSIDE.set(True)
    try:
        came = _Came(work())
    except BaseException as error:  # noqa: BLE001 - sys.exit among them
        came = _Came(error=error)
    finally:
        _INSIDE.reset(inside)
    if os.getpid() != process:
        os._exit(0)
    return came


class _SharedLoop:
    """The event loop of all asynchronous functions: what they keep open between calls belongs to one loop."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None

    async def run(self, make: Callable[[], Any]) -> _Came:
        """What an awaitable comes to, made there. Where it blocks the loop past its time, the next one is a new one."""
        loop = self._loop
        if loop is None:
            loop = self._loop = asyncio.new_event_loop()
            threading.Thread(target=loop.run_forever, daemon=True, name="independence-functions").start()
        try:
            return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(_awaited(make), loop))
        except asyncio.CancelledError:
            answers = asyncio.run_coroutine_threadsafe(asyncio.sleep(0), loop)
            await asyncio.wait([asyncio.wrap_future(answers)], timeout=_STILL_S)
            if not answers.done() and self._loop is loop:
                self._loop = None
            raise


_LOOP: Final = _SharedLoop()


async def _awaited(make: Callable[[], Any]) -> _Came:
    """As `_guarded`, of what is awaited."""
    process, task = os.getpid(), asyncio.current_task()
    _INSIDE.set(True)
    try:
        came = _Came(await make())
    except BaseException as error:
        if isinstance(error, asyncio.CancelledError) and task is not None and task.cancelling():
            raise
        came = _Came(error=error)
    if os.getpid() != process:
        os._exit(0)
    return came


class _Stdout:
    """Standard output, except that functions of the user's print to stderr: no table or JSON holds their words."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(sys.stderr if _INSIDE.get() else self._stream, name)


def _with_own_stderr() -> None:
    """In a process that a function forks: another thread may have held the lock of the one that is inherited."""
    if _INSIDE.get():
        sys.stderr = open(2, "w", buffering=1, closefd=False)  # noqa: SIM115 - for as long as the process is there


os.register_at_fork(after_in_child=_with_own_stderr)


def _failure(error: BaseException) -> Failure:
    """What a function raised: passing, as what a network does, or its own fault."""
    if isinstance(error, SystemExit):
        return Failure("raised", f"it called sys.exit({error.code!r})", _ASKED_AGAIN, "model", lasting=True)
    kinds = type(error).__mro__
    try:
        text = str(error)
    except Exception:  # noqa: BLE001 - of a class of the user's
        text = "its message cannot be read"
    frame = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{Path(frame.filename).name}:{frame.lineno}"
    detail = failures.sentence(f"it raised {type(error).__name__} at {where}: {text}".rstrip(": "), ())
    status = getattr(error, "status_code", None)
    status = status if isinstance(status, int) else 0
    if status in _PASSING_STATUS or status >= _BROKEN:
        return Failure(str(status), detail, status=status, overload=status in _OVERLOAD)
    if isinstance(error, TimeoutError | ConnectionError) or any(_PASSING_NAME.search(one.__name__) for one in kinds):
        return Failure("timeout" if isinstance(error, TimeoutError) else "raised", detail)
    return Failure("raised", detail, _ASKED_AGAIN, "model", lasting=True)


def _completion(answer: object) -> dict[str, Any]:
    """What a function returned, as a chat completion. Raises FunctionFailed."""
    if isinstance(answer, str):
        return _choice({"content": str(answer)})
    told = _mapping(answer)
    if "choices" in told:
        return {key: told[key] for key in ("id", "choices", "usage") if key in told}
    content, calls = told.get("content", told.get("text")), told.get("tool_calls")
    if not (isinstance(content, str | list) or (content is None and isinstance(calls, list | tuple) and calls)):
        what = f"it returned {'None' if answer is None else f'an object of the type {type(answer).__name__}'}"
        what += f" with the keys {', '.join(map(str, told))}" if told else ""
        raise FunctionFailed(Failure("returned", failures.sentence(what, ()), _FORMS, "model", lasting=True))
    message = {"content": content, "reasoning": told.get("reasoning", told.get("thoughts"))}
    if calls:
        message["tool_calls"] = [_tool_call(number, _mapping(one)) for number, one in enumerate(calls)]
    return _choice(message, str(told.get("finish_reason") or "stop"), _mapping(told.get("usage")))


def _choice(message: dict[str, Any], finish: str = "stop", usage: Mapping[str, Any] | None = None) -> dict[str, Any]:
    stated = {_USAGE.get(key, key): value for key, value in (usage or {}).items()}
    return {"choices": [{"message": message, "finish_reason": finish}], "usage": stated or None}


def _tool_call(number: int, told: Mapping[str, Any]) -> dict[str, Any]:
    """A call of a tool, by `name` and `arguments` or as the wire has it."""
    function = _mapping(told.get("function")) or told
    arguments = function.get("arguments", {})
    text = arguments if isinstance(arguments, str) else _encoded(arguments).decode()
    return {"id": told.get("id") or f"call_{number}", "function": {"name": function.get("name"), "arguments": text}}


def _mapping(value: object) -> Mapping[str, Any]:
    """A mapping, or the fields of a data class or of a pydantic model; empty for anything else."""
    if isinstance(value, Mapping):
        return value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    dump = getattr(value, "model_dump", None)
    found = dump() if callable(dump) else None
    return found if isinstance(found, dict) else {}


def _encoded(value: object) -> bytes:
    """As JSON. Lone surrogates stay, since texts are cleaned later. Raises FunctionFailed."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        return json.dumps(value).encode()
    except (TypeError, ValueError, RecursionError) as error:
        what = failures.sentence(f"what it returned is no JSON ({error})", ())
        raise FunctionFailed(Failure("returned", what, _FORMS, "model", lasting=True)) from error
