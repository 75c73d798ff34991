"""Whatever is wrong with what a person hands in is said in one sentence, with the right exit code."""

from __future__ import annotations

import os
import resource
from pathlib import Path

import pytest

from tests.e2e import command, refusals, suites

SIM = "run --suite harbour -m sim/half -j cues --quiet --db new.db"
FILE = "run --suite harbour -j cues --db new.db --models-file"
LOCAL = "run --suite harbour -m local/x -j cues --quiet --db new.db --local-url"
TEXT = b"hello " * 300


def unfolding(last: str) -> bytes:
    """Eleven layers of aliases in YAML, each nine times the one before."""
    layers = (f"a{n}: &a{n} {last.format(', '.join([f'*a{n - 1}'] * 9))}\n" for n in range(1, 12))
    return ("a0: &a0 {x: 1}\n" + "".join(layers)).encode()


FILES: dict[str, bytes] = {
    # models files
    "indented.yaml": b"models:\n  - model_id: sim/half\n   active: true\n",
    "typo.yaml": b"models:\n  - model_id: sim/half\n    temprature: 0.5\n",
    "twice.yaml": b"models:\n  - {model_id: sim/half}\n  - {model_id: sim/half}\n",
    "elsewhere.yaml": b"models:\n  - {model_id: one, endpoint: elsewhere}\n",
    "hot.yaml": b"models:\n  - {model_id: sim/half, temperature: 3}\n",
    "huge.yaml": b"models:\n  - {model_id: sim/half, reasoning_effort: huge}\n",
    "mine.yaml": b"endpoints:\n  - {name: mine, base_url: 'http://127.0.0.1:9/v1', api_key_env: MY_KEY}\n",
    "inactive.yaml": b"models:\n  - {model_id: sim/half, active: false}\n",
    "none.yaml": b"[]",
    "typo.json": b'[{"id": "sim/half", "concurency": 3}]',
    "preferred.yaml": b"preferred: sim/haf\nmodels: [sim/half]\n",
    "bomb.yaml": unfolding("[{}]"),
    "merges.yaml": unfolding("{{<<: [{}]}}"),
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
    # personas
    "blank.md": b" \n",
    "slot.md": b"I am {{name}}.",
    "wide.md": "Be kind.".encode("utf-16")[:-1],
    # the rest
    "note.db": TEXT,
    "broken.tar": TEXT,
    "broken.tar.gz": TEXT,
    "merits.json": b'{"aa": ["the cook", "the waiter", 0, 1]}',
    "beyond.json": b'{\n"aa": ["the cook", "the waiter", 0, 7]}',
}

