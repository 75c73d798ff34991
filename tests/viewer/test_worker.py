from __future__ import annotations

import subprocess
import sys
import threading

import pytest

from independence.viewer.worker import Worker


def test_work_is_done_in_order_and_an_error_reaches_who_waits() -> None:
    worker = Worker("test")
    order: list[int] = []
    futures = [worker.submit(order.append, at) for at in range(5)]
    with pytest.raises(ZeroDivisionError):
        worker.submit(lambda: 1 / 0).result(60)
    assert worker.submit(lambda: 2).result(60) == 2
    assert order == [*range(5)]
    assert all(one.done() for one in futures)
    assert worker.end(60)


def test_at_the_end_what_has_not_begun_is_dropped_and_what_goes_on_is_not_waited_for() -> None:
    worker, begun, released = Worker("test"), threading.Event(), threading.Event()
    first = worker.submit(lambda: (begun.set(), released.wait(60)))
    assert begun.wait(60)
    second = worker.submit(lambda: 2)
    assert not worker.end(0)
    released.set()
    assert first.result(60) == (None, True)
    assert worker.end(60)
    assert not second.done()


ENDLESS = """
from independence.viewer.worker import Worker
def work():
    while True: pass
worker = Worker("test")
worker.submit(work)
print(worker.end(0))
"""


def test_a_program_ends_while_its_worker_computes_for_ever() -> None:
    ended = subprocess.run([sys.executable, "-c", ENDLESS], capture_output=True, text=True, check=True, timeout=60)
    assert (ended.stdout, ended.stderr) == ("False\n", "")
