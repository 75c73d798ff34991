from __future__ import annotations

import threading

import pytest

from independence.viewer.worker import Worker


def test_work_is_done_in_order_by_one_thread() -> None:
    worker = Worker("test")
    order: list[tuple[int, str]] = []
    futures = [worker.submit(lambda at=at: order.append((at, threading.current_thread().name))) for at in range(5)]
    for future in futures:
        future.result(5)
    assert order == [(at, "test") for at in range(5)]
    assert worker.end(5)


def test_an_error_reaches_who_waits_and_the_thread_goes_on() -> None:
    worker = Worker("test")
    with pytest.raises(ZeroDivisionError):
        worker.submit(lambda: 1 / 0).result(5)
    assert worker.submit(lambda: 2).result(5) == 2
    assert worker.end(5)


def test_at_the_end_what_has_not_begun_is_dropped_and_what_goes_on_is_not_waited_for() -> None:
    worker, begun, released = Worker("test"), threading.Event(), threading.Event()
    first = worker.submit(lambda: (begun.set(), released.wait(10)))
    assert begun.wait(5)
    second = worker.submit(lambda: 2)
    assert not worker.end(0.05)
    released.set()
    assert first.result(5) == (None, True)
    assert worker.end(5)
    assert not second.done()