MODELS = {
    "run -m acme/one -j cues": ["OPENROUTER_API_KEY is not set", "independence demo"],
    "OPENROUTER_API_KEY=your-key-here run -m acme/one -j cues": ["placeholder", "independence demo"],
    "OPENROUTER_API_KEY='SECRET\nv1' run -m a/x -j cues": "OPENROUTER_API_KEY holds a line break",
    "OPENROUTER_API_KEY=schlüssel-123 run -m a/x -j cues": "not ASCII",
    "OPENROUTER_API_KEY=abc OPENROUTER_BASE_URL=127.0.0.1:9 run -m a/x -j cues": "answers at http://127.0.0.1:9 (",
    "OPENROUTER_API_KEY=abc OPENROUTER_BASE_URL=http://h:99999/v1 run -m a/x -j cues": "its port",
    "run --suite harbour -m sim/half": ["--judge: cues", "--no-judge"],
    "run --suite harbour -j cues": ["no models", "models.yaml"],
    "run --suite harbour -m sim/haf -j cues": ["haf", "did you mean `sim/half`"],
    "run --suite harbour -m half -j cues": "no model `half`; did you mean `sim/half`?",
    "run --suite harbour -m half@low-t0.7 -j cues": ["no model `half@low-t0.7`", "`sim/half`"],
    "run --suite harbour -m sim/half, -j cues": "empty name",
    "run -m local/one -j cues": "--local-url",
    "run --local-url http://127.0.0.1:9 -j cues": "no server answers at http://127.0.0.1:9/v1",
    "run --local-url http://127.0.0.1:9,http://127.0.0.1:9/v1 -m local/x -j cues": "names http://127.0.0.1:9/v1 twice",
    "run -m local/x --provider a@b -j cues --local-url http://127.0.0.1:9": "--provider `a@b`",
    "run --suite harbour -m gpt-4o -j cues": "no model `gpt-4o`; did you mean `openai/gpt-4o`?",
    "run --suite harbour -m sim/half -j gpt-4o": "no model `gpt-4o`; did you mean `openai/gpt-4o`?",
    "run --suite harbour -m sim/half -j cue": "no judge `cue`; did you mean `cues`?",
    "run --suite harbour -m sim/half -j cues --delivery user": "no mode `user`; did you mean `user_role`?",
    "run --suite harbour -m sim/half -j cues -r hgh": "no reasoning effort `hgh`; did you mean `high`?",
    "run -m smollm2 -j cues --local-url http://127.0.0.1:9": "no model `smollm2`; did you mean `local/smollm2`?",
    "run --suite harbour -m smollm2 -j cues": "local/smollm2 (on your own server)",
    f"{LOCAL} http://127.0.0.1:9": "no server answers at http://127.0.0.1:9/v1",
    f"{LOCAL} ftp://here": ["ftp://here", "http://"],
    f"{LOCAL} http://127.0.0.1:99999": "its port",
    f"{LOCAL} 127.0.0.1:9": "no server answers at http://127.0.0.1:9/v1",
    f"{LOCAL} here": "`here` is not an http:// or https:// address",
    f"{LOCAL} http://": "no host name",
    f"{LOCAL} ftp://me:SECRET@h/v1?api-key=SECRET": "`ftp://h/v1`",
    f"{SIM} --local-timeout 0": ["--local-timeout 0", "above 0"],
    f"{FILE} nowhere.yaml": "nowhere.yaml",
    f"{FILE} indented.yaml": "indented.yaml:3",
    f"{FILE} typo.yaml": ["typo.yaml:3", "`temprature`", "did you mean `temperature`"],
    f"{FILE} twice.yaml": ["twice.yaml:3", "sim/half@none-t0.7", "display_label"],
    f"{FILE} elsewhere.yaml": ["elsewhere.yaml:2", "`elsewhere`"],
    f"{FILE} hot.yaml": ["hot.yaml:2", "outside 0 to 2"],
    f"{FILE} huge.yaml": ["huge.yaml:2", "`huge`"],
    f"{FILE} mine.yaml -m mine/one": ["mine", "MY_KEY"],
    f"{FILE} inactive.yaml": "no models",
    f"{FILE} none.yaml": ["no models", "none.yaml"],
    f"{FILE} typo.json": ["typo.json:1", "did you mean `concurrency`"],
    f"{FILE} preferred.yaml": ["preferred.yaml:1", "did you mean `sim/half`"],
    f"{FILE} bomb.yaml": ["bomb.yaml:", "aliases unfold"],
    f"{FILE} merges.yaml": ["merges.yaml:", "aliases unfold"],
    f"{FILE} deep.yaml": ["deep.yaml:1", "nested more than"],
    f"{FILE} /dev/zero": "/dev/zero: this is a device",
    "models --models-file deep.json": ["deep.json:1", "nested more than"],
    "models --models-file blocks.yaml": ["blocks.yaml:2", "nested more than"],
    "models --models-file empty.yaml": "empty.yaml: it lists no models",
    "models --models-file comment.yaml": "comment.yaml: it lists no models",
    "models --models-file null.yaml": "null.yaml: it lists no models",
    "models --models-file latin.yaml": ["latin.yaml:1", "save it as UTF-8"],
    "models --models-file wide.yaml": ["wide.yaml:1", "UTF-16", "save it as UTF-8"],
    f"{FILE} bare.yaml": "no server answers at http://127.0.0.1:9 (",
    "models --models-file ported.yaml": ["ported.yaml:2", "its port"],
    "models --models-file pipe": "nothing is written to this pipe",
}

