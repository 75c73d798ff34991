"""A server that misbehaves costs neither memory nor patience, and what it did is said in words."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tests.e2e import command, hostile_server, suites
from tests.e2e.command import Ended
from tests.e2e.hostile_server import SECRET

TIGHT = {"BENCH_TIMEOUT_S": "4", "BENCH_MAX_RETRIES": "1", "LOCAL_API_KEY": SECRET}
HASTY = TIGHT | {"BENCH_TIMEOUT_S": "1.5"}
DEAD = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "all_proxy"), "http://127.0.0.1:9")
RUN = "run --suite harbour -m local/m -j cues --runs 1 --format json --local-url"
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


def run(url: str, *more: str, env: dict[str, str] = TIGHT) -> Ended:
    return command.run(*RUN.split(), url, "--db", "here.db", *more, env=env)


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
    "hang": "no complete answer in time",
    "loris": "no complete answer in time",
    "models-hang": "no answer within 2 s",
}


def test_a_fault_is_said_in_words_and_everything_ends(server: str, here: Path) -> None:
    for fault, says in FAULTS.items():
        ended = run(f"{server}/{fault}/v1", env=HASTY if "answer in time" in says or "answer within" in says else TIGHT)
        assert (ended.code, says in command.one_sentence(ended)) == (2, True), (fault, ended.err)
        assert not LIBRARY.search(ended.err), fault
        assert SECRET not in ended.err, fault


def test_tls_to_a_plain_port_says_what_to_write(server: str, here: Path) -> None:
    ended = run(f"{server.replace('http', 'https')}/packed/v1")
    assert ended.code == 2
    assert "does not speak TLS on this port" in command.one_sentence(ended)
    assert "write http://" in ended.err


MEASURED = """
import sys
from pathlib import Path
from independence.cli.main import main
for number, url in enumerate(sys.argv[2:]):
    try:
        main([*sys.argv[1].split(), url, "--db", f"{number}.db"])
    except SystemExit as ended:
        print("exit", ended.code, file=sys.stderr)
# getrusage would count what the process that started this one had in memory
status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
print("peak", status["VmHWM"].split()[0], file=sys.stderr)
"""


@pytest.mark.deep
def test_no_body_fills_the_memory(server: str, here: Path) -> None:
    urls = [f"{server}/{name}/v1" for name in ("long", "bomb", "endless", "models-bomb", "models-endless")]
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, RUN, *urls], env=command.environment(TIGHT), capture_output=True, text=True,
        check=False, timeout=command.PATIENCE_S,
    )  # fmt: skip
    assert "Traceback" not in done.stderr
    assert re.findall(r"exit (\d+)", done.stderr) == ["0", "2", "2", "2", "2"], done.stderr
    assert int(re.findall(r"peak (\d+)", done.stderr)[0]) <= 200 * 1024  # kB


def test_an_overlong_answer_is_kept_short_and_that_is_said(server: str, here: Path) -> None:
    assert run(f"{server}/long/v1").code == 0
    lengths = [length for (length,) in command.ask(here / "here.db", "SELECT length(text) FROM calls")]
    assert 0 < max(lengths) <= 64_000
    assert (here / "here.db").stat().st_size < 2_000_000
    assert "overlong" in str(command.ask(here / "here.db", "SELECT flags FROM calls"))


def test_a_declared_charset_is_honoured(server: str, here: Path) -> None:
    assert run(f"{server}/latin/v1").code == 0
    assert {text for (text,) in command.ask(here / "here.db", "SELECT text FROM calls")} == {"I would keep the café."}


def test_a_key_in_an_answer_reaches_neither_store_nor_log_nor_export(server: str, here: Path) -> None:
    ended = run(f"{server}/echo/v1", "--log", "run.jsonl", env=TIGHT | {"LOG_LEVEL": "debug"})
    assert ended.code == 0, ended.err
    assert command.run("export", "out", "--db", "here.db").code == 0
    assert command.run("generate-report", "-o", "r.md", "--db", "here.db").code == 0
    assert "your key is [key]." in (here / "out" / "dialogues.jsonl").read_text()
    for path in here.rglob("*"):
        assert not path.is_file() or SECRET.encode() not in path.read_bytes(), path
    assert SECRET not in ended.out + ended.err


@pytest.mark.parametrize("where", ["page", pytest.param("models-bomb", marks=pytest.mark.deep), "error-echo"])
def test_a_key_in_the_query_of_an_address_is_never_shown(server: str, here: Path, where: str) -> None:
    key = "q7c1e5d9b3a2"
    address = f"{server}/{where}/v1?api-key={key}"
    (here / "models.yaml").write_text(
        yaml.safe_dump({"endpoints": [{"name": "e", "base_url": address, "backoff_s": 0}]})
    )
    words = "run --suite harbour -m e/m -j cues --runs 1 --db here.db --models-file models.yaml --log run.jsonl"
    ended = command.run(*words.split(), env=TIGHT | {"LOG_LEVEL": "debug"})
    assert ended.code in (2, 3)
    there = [command.run("doctor", "--models-file", "models.yaml", "-m", "e/m", "--db", "here.db", env=TIGHT), ended]
    assert all(key not in one.out + one.err for one in there)
    for path in here.glob("*.[dj]*"):
        assert key.encode() not in path.read_bytes(), path


def test_a_dead_proxy_keeps_nobody_from_this_machine_and_is_named_elsewhere(server: str, here: Path) -> None:
    for host in ("127.0.0.1", "localhost"):
        ended = run(f"{server.replace('127.0.0.1', host)}/packed/v1", "--db", f"{host}.db", env=TIGHT | DEAD)
        assert (ended.code, len(ended.board["rows"])) == (0, 1), ended.err
    ended = run("http://model.example/v1", env=TIGHT | DEAD)
    assert ended.code == 2
    assert "the proxy 127.0.0.1:9 of the environment does not answer" in command.one_sentence(ended)
    assert "NO_PROXY" in ended.err


NAMES = ["a\nb", "x" * 300, "../../up", "<script>x</script>", "q\"uote'", "l\u202eeft", "👩\u200d🚀", "=cmd", "a|b"]


def test_a_name_of_a_model_breaks_no_table_file_or_path(server: str, here: Path) -> None:
    for name in NAMES:
        ended = run(f"{server}/any-names/v1", "-m", f"local/{name}")
        assert ended.code == 0, ended.err
    ended = command.run("leaderboard", "--db", "here.db", env={"COLUMNS": "250"})
    assert ended.code == 0
    assert r"a\u000ab" in ended.out
    assert "👩\u200d🚀" in ended.out
    assert "\u202e" not in ended.out
    assert len(re.findall(r"^\S* *\S* local/", ended.out, re.MULTILINE)) <= len(NAMES) + 3  # a long one takes lines
    for _ in range(2):
        ended = command.run("generate-report", "-o", "out/r.md", "--tables", "out/tables", "--db", "here.db")
        assert ended.code == 0, ended.err
    assert command.run("export", "out/data", "--db", "here.db").code == 0
    assert [path.name for path in here.parent.iterdir() if path.name.startswith("up")] == []
    assert max(len(path.name) for path in here.rglob("*")) < 150
