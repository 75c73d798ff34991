"""Inputs made to make the command hang, fill the memory or fall over: each ends in one clear sentence."""

from __future__ import annotations

import os
import resource
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.e2e import command, suites

SIM = "run --suite harbour -m sim/half -j cues --quiet --db new.db"
LOCAL = "run --suite harbour -m local/x -j cues --quiet --db new.db --local-url"
WITHIN_S = 8


def bomb() -> str:
    """Eleven layers of aliases, nine times each."""
    first = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
    return first + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12))


def merges() -> str:
    """The same by merged mappings."""
    first = "a0: &a0 {x: 1}\n"
    return first + "".join(f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 9)}]}}\n" for n in range(1, 12))


FILES: dict[str, bytes] = {
    "bomb.yaml": bomb().encode(),
    "merges.yaml": merges().encode(),
    "deep.yaml": b"models: " + b"[" * 100_000,
    "deep.json": b"[" * 20_000 + b"]" * 20_000,
    "blocks.yaml": b"models:\n  " + b"- " * 5_000 + b"x\n",
    "empty.yaml": b"",
    "comment.yaml": b"# nothing yet\n",
    "null.yaml": b"null\n",
    "latin.yaml": "models: [a/é]\n".encode("latin-1"),
    "wide.yaml": "models: [a/é]\n".encode("utf-16")[:-1],
    "bare.yaml": b"endpoints:\n  - {name: e, base_url: 127.0.0.1:9}\nmodels: [e/x]\n",
    "ported.yaml": b"endpoints:\n  - {name: e, base_url: 'http://h:99999/v1'}\n",
}

CASES: dict[str, tuple[str, Sequence[str]]] = {
    "a thousand million runs": (f"{SIM} --runs 1000000000", ["1,000,000,000 runs", "1,000,000 dialogues"]),
    "10^30 runs": (f"{SIM} --runs {10**30}", ["runs make more than 1,000,000"]),
    "1,000,000 runs, dry": (f"{SIM} --runs 1000000 --dry-run", ["1,000,000 runs make more than 1,000,000"]),
    "10^12 calls": (f"{SIM} --replicates auto --calls {10**12}", ["--calls", "100000"]),
    "10^9 target runs": ("rerun --db own.db --suite harbour -R 1000000000", ["more than 1,000,000 dialogues"]),
    "an infinite cap": (f"{SIM} --max-cost inf", ["--max-cost inf"]),
    "a cap that is no number": (f"{SIM} --max-cost nan", ["--max-cost nan"]),
    "a floor that is no number": (f"{SIM} --fail-under nan", ["--fail-under nan"]),
    "an infinite floor": (f"{SIM} --fail-under inf", ["--fail-under inf"]),
    "no such port": (f"{LOCAL} http://127.0.0.1:99999", ["its port"]),
    "an address without a scheme": (f"{LOCAL} 127.0.0.1:9100", ["did you mean `http://127.0.0.1:9100`?"]),
    "an address in words": (f"{LOCAL} here", ["`here` is not an http:// or https:// address"]),
    "an address without a host": (f"{LOCAL} http://", ["no host name"]),
    "a key in an address": (f"{LOCAL} ftp://me:SECRET@h/v1?api-key=SECRET", ["`ftp://h/v1`"]),
    "layers of aliases": (f"{SIM} --models-file bomb.yaml", ["bomb.yaml:", "aliases unfold"]),
    "layers of merges": (f"{SIM} --models-file merges.yaml", ["merges.yaml:", "aliases unfold"]),
    "deep nesting": (f"{SIM} --models-file deep.yaml", ["deep.yaml:1", "nested more than"]),
    "deep nesting in JSON": ("models --models-file deep.json", ["deep.json:1", "nested more than"]),
    "deep nesting in blocks": ("models --models-file blocks.yaml", ["blocks.yaml:2", "nested more than"]),
    "an empty models file": ("models --models-file empty.yaml", ["empty.yaml: it lists no models"]),
    "a models file of comments": ("models --models-file comment.yaml", ["comment.yaml: it lists no models"]),
    "a models file of null": ("models --models-file null.yaml", ["null.yaml: it lists no models"]),
    "a models file in Latin-1": ("models --models-file latin.yaml", ["line 1", "save it as UTF-8"]),
    "a models file in half of UTF-16": ("models --models-file wide.yaml", ["UTF-16", "line 1", "save it as UTF-8"]),
    "an endpoint without a scheme": ("models --models-file bare.yaml", ["bare.yaml:2", "did you mean `http://"]),
    "an endpoint with no such port": ("models --models-file ported.yaml", ["ported.yaml:2", "its port"]),
    "a device for a models file": (f"{SIM} --models-file /dev/zero", ["/dev/zero: this is a device"]),
    "a pipe that says nothing": ("models --models-file pipe", ["nothing is written to this pipe"]),
    "a device for a store": (f"{SIM} --db /dev/null", ["/dev/null: a device or a pipe"]),
    "a device to read": ("leaderboard --db /dev/null", ["/dev/null: a device or a pipe"]),
    "a pipe for a store": (f"{SIM} --db pipe", ["pipe: a device or a pipe"]),
    "a store in memory": (f"{SIM} --db :memory:", [":memory: keeps nothing"]),
    "a name of 300 letters": (f"{SIM} --db {'x' * 300}", ["too long"]),
    "a name of 300 letters to read": (f"leaderboard --db {'x' * 300}", ["too long"]),
    "a persona that is a device": (f"{SIM} --variants zero.md", ["zero.md: this is a device"]),
    "a persona in half of UTF-16": (f"{SIM} --variants wide.md", ["wide.md", "UTF-16"]),
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile")
    suites.write(folder / "harbour", suites.harbour())
    for name, content in FILES.items():
        (folder / name).write_bytes(content)
    (folder / "wide.md").write_bytes("Be kind.".encode("utf-16")[:-1])
    (folder / "zero.md").symlink_to("/dev/zero")
    os.mkfifo(folder / "pipe")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        line = f"{SIM.replace('new.db', 'own.db')} --runs 1"
        assert command.run(*line.split()).code == 0
    return folder


@pytest.mark.parametrize("case", CASES)
def test_it_ends_soon_and_in_one_sentence(made: Path, monkeypatch: pytest.MonkeyPatch, case: str) -> None:
    monkeypatch.chdir(made)
    line, says = CASES[case]
    before, started = sorted(path.name for path in made.iterdir()), time.monotonic()
    ended = command.run(*line.split())
    sentence = command.one_sentence(ended)
    assert ended.code == 2, ended.err
    assert all(phrase in sentence for phrase in says), sentence
    assert len(sentence) < 400
    assert "SECRET" not in ended.err
    assert time.monotonic() - started < WITHIN_S
    assert sorted(path.name for path in made.iterdir() if not path.name.startswith("own.db-")) == before
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < 2**20  # kB


@pytest.mark.parametrize(
    ("env", "says"),
    [
        ({"OPENROUTER_API_KEY": "sk-or\nv1"}, "OPENROUTER_API_KEY holds a line break"),
        ({"OPENROUTER_API_KEY": "schlüssel-123"}, "not ASCII"),
        ({"OPENROUTER_API_KEY": "abc", "OPENROUTER_BASE_URL": "127.0.0.1:9100"}, "did you mean `http://127.0.0.1"),
        ({"OPENROUTER_API_KEY": "abc", "OPENROUTER_BASE_URL": "http://h:99999/v1"}, "its port"),
    ],
)
def test_what_the_environment_gets_wrong_is_one_sentence(
    made: Path, monkeypatch: pytest.MonkeyPatch, env: dict[str, str], says: str
) -> None:
    monkeypatch.chdir(made)
    ended = command.run(*["run", "--suite", "harbour", "-m", "a/x", "-j", "cues", "--db", "new.db"], env=env)
    assert ended.code == 2
    assert says in command.one_sentence(ended)
    assert "sk-or" not in ended.err


@pytest.mark.parametrize("content", ["KEY=é".encode("utf-16")[:-1], "KEY=é".encode("latin-1")], ids=["half", "latin-1"])
def test_an_env_file_that_is_no_utf8_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".env").write_bytes(content)
    ended = command.run("demo", "--quiet")
    assert ended.code == 2
    assert ".env: cannot be read" in command.one_sentence(ended)


