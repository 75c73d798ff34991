"""A server that misbehaves costs neither memory nor patience, and what it did is said in words."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tests.e2e import command, hostile_server, suites
from tests.e2e.hostile_server import SECRET

TIGHT = {"BENCH_TIMEOUT_S": "4", "BENCH_MAX_RETRIES": "1", "LOCAL_API_KEY": SECRET}
WITHIN_S = 10
MOST_KB = 200 * 1024
LIBRARY = re.compile(r"Client\w*Error|Server\w+Error|aiohttp|\[Errno|ssl:default|Exception|object at 0x")


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with hostile_server.serving() as url:
        yield url


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    document = suites.harbour()
    document["scenarios"] = document["scenarios"][:1]
    document["delivery"]["max_tokens"] = 500
    suites.write(tmp_path / "harbour", document)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def line(url: str) -> list[str]:
    words = "run --suite harbour -m local/m -j cues --runs 1 --db here.db --format json --local-url"
    return [*words.split(), url]


FAULTS = {
    "page": "a web page instead of a chat completion: no; give the address of the chat API (it usually ends in /v1)",
    "null": "text instead of a chat completion: null",
    "list": "JSON that is cut off or broken instead of a chat completion: []",
    "deep": "JSON that is cut off or broken instead of a chat completion: [[[",
    "no-content": "HTTP 204: an answer without a body",
    "moved": "HTTP 307: the server sends us to another address (http://127.0.0.1:9); give that as the base URL",
    "bad-gzip": "the answer breaks off: its compression is broken",
    "endless": "the answer is larger than 16 MB",
    "header": "a header of the answer is longer than 8 kB",
    "no-http": "what came is no HTTP",
    "error-echo": "HTTP 400: no use of ?api-key=[key]",
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_said_in_words_and_everything_ends_in_time(server: str, here: Path, fault: str) -> None:
    started = time.monotonic()
    ended = command.run(*line(f"{server}/{fault}/v1"), env=TIGHT)
    assert ended.code == 2, ended.err
    assert FAULTS[fault] in command.one_sentence(ended)
    assert not LIBRARY.search(ended.err)
    assert SECRET not in ended.err
    assert time.monotonic() - started < WITHIN_S


@pytest.mark.parametrize("fault", ["hang", "loris"])
def test_a_server_that_keeps_us_waiting_is_left_in_time(server: str, here: Path, fault: str) -> None:
    started = time.monotonic()
    ended = command.run(*line(f"{server}/{fault}/v1"), env=TIGHT | {"BENCH_TIMEOUT_S": "1.5"})
    assert ended.code == 2
    assert "no complete answer in time" in command.one_sentence(ended)
    assert time.monotonic() - started < WITHIN_S


def test_a_listing_that_does_not_come_is_left_in_time(server: str, here: Path) -> None:
    started = time.monotonic()
    ended = command.run(*line(f"{server}/models-hang/v1"), env=TIGHT | {"BENCH_TIMEOUT_S": "2"})
    assert ended.code == 2
    assert "no complete answer in time" in command.one_sentence(ended)
    assert time.monotonic() - started < WITHIN_S


MEASURED = """
import sys
from pathlib import Path
from independence.cli.main import main
try:
    main(sys.argv[1:])