OPTIONS = {
    "run --suite v22 -m sim/half -j cues": ["`v22`", "did you mean `v2`"],
    f"{SIM} -e courses": ["no experiment `courses`", "course"],
    f"{SIM} --variants shy": ["no variant `shy`", "plain, blunt"],
    f"{SIM} --variants nobody.md": "nobody.md",
    f"{SIM} --variants blank.md": ["blank.md", "empty"],
    f"{SIM} --variants slot.md": ["slot.md", "{{name}}"],
    f"{SIM} --variants wide.md": ["wide.md", "UTF-16"],
    f"{SIM} --variants zero.md": "zero.md: this is a device",
    f"{SIM} --modes carrier_pigeon": ["no mode `carrier_pigeon`", "user_role, tool_role"],
    f"{SIM} --runs 0": "--runs 0",
    f"{SIM} --runs -3": "--runs -3",
    f"{SIM} --runs 1000000000": ["1,000,000,000 runs", "1,000,000 dialogues"],
    f"{SIM} --runs 1000000 --dry-run": "1,000,000 runs make more than 1,000,000",
    "rerun --db own.db --suite harbour -R 1000000000": "more than 1,000,000 dialogues",
    f"{SIM} -p -1": "-p -1",
    f"{SIM} -pt -1": "-pt -1",
    f"{SIM} --max-cost 0": "--max-cost 0",
    f"{SIM} --max-cost inf": "--max-cost inf",
    f"{SIM} --max-cost nan": "--max-cost nan",
    f"{SIM} -t 2.5": "temperature 2.5",
    f"{SIM} -r huge": ["`huge`", "minimal"],
    f"BENCH_TIMEOUT_S=soon {SIM}": "BENCH_TIMEOUT_S=soon",
    f"BENCH_MAX_RETRIES=-1 {SIM}": "BENCH_MAX_RETRIES=-1",
    f"BENCH_CONCURRENCY=0 {SIM}": ["BENCH_CONCURRENCY=0", "1 or more"],
    f"OPENROUTER_MODEL_RPS=20/min {SIM}": "OPENROUTER_MODEL_RPS=20/min",
    f"OPENROUTER_MODEL_BURST=5 {SIM}": ["OPENROUTER_MODEL_BURST=5", "_RPS"],
    f"LOG_LEVEL=loud {SIM}": ["LOG_LEVEL=loud", "debug, info"],
    f"{SIM} --rps 0": ["--rps 0", "above 0"],
    f"{SIM} --rps inf": ["--rps inf", "above 0"],
    f"{SIM} --log new.db": ["--log new.db", "a store"],
    f"{SIM} --log far/off.jsonl": "--log far/off.jsonl",
}

STORES = {
    "leaderboard --db nowhere.db": ["nowhere.db", "no store here", "independence demo"],
    "leaderboard --db note.db": ["note.db", "not a store"],
    "leaderboard --db harbour": "directory",
    "leaderboard --db blank.db": "the store is empty",
    "leaderboard --db newer.db": ["newer.db: a SQLite file of another program", "name another file with --db"],
    "leaderboard --db foreign.db": ["foreign.db", "another program", "--db"],
    "leaderboard --db /dev/null": "/dev/null: a device or a pipe",
    f"leaderboard --db {'x' * 300}": "too long",
    f"{SIM} --db far/off/here.db": ["far/off", "does not exist"],
    f"{SIM} --db note.db": ["note.db", "not a store"],
    f"{SIM} --db newer.db": ["newer.db: a SQLite file of another program", "name another file with --db"],
    f"{SIM} --db foreign.db": ["foreign.db", "another program", "--db"],
    f"{SIM} --db /dev/null": "/dev/null: a device or a pipe",
    f"{SIM} --db pipe": "pipe: a device or a pipe",
    f"{SIM} --db :memory:": ":memory: keeps nothing",
    f"{SIM} --db file:q.db": "file:q.db: this is an address and no file",
    f"{SIM} --db sqlite:///q.db": "this is an address and no file",
    f"{SIM} --db {'x' * 300}": "too long",
}

