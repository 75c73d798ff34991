"""Files and settings as editors, spreadsheets and shells leave them: read, or named with their line."""

from __future__ import annotations

import csv
import io
import json
import tarfile
from pathlib import Path

import pytest

from independence.suites.load import load
from tests.e2e import command, suites
from tests.exchange import trees

KEY = "sk-or-SECRET-12345"
RUN = "run --suite harbour -m sim/half -j cues --runs 1 --db here.db --quiet"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a suite and a store."""
    folder = tmp_path_factory.mktemp("made")
    document = suites.harbour()
    document["scenarios"] = document["scenarios"][:1]
    suites.write(folder / "harbour", document)
    command.ok(*RUN.split(), cwd=folder)
    return folder


@pytest.fixture
def here(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of the test's own, with the same in it."""
    monkeypatch.chdir(tmp_path)
    suites.write(tmp_path / "harbour", suites.harbour())
    command.ask(made / "here.db", f"VACUUM INTO '{tmp_path / 'here.db'}'")
    return tmp_path


def sample() -> list[list[str]]:
    """What `label-sample` writes, scored by Jürg, whose cells hold whatever divides cells and lines."""
    command.ok("label-sample", "labels.csv", "--db", "here.db", "--force")
    head, *rows = csv.reader(io.StringIO(Path("labels.csv").read_text("utf-8-sig")))
    for row in rows:
        cells = dict(zip(head, row, strict=True))
        cells |= {"rater": "Jürg", "value": "TRUE" if "true" in cells.get("scale", "") else "1"}
        row[:] = [*cells.values(), 'so; "so", and\tso\non']
    return [[*head, "remark"], *rows]


def saved(rows: list[list[str]], delimiter: str = ",", end: str = "\n", first: str = "") -> str:
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=delimiter, lineterminator=end).writerows(rows)
    return first + out.getvalue()


def test_scores_are_imported_as_a_spreadsheet_saved_them_and_a_table_is_never_taken_for_an_archive(here: Path) -> None:
    rows = sample()
    for name, content in (
        ("s.txt", saved(rows, "\t", "\r\n").encode("utf-16")),  # what a spreadsheet calls "Unicode text"
        ("s.csv", saved(rows, ";", "\r", "sep=;\r").encode("utf-8-sig")),
        ("s.csv", saved([*rows, [""] * len(rows[0]), [], [" "] * 3], ";").encode()),
    ):
        command.ask(here / "here.db", "DELETE FROM verdicts WHERE judge LIKE 'human:%'")
        Path(name).write_bytes(content)
        assert "human:Jürg: 1 verdicts" in command.ok("import", name, "--db", "here.db").err
    for content in (b"", "item;rater\n".encode("utf-16-le")):
        Path("s.csv").write_bytes(content)
        sentence = command.refused("import", "s.csv", "--db", "here.db")
        assert "s.csv:1: no header" in sentence
        assert "archive" not in sentence


def test_a_line_of_env_that_cannot_be_read_is_named_once_and_not_repeated(
    here: Path, caplog: pytest.LogCaptureFixture
) -> None:
    open_quote, no_setting = "the quote is not closed", "this is no setting; write KEY=value"
    for content, line, says in (
        (f'OPENROUTER_API_KEY="{KEY}\n', 1, open_quote),
        (f"\n# a key\nOPENROUTER_API_KEY='{KEY}\nLOG_LEVEL=info\n", 3, open_quote),
        (f'OPENROUTER_API_KEY="{KEY}\nLOG_LEVEL="info"\n', 1, open_quote),
        (f"LOG_LEVEL=info\r\n\r\nOPENROUTER_API_KEY:{KEY}\r\n", 3, no_setting),
        (f"set OPENROUTER_API_KEY={KEY}\n", 1, no_setting),
        (f'$env:OPENROUTER_API_KEY="{KEY}"\n', 1, no_setting),
        (f'OPENROUTER_API_KEY="{KEY}" mine\n', 1, "text follows the quote that closes the value"),
    ):
        Path(".env").write_bytes(content.encode())
        ended = command.run("run", "--suite", "harbour", "-m", "acme/one", "-j", "cues")
        assert (ended.code, f".env:{line}: {says}" in command.one_sentence(ended)) == (2, True), ended.err
        assert "SECRET" not in ended.err
    assert caplog.records == []


def test_an_env_file_that_can_be_read_is_read(here: Path) -> None:
    for content in (
        b"\xef\xbb\xbfLOG_LEVEL=loud", "LOG_LEVEL=loud\r\n".encode("utf-16"), b"# KEY: x\nexport LOG_LEVEL = 'loud' #",
        b"[section]\nLOG_LEVEL=loud\nNOTHING\n", b"X=it's\rLOG_LEVEL=loud\r",
    ):  # fmt: skip
        Path(".env").write_bytes(content)
        assert "LOG_LEVEL=loud" in command.refused(*RUN.split(), "--log", "log.jsonl")