finally:  # getrusage would count what the process that started this one had in memory
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    print("peak", status["VmHWM"].split()[0], file=sys.stderr)
"""


@pytest.mark.parametrize("fault", ["packed", "bomb", "endless", "models-bomb", "models-endless", "long"])
def test_no_body_fills_the_memory(server: str, here: Path, fault: str) -> None:
    started = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, *line(f"{server}/{fault}/v1")], env=command.environment(TIGHT),
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    took = time.monotonic() - started
    peak = int(re.findall(r"peak (\d+)", done.stderr)[0])
    print(f"{fault}: exit {done.returncode}, peak {peak / 1024:.0f} MB, {took:.1f} s")
    assert done.returncode == (0 if fault in ("packed", "long") else 2), done.stderr
    assert "Traceback" not in done.stderr
    assert peak <= MOST_KB
    assert took < 2 * WITHIN_S


def test_an_overlong_answer_is_kept_short_and_that_is_said(server: str, here: Path) -> None:
    assert command.run(*line(f"{server}/long/v1"), env=TIGHT).code == 0
    lengths = [length for (length,) in command.ask(here / "here.db", "SELECT length(text) FROM calls")]
    assert lengths
    assert max(lengths) <= 64_000
    assert (here / "here.db").stat().st_size < 2_000_000
    assert "overlong" in str(command.ask(here / "here.db", "SELECT flags FROM calls"))


def test_a_declared_charset_is_honoured(server: str, here: Path) -> None:
    assert command.run(*line(f"{server}/latin/v1"), env=TIGHT).code == 0
    assert {text for (text,) in command.ask(here / "here.db", "SELECT text FROM calls")} == {"I would keep the café."}


def test_a_key_in_an_answer_reaches_neither_store_nor_log_nor_export(server: str, here: Path) -> None:
    ended = command.run(*line(f"{server}/echo/v1"), "--log", "run.jsonl", env=TIGHT | {"LOG_LEVEL": "debug"})
    assert ended.code == 0, ended.err
    assert command.run("export", "out", "--db", "here.db").code == 0
    assert command.run("generate-report", "-o", "r.md", "--db", "here.db").code == 0
    assert "your key is [key]." in (here / "out" / "dialogues.jsonl").read_text()
    for path in here.rglob("*"):
        assert not path.is_file() or SECRET.encode() not in path.read_bytes(), path
    assert SECRET not in ended.out + ended.err


@pytest.mark.parametrize("where", ["page", "models-bomb", "error-echo"])
def test_a_key_in_the_query_of_an_address_is_never_shown(server: str, here: Path, where: str) -> None:
    key = "q7c1e5d9b3a2"
    (here / "models.yaml").write_text(
        yaml.safe_dump({"endpoints": [{"name": "e", "base_url": f"{server}/{where}/v1?api-key={key}", "backoff_s": 0}]})
    )
    words = "run --suite harbour -m e/m -j cues --runs 1 --db here.db --models-file models.yaml --log run.jsonl"
    ended = command.run(*words.split(), env=TIGHT | {"LOG_LEVEL": "debug"})
    assert ended.code in (2, 3)
    there = [command.run("doctor", "--models-file", "models.yaml", "-m", "e/m", "--db", "here.db", env=TIGHT), ended]
    assert all(key not in one.out + one.err for one in there)
    for path in here.glob("*.[dj]*"):
        assert key.encode() not in path.read_bytes(), path


def test_tls_to_a_plain_port_says_what_to_write(server: str, here: Path) -> None:
    ended = command.run(*line(f"{server.replace('http', 'https')}/packed/v1"), env=TIGHT)
    assert ended.code == 2
    sentence = command.one_sentence(ended)
    assert "does not speak TLS on this port" in sentence
    assert "write http://" in sentence


DEAD = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "all_proxy"), "http://127.0.0.1:9")


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_dead_proxy_keeps_nobody_from_this_machine(server: str, here: Path, host: str) -> None:
    ended = command.run(*line(f"{server.replace('127.0.0.1', host)}/packed/v1"), env=TIGHT | DEAD)
    assert ended.code == 0, ended.err
    assert json.loads(ended.out)["rows"]


def test_simulated_subjects_need_no_proxy(here: Path) -> None:
    ended = command.run("demo", "--suite", "harbour", "--quiet", env=DEAD)
    assert ended.code == 0, ended.err


def test_another_host_is_asked_through_the_proxy(here: Path) -> None:
    ended = command.run(*line("http://model.example/v1"), env=TIGHT | DEAD)
    assert ended.code == 2
    sentence = command.one_sentence(ended)
    assert "the proxy 127.0.0.1:9 of the environment does not answer" in sentence
    assert "NO_PROXY" in sentence