def test_a_models_file_may_come_through_a_pipe(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(made)
    reader, writer = os.pipe()
    os.write(writer, b"models: [sim/half]\n")
    os.close(writer)
    ended = command.run("models", "--models-file", f"/dev/fd/{reader}", "--format", "json")
    os.close(reader)
    assert ended.code == 0, ended.err
    assert "sim/half" in ended.out


def test_a_suite_of_aliases_is_refused_by_the_linter_too(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(made)
    for name, content in (("knot", bomb()), ("pit", "variants: " + "[" * 5000)):
        (made / name).mkdir()
        (made / name / "suite.yaml").write_text(content)
        ended = command.run("suites", "lint", name)
        assert ended.code in (1, 2)
        assert "suite.yaml:" in ended.err + ended.out


@pytest.mark.parametrize(
    "line", ["leaderboard", "generate-report -o r.md", "export out", "compare sim/half --against-judge x"]
)
def test_a_damaged_page_is_said_by_every_command_that_reads(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    monkeypatch.chdir(tmp_path)
    command.ask(made / "own.db", "PRAGMA wal_checkpoint(TRUNCATE)")
    content = bytearray((made / "own.db").read_bytes())
    ((size,),) = command.ask(made / "own.db", "PRAGMA page_size")
    ((page,),) = command.ask(made / "own.db", "SELECT rootpage FROM sqlite_master WHERE name = 'planned'")
    content[(page - 1) * size : page * size] = b"\xa5" * size
    (tmp_path / "hurt.db").write_bytes(content)
    ended = command.run(*line.split(), "--db", "hurt.db")
    assert ended.code == 2, ended.err
    assert "the store is damaged" in command.one_sentence(ended)