MARKS = ("utf-8-sig", "utf-16")  # encodings that begin with a byte order mark


@pytest.mark.parametrize("mark", MARKS)
def test_ratings_baselines_and_lists_of_models_may_begin_with_a_byte_order_mark(here: Path, mark: str) -> None:
    head, *cells = sample()
    rows = [dict(zip(head, row, strict=True)) for row in cells]
    values = {row["field"]: row["value"] == "TRUE" or int(row["value"]) for row in rows}
    held = {"schema": 1, "rater": "Ann", "ratings": [{"item": rows[0]["item"], "values": values}]}
    Path("ratings.json").write_bytes(json.dumps(held).encode(mark))
    ended = command.run("import", "ratings.json", "--db", "here.db")
    assert (ended.code, "human:Ann: 1 verdicts" in ended.err) == (0, True), ended.err
    words = ("check", "--suite", "harbour", "-m", "sim/never", "-j", "cues", "--db", "check.db", "--max-runs", "4")
    command.ok(*words, "--min-index", "50", "--write-baseline", "base.json")
    Path("base.json").write_bytes(Path("base.json").read_bytes().decode().encode(mark))
    again = command.run(*words, "--against", "base.json", "--max-drop", "40")
    assert again.code in (0, 5), again.err
    Path("models.json").write_bytes(json.dumps(["sim/half"]).encode(mark))
    listed = command.run("models", "--models-file", "models.json", "--format", "json")
    assert (listed.code, "sim/half" in listed.out) == (0, True), listed.err


@pytest.mark.parametrize(("mark", "packed"), [("utf-8-sig", False), ("utf-16", True)])
def test_published_files_may_begin_with_a_byte_order_mark(here: Path, mark: str, packed: bool) -> None:
    trees.write_run(here / "cache", load("v2").suite)
    plain = command.run("import", "cache", "--db", "plain.db")
    for file in (here / "cache").rglob("*.json"):
        file.write_bytes(file.read_text("utf-8").encode(mark))
    if packed:
        with tarfile.open("cache.tar.gz", "w:gz") as tar:
            tar.add("cache")
    ended = command.run("import", "cache.tar.gz" if packed else "cache", "--db", "marked.db")
    assert ended.code == plain.code == 0, ended.err
    assert ended.out == plain.out
    assert "skipped" not in ended.err
    for reader in ("leaderboard", "extract-names"):
        first, second = (command.run(reader, "--db", db, "--format", "json") for db in ("plain.db", "marked.db"))
        assert first == second


def test_a_persona_begins_with_its_words(here: Path) -> None:
    """A byte order mark is not part of what a subject is told."""
    trials = []
    for number, encoding in enumerate(("utf-8", *MARKS)):
        Path("warden.md").write_bytes("You are Ottilie, the warden.".encode(encoding))
        command.ok(*RUN.replace("here.db", f"{number}.db").split(), "--variants", "warden.md")
        trials.append(command.ask(here / f"{number}.db", "SELECT key FROM trials ORDER BY key"))
    assert trials[0] == trials[1] == trials[2] != []


CORP = "endpoints:\n  - {name: corp, base_url: 'http://llm.corp.test/v1'}\n"
ASKING = (
    "run --suite harbour -m corp/x -j cues --db new.db",
    "run --suite harbour -m sim/half -j corp/x --db new.db",
    "judge -j corp/x --db here.db",
    "doctor -m corp/x",
    "models --catalogue --endpoint corp",
    "estimate-cost --suite harbour -m corp/x -j cues",
)
SOCKS = "a SOCKS proxy cannot be used; use an http:// proxy or unset"
PROXIES = (
    ("ALL_PROXY", "socks5://me:SECRET@127.0.0.1:1080", f"{SOCKS} A"),
    ("HTTP_PROXY", "socks5h://127.0.0.1:1080", f"{SOCKS} HTTP"),
    ("http_proxy", "http://me:SECRET@127.0.0.1:0", "http_proxy: `http://127.0.0.1:0` is no address: its port is 0"),
)


def test_a_proxy_that_cannot_be_used_is_one_sentence_of_every_command_that_asks(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    Path("models.yaml").write_text(CORP)
    for line in ASKING:
        for variable, value, says in PROXIES:
            ended = command.run(*line.split(), env={variable: value, "OPENROUTER_API_KEY": KEY})
            assert (ended.code, says in command.one_sentence(ended)) == (2, True), (line, ended.err)
            assert "SECRET" not in ended.err + ended.out
    assert not Path("new.db").exists()
    ended = command.run(*ASKING[0].split(), env={"HTTP_PROXY": "127.0.0.1:9"})  # without a scheme it is asked by HTTP
    assert ended.code == 2
    assert "the proxy 127.0.0.1:9 of the environment does not answer" in command.one_sentence(ended)
