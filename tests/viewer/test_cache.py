"""Documents are packed alike, made once, and made again only when the store has changed."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from independence.viewer.cache import DocumentCache, pack


class Made:
    """Documents that say how often they were made."""

    def __init__(self) -> None:
        self.version = "1"
        self.times: Counter[str] = Counter()

    def make(self, path: str) -> bytes:
        if path == "nowhere":
            raise KeyError(path)
        self.times[path] += 1
        return f"{path} {self.times[path]}".encode() + bytes(1000)


@pytest.fixture
def threads() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(1) as pool:
        yield pool


def cache(made: Made, threads: ThreadPoolExecutor, *, least_s: float = 0.0, most: int = 10**6) -> DocumentCache:
    return DocumentCache(made.make, lambda: made.version, threads, least_s=least_s, most=most)


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
    held = cache(made, threads, least_s=0.3)
    first = await held.entry("a")
    made.version = "2"
    assert await held.entry("a") is first
    await asyncio.sleep(0.31)
    second = await held.entry("a")
    assert (second.version, made.times["a"]) == ("2", 2)
    assert second.document.plain.startswith(b"a 2")


async def test_what_takes_long_is_answered_as_it_was_while_it_is_made_again(
    threads: ThreadPoolExecutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("independence.viewer.cache._QUICK_S", -1.0)
    made = Made()
    held = cache(made, threads)
    first = await held.entry("a")
    made.version = "2"
    assert await held.entry("a") is first
    for _ in range(500):
        if (await held.entry("a")).version == "2":
            break
        await asyncio.sleep(0.01)
    assert (await held.entry("a")).version == "2"


async def test_what_there_is_not_is_not_remembered(threads: ThreadPoolExecutor) -> None:
    held = cache(Made(), threads)
    for _ in range(2):
        with pytest.raises(KeyError):
            await held.entry("nowhere")
    assert held.held_bytes == 0


async def test_what_was_asked_for_last_is_kept_and_no_more_than_so_many_bytes(threads: ThreadPoolExecutor) -> None:
    made = Made()
    size = len(pack(made.make("x")).packed)
    held = cache(made, threads, most=3 * size)
    for path in "abcabd":
        await held.entry(path)
    assert held.held_bytes <= 3 * size
    assert made.times == {"x": 1, "a": 1, "b": 1, "c": 1, "d": 1}
    await held.entry("c")
    assert made.times["c"] == 2
