"""The loopback endpoint in a thread of this process, the models file that points at it, and its log."""

from __future__ import annotations

import json
import signal
import time
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from independence.testing.endpoint import LoopbackEndpoint
from independence.testing.loopback.settings import LoopbackSettings
from tests.e2e import command

KEY = "sk-or-v1-5f0c1e7a9d3b4268e2e2e2e2e2e2e2e2"
# Requests of the delivery probe of a subject in plain chat with a system prompt, and of a judge.
PROBED, PROBED_JUDGE = 13, 7


class Request(NamedTuple):
    """One request as the endpoint wrote it down."""

    model: str
    digest: str
    status: int | None  # None: held
    fault: str
    cost_usd: float
    tokens: int  # of the answer


class Log:
    """The endpoint's log, read as it grows."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._read = 0
        self._found: dict[int, Request] = {}

    def from_now(self) -> Log:
        """The same log without what it holds so far."""
        later = Log(self.path)
        later._read = self.path.stat().st_size
        return later

    def everything(self) -> list[Request]:
        """Every request so far, in the order they came in."""
        with self.path.open("rb") as file:
            file.seek(self._read)
            new = file.read()
        whole = new[: new.rfind(b"\n") + 1]
        self._read += len(whole)
        for line in whole.splitlines():
            entry = json.loads(line)
            self._found[entry["number"]] = Request(
                entry["model"], entry["digest"], entry.get("status"), entry.get("fault", ""),
                entry.get("cost_usd", 0.0), entry.get("completion_tokens", 0),
            )  # fmt: skip
        return list(self._found.values())

    def requests(self) -> list[Request]:
        """The same without those of the delivery probe, which ask for one token."""
        found = self.everything()
        probes = {request.digest for request in found if request.tokens == 1}
        return [request for request in found if request.digest not in probes]


class Served(NamedTuple):
    """A running endpoint."""

    base_url: str
    log: Log

    def from_now(self) -> Served:
        """The same endpoint, its log without what it holds so far."""
        return self._replace(log=self.log.from_now())

    def requests(self) -> list[Request]:
        """Every request so far but those of the delivery probe, in the order they came in."""
        return self.log.requests()

    def asked(self) -> Counter[str]:
        """How often each request body has come in."""
        return Counter(request.digest for request in self.requests())

    def held(self) -> int:
        """Requests that wait for their answer now."""
        return sum(request.status is None for request in self.requests())

    def wait_until_at_work(self, held: int, answers: int, since: int = 0) -> None:
        """Until `held` requests wait for their answer, and `answers` of those after the first `since` have it."""
        until(lambda: self.held() >= held and len(self.requests()) - self.held() - since >= answers, "requests held")

    def settled(self) -> list[Request]:
        """Every request, once those of a process that is dead have all arrived and been answered."""
        for _ in range(2):  # what was sent before such a round trip has come in when it ends
            urllib.request.urlopen(f"{self.base_url}/models").close()
        until(lambda: self.held() == 0, "requests answered")
        return self.requests()


@contextmanager
def serving(folder: Path, *options: str, name: str = "endpoint") -> Iterator[Served]:
    """An endpoint on a free port, with options of the command `endpoint`; its log is `NAME.jsonl` below `folder`."""
    log = folder / f"{name}.jsonl"
    log.touch()
    given = dict(zip(options[::2], options[1::2], strict=True))
    # The file of `--merits` is read by the command alone.
    with (_process if "--merits" in given else _thread)(log, given) as base_url:
        yield Served(base_url, Log(log))


@contextmanager
def _thread(log: Path, given: Mapping[str, str]) -> Iterator[str]:
    more: dict[str, Any] = {option.removeprefix("--"): value for option, value in given.items()}
    more["seed"] = int(more.get("seed", 0))
    endpoint = LoopbackEndpoint()
    endpoint.settings = LoopbackSettings(log=str(log), **more)
    with endpoint:
        yield endpoint.url


@contextmanager
def _process(log: Path, given: Mapping[str, str]) -> Iterator[str]:
    options = [word for pair in given.items() for word in pair]
    process = command.start(
        "endpoint", "--port", "0", "--log", log, *options, cwd=log.parent, notes=log.with_suffix(".stderr")
    )
    assert process.stdout is not None
    try:
        base_url = process.stdout.readline().strip()
        assert base_url.startswith("http://"), process.communicate()
        yield base_url
    finally:
        process.send_signal(signal.SIGINT)
        assert command.finish(process).code == 0


def models_file(folder: Path, base_url: str, concurrency: int = 50) -> Path:
    """`models.yaml` with an endpoint as `loop`, quick to try again."""
    path = folder / "models.yaml"
    path.write_text(
        "endpoints:\n"
        f"  - {{name: loop, base_url: '{base_url}', dialect: openrouter, api_key_env: LOOP_KEY,\n"
        f"     max_concurrency: {concurrency}, backoff_s: 0.02}}\n"
    )
    return path


def most_at_once(log: Log) -> int:
    """The largest number of requests that were held at the same time."""
    held = most = 0
    for line in log.path.read_text().splitlines():
        held += 1 if json.loads(line)["state"] == "received" else -1
        most = max(most, held)
    return most


def faults_in_a_row(requests: Sequence[Request]) -> int:
    """The longest row of faults that one request body met."""
    rows: Counter[str] = Counter()
    most = 0
    for request in requests:
        rows[request.digest] = rows[request.digest] + 1 if request.fault else 0
        most = max(most, rows[request.digest])
    return most


def until(condition: Callable[[], bool], what: str, looks: int = 6000) -> None:
    """Wait until something is so that another process or thread brings about and nobody announces."""
    for _ in range(looks):
        if condition():
            return
        time.sleep(0.02)
    raise AssertionError(f"{what}: not so after {looks} looks")