COMMANDS = {
    "leaderbord": ["`leaderbord`", "did you mean `leaderboard`"],
    "import nowhere.tar --db new.db": "nowhere.tar",
    "import broken.tar --db new.db": "broken.tar",
    "import broken.tar.gz --db new.db": "broken.tar.gz",
    "endpoint --port 0 --ways no-sytem": ["'no-sytem'", "did you mean `no-system`?"],
    "endpoint --port 0 --faults 4299": ["'4299'", "--faults"],
    "endpoint --port 0 --latency slow": ["--latency", "'slow'"],
    "endpoint --port 0 --merits none.json": "none.json: cannot be read",
    "endpoint --port 0 --merits merits.json": ["merits.json: `aa` is no request digest", "request_digest(messages)"],
    "endpoint --port 0 --merits beyond.json": ["beyond.json:2", "<= 1.0"],
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    suites.write(folder / "harbour", suites.harbour())
    for name, content in FILES.items():
        (folder / name).write_bytes(content)
    (folder / "zero.md").symlink_to("/dev/zero")
    os.mkfifo(folder / "pipe")
    for name, statement in (
        ("newer.db", "PRAGMA user_version = 99"),
        ("foreign.db", "CREATE TABLE songs (title TEXT)"),
        ("blank.db", "SELECT 1"),
    ):
        with command.opened(folder / name) as connection:
            connection.execute(statement)
    assert command.run(*SIM.replace("new.db", "own.db").split(), "--runs", "1", cwd=folder).code == 0
    return folder


@pytest.mark.parametrize("cases", [MODELS, OPTIONS, STORES, COMMANDS], ids=["models", "options", "stores", "commands"])
def test_what_is_wrong_is_said_in_one_sentence(made: Path, cases: dict[str, str | list[str]]) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert refusals.wrong(made, cases) == {}
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < before + 2**18  # kB
    assert command.ask(made / "foreign.db", "SELECT name FROM sqlite_master") == [("songs",)]
    assert command.ask(made / "newer.db", "SELECT name FROM sqlite_master") == []


def test_an_env_file_that_is_of_no_use_is_named(tmp_path: Path) -> None:
    for content, says in {
        b"OPENROUTER_API_KEY=<your key>\n": "placeholder",
        "KEY=é".encode("utf-16")[:-1]: ".env:1: cannot be read",
        "KEY=é".encode("latin-1"): ".env:1: cannot be read",
    }.items():
        (tmp_path / ".env").write_bytes(content)
        assert refusals.wrong(tmp_path, {"run -m acme/one -j cues": says}) == {}


def test_a_models_file_may_come_through_a_pipe(made: Path) -> None:
    reader, writer = os.pipe()
    os.write(writer, b"models: [sim/half]\n")
    os.close(writer)
    ended = command.run("models", "--models-file", f"/dev/fd/{reader}", "--format", "json", cwd=made)
    os.close(reader)
    assert ended.code == 0, ended.err
    assert "sim/half" in ended.out


def replaced(file: Path, part: str, instead: str) -> None:
    """Replace one part of a file, which must be there."""
    text = file.read_text()
    assert part in text
    file.write_text(text.replace(part, instead, 1))


SUITES = [
    ("suite.yaml", "title: Har", "title: [Har", ["suite.yaml:", "not valid YAML"]),
    ("suite.yaml", "title: Har", "titel: Har", ["suite.yaml:2", "did you mean `title`"]),
    ("suite.yaml", "prompts/blunt.md", "prompts/gone.md", ["suite.yaml:6", "`prompts/gone.md`"]),
    ("suite.yaml", f"{8 * ' '}range:\n{8 * ' '}- 0\n{8 * ' '}- 10\n", "", [":28", "no range"]),
    ("suite.yaml", "cue: held", "cue: hold", ["suite.yaml:", "no cue `hold`"]),
    ("suite.yaml", "rubric: course", "rubric: coarse", ["suite.yaml:", "`coarse` is not"]),
    ("suite.yaml", "- id: bell\n", "- id: bell\n  follows: bull\n", ["suite.yaml:", "`bull`"]),
    ("suite.yaml", "weight: 1", "weight: 0.7", ["suite.yaml:", "weights sum to 0.7"]),
    ("prompts/plain.md", "harbour", "{{place}}", ["plain.md:1", "{{place}}"]),
    ("prompts/course.md", "{{transcript}}", "", ["course.md:1", "{{transcript}}"]),
]


def test_a_broken_suite_names_file_and_line(tmp_path: Path) -> None:
    for file, part, instead, says in SUITES:
        folder = suites.write(tmp_path / "harbour", suites.harbour())
        replaced(folder / file, part, instead)
        assert refusals.wrong(tmp_path, {"run --suite harbour -m sim/half -j cues": says}) == {}


def test_the_linter_lists_every_problem_and_exits_1(tmp_path: Path) -> None:
    folder = suites.write(tmp_path / "harbour", suites.harbour())
    replaced(folder / "suite.yaml", "cue: held", "cue: hold")
    replaced(folder / "suite.yaml", "weight: 1", "weight: 0.7")
    ended = command.run("suites", "lint", "harbour", cwd=tmp_path)
    assert (ended.code, "2 problems" in ended.err) == (1, True)
    assert "no cue `hold`" in ended.out
    assert "weights sum to 0.7" in ended.out
    for content in (unfolding("[{}]"), b"variants: " + b"[" * 5000):
        (folder / "suite.yaml").write_bytes(content)
        ended = command.run("suites", "lint", "harbour", cwd=tmp_path)
        assert ended.code in (1, 2)
        assert "suite.yaml:" in ended.err + ended.out
