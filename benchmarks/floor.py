"""CPU of one call against its floor: what the same calls cost where nothing is done but what nobody can leave out.

The floor sends the requests that a run of ours over V2 sent, to the same endpoint, which gives the same answers: bare
aiohttp on uvloop, msgspec to encode and decode, one row a call in SQLite, 64 to a transaction. It retries nothing,
checks nothing and knows no dialogue. Ours is the whole run: dialogues, rate limits, cleaning, grading, store.

Both have 200 calls in flight, each in a fresh process, the endpoint in one of its own. CPU is that of all threads of
the client, and marginal: what a longer run takes beyond a shorter one, over the calls it has more. So plan and start,
which do not grow with the calls, count for neither.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import aiohttp
import msgspec

from benchmarks.endpoint import endpoint
from benchmarks.figure import Figure, Result, spread
from benchmarks.own_run import IN_FLIGHT, Meter, Spent, apart, in_process, ours
from independence.clients.messages import ChatCompletion
from independence.clients.transport import HttpResponse, Transport
from independence.engine.event_loop import drive
from independence.store.file import database

SHORT, LONG = 8, 32  # runs of four subjects: 1,312 and 5,248 calls
ROUNDS = 3
BATCH = 64
BOUND_MS = 1.0
_TABLE = "CREATE TABLE answers (id INTEGER PRIMARY KEY, model TEXT, text TEXT, prompt INTEGER, completion INTEGER)"
_INSERT = "INSERT INTO answers (model, text, prompt, completion) VALUES (?, ?, ?, ?)"


def measure() -> list[Result]:
    """The floor, ours, and the ratio, pair by pair."""
    with tempfile.TemporaryDirectory() as folder:
        sent = Path(folder) / "requests.jsonl"
        with endpoint("0") as url:
            in_process(partial(_record, sent=sent), url, Path(folder))
        pairs = [
            (_marginal(partial(_floor, sent=sent)), _marginal(partial(ours, experiments=()))) for _ in range(ROUNDS)
        ]
    floors, own = ([pair[side] for pair in pairs] for side in (0, 1))
    ratios = [ours_ms / floor_ms for floor_ms, ours_ms in pairs]
    return [
        Figure("floor of a call, 200 in flight", median(floors), "ms", detail=spread(floors, "ms", 3)),
        Figure("CPU per call, 200 in flight", median(own), "ms", BOUND_MS, detail=spread(own, "ms", 3)),
        Figure("CPU per call / floor", median(ratios), "x", detail=spread(ratios)),
    ]


def _marginal(work: partial[Spent]) -> float:
    """CPU milliseconds that one more call takes."""
    short, long = (apart(partial(work, runs=runs)) for runs in (SHORT, LONG))
    return 1000 * (long.cpu_s - short.cpu_s) / (long.calls - short.calls)


def _record(url: str, folder: Path, sent: Path) -> Spent:
    """A run of ours whose request bodies are kept, one a line."""
    bodies: list[bytes] = []
    post = Transport.post

    async def kept(transport: Transport, body: bytes, timeout_s: float | None = None) -> HttpResponse:
        bodies.append(body)
        return await post(transport, body, timeout_s)

    Transport.post = kept  # type: ignore[assignment, method-assign]
    spent = ours(url, folder, runs=SHORT, experiments=())
    sent.write_bytes(b"\n".join(bodies))
    return spent


def _floor(url: str, folder: Path, runs: int, sent: Path) -> Spent:
    """As many calls as that many runs of ours have."""
    requests = [msgspec.json.decode(body) for body in sent.read_bytes().splitlines()] * (runs // SHORT)
    meter = Meter()
    drive(_calls(url, requests, folder / "answers.db"))
    return meter.spent(len(requests))


async def _calls(url: str, requests: Sequence[Any], path: Path) -> None:
    connection = database.connect(path)
    connection.execute(_TABLE)
    encode, decode = msgspec.json.Encoder().encode, msgspec.json.Decoder(ChatCompletion).decode
    headers = {"Content-Type": "application/json"}
    rows: list[tuple[Any, ...]] = []
    left = iter(requests)

    def commit() -> None:
        connection.execute("BEGIN")
        connection.executemany(_INSERT, rows)
        connection.execute("COMMIT")
        rows.clear()

    async def worker(session: aiohttp.ClientSession) -> None:
        for request in left:
            async with session.post(f"{url}/chat/completions", data=encode(request), headers=headers) as response:
                answer = decode(await response.read())
            rows.append((answer.model, _text(answer), *_tokens(answer)))
            if len(rows) == BATCH:
                commit()

    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
        await asyncio.gather(*(worker(session) for _ in range(IN_FLIGHT)))
    commit()
    connection.close()


def _text(answer: ChatCompletion) -> str:
    choice = answer.choice
    assert choice is not None
    assert choice.message is not None
    calls = choice.message.tool_calls
    function = calls[0].function if calls else None
    return str(function.arguments if function else choice.message.content)


def _tokens(answer: ChatCompletion) -> tuple[Any, Any]:
    assert answer.usage is not None
    return answer.usage.prompt_tokens, answer.usage.completion_tokens
