"""Documents are packed alike, made once, and made again only when the store has changed."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from independence.viewer.cache import DocumentCache, pack
from tests.virtual_time import HandClock


class Made:
    """Documents that say how often they were made."""

    def __init__(self) -> None:
        self.version = "1"
        self.clock = HandClock()
        self.takes_s = 0.0
        self.times: Counter[str] = Counter()

    def make(self, path: str) -> bytes:
        if path == "nowhere":
            raise KeyError(path)
        self.times[path] += 1
        self.clock.forward(self.takes_s)
        return f"{path} {self.times[path]}".encode() + bytes(1000)


@pytest.fixture
def threads() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(1) as pool:
        yield pool


def cache(made: Made, threads: ThreadPoolExecutor, most: int = 10**6) -> DocumentCache:
    return DocumentCache(made.make, lambda: made.version, threads, most=most, clock=made.clock)


def test_equal_documents_are_packed_alike() -> None:
    assert pack(b"words" * 99) == pack(b"words" * 99)
    assert pack(b"words").etag != pack(b"wards").etag
    assert pack(b"words").plain == b"words"


async def test_a_document_is_made_once_however_many_ask(threads: ThreadPoolExecutor) -> None:
    made = Made()
    held = cache(made, threads)
    entries = await asyncio.gather(*(held.entry("a") for _ in range(9)))
    await held.entry("a")
    assert made.times == {"a": 1}
    assert len({id(entry) for entry in entries}) == 1


async def test_a_changed_store_makes_it_anew_but_not_at_once(threads: ThreadPoolExecutor) -> None:
    made = Made()
    held = cache(made, threads)
    first = await held.entry("a")
    made.clock.forward(1.875)
    made.version = "2"
    assert await held.entry("a") is first
    made.clock.forward(0.125)
    second = await held.entry("a")
    assert (second.version, made.times["a"]) == ("2", 2)
    assert second.document.plain.startswith(b"a 2")
    made.clock.forward(99)
    assert await held.entry("a") is second


async def test_what_takes_long_is_answered_as_it_was_while_it_is_made_again(threads: ThreadPoolExecutor) -> None:
    """Five times as long after it was made as that took. What takes no more than half a second is waited for."""
    for takes_s, answered in ((0.5, "2"), (0.625, "1")):
        made = Made()
        made.takes_s = takes_s
        held = cache(made, threads)
        first = await held.entry("a")
        made.version = "2"
        made.clock.forward(5 * takes_s - 0.125)
        assert await held.entry("a") is first
        assert made.times["a"] == 1
        made.clock.forward(0.125)
        assert (await held.entry("a")).version == answered
        await asyncio.sleep(0)  # lets the work begin; what the thread is given now comes after it
        await asyncio.get_running_loop().run_in_executor(threads, str)
        assert ((await held.entry("a")).version, made.times["a"]) == ("2", 2)


async def test_what_there_is_not_is_not_remembered(threads: ThreadPoolExecutor) -> None:
    held = cache(Made(), threads)
    for _ in range(2):
        with pytest.raises(KeyError):
            await held.entry("nowhere")


async def test_what_was_asked_for_last_is_kept_and_no_more_than_so_many_bytes(threads: ThreadPoolExecutor) -> None:
    made = Made()
    size = len(pack(made.make("x")).packed)
    held = cache(made, threads, 3 * size)
    for path in "abcabd":
        await held.entry(path)
    assert made.times == {"x": 1, "a": 1, "b": 1, "c": 1, "d": 1}
    await held.entry("c")
    assert made.times["c"] == 2
