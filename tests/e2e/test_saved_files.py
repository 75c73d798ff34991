"""Files and settings as editors, spreadsheets and shells leave them: read, or named with their line."""

from __future__ import annotations

import codecs
import csv
import io
import json
import tarfile
from collections.abc import Callable
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
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        ended = command.run(*RUN.split())
        assert ended.code == 0, ended.err
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
    ended = command.run("label-sample", "labels.csv", "--db", "here.db", "--force")
    assert ended.code == 0, ended.err
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


SAVED: dict[str, tuple[str, Callable[[list[list[str]]], bytes]]] = {
    "CR": ("s.csv", lambda rows: saved(rows, end="\r").encode()),
    "Unicode text": ("s.csv", lambda rows: saved(rows, "\t", "\r\n").encode("utf-16")),
    "Unicode text, as it is named": ("s.txt", lambda rows: saved(rows, "\t", "\r\n").encode("utf-16")),
    "UTF-16 of the other order": (
        "s.CSV",
        lambda rows: codecs.BOM_UTF16_BE + saved(rows, ";", "\r\n").encode("utf-16-be"),
    ),
    "tabs": ("s.tsv", lambda rows: saved(rows, "\t").encode()),
    "semicolons": ("s.csv", lambda rows: saved(rows, ";", "\r\n").encode("utf-8-sig")),
    "sep=,": ("s.csv", lambda rows: saved(rows, ",", "\r\n", "sep=,\r\n").encode()),
    "sep=;": ("s.csv", lambda rows: saved(rows, ";", "\r", "sep=;\r").encode("utf-8-sig")),
    "blank rows": ("s.csv", lambda rows: saved([*rows, [""] * len(rows[0]), [], [" "] * 3], ";").encode()),
}


@pytest.mark.parametrize("kind", SAVED)
def test_scores_are_imported_as_a_spreadsheet_saved_them(here: Path, kind: str) -> None:
    name, encoded = SAVED[kind]
    Path(name).write_bytes(encoded(sample()))
    ended = command.run("import", name, "--db", "here.db")
    assert ended.code == 0, ended.err
    assert "human:Jürg: 1 verdicts" in ended.err


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "s.csv:1: no header"),
        (b"a,b\n1,2\n", "s.csv:1: no header with the columns item, rater, field, value"),
        ("item;rater\n".encode("utf-16-le"), "s.csv:1: no header"),
        (b"item,rater,field,value\r\r\xfc,", "line 3 holds the byte 0xfc"),
        (b'item;rater;field;value\nx;y;z;"1\n', "s.csv:2: not valid CSV"),
    ],
)
def test_a_table_that_cannot_be_read_is_never_taken_for_an_archive(here: Path, content: bytes, says: str) -> None:
    Path("s.csv").write_bytes(content)
    ended = command.run("import", "s.csv", "--db", "here.db")
    assert ended.code == 2
    assert says in command.one_sentence(ended)
    assert "archive" not in ended.err


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (f'OPENROUTER_API_KEY="{KEY}\n', ".env:1: the quote is not closed"),
        (f"\n# a key\nOPENROUTER_API_KEY='{KEY}\nLOG_LEVEL=info\n", ".env:3: the quote is not closed"),
        (f'OPENROUTER_API_KEY="{KEY}\nLOG_LEVEL="info"\n', ".env:1: the quote is not closed"),
        (f"OPENROUTER_API_KEY: {KEY}\n", ".env:1: this is no setting; write KEY=value"),
        (f"LOG_LEVEL=info\r\n\r\nOPENROUTER_API_KEY:{KEY}\r\n", ".env:3: this is no setting; write KEY=value"),
        (f"set OPENROUTER_API_KEY={KEY}\n", ".env:1: this is no setting; write KEY=value"),
        (f'$env:OPENROUTER_API_KEY="{KEY}"\n', ".env:1: this is no setting; write KEY=value"),
        (f'OPENROUTER_API_KEY="{KEY}" mine\n', ".env:1: text follows the quote that closes the value"),
    ],
)
def test_a_line_of_env_that_cannot_be_read_is_named_once_and_not_repeated(
    here: Path, line: str, says: str, caplog: pytest.LogCaptureFixture
) -> None:
    Path(".env").write_bytes(line.encode())
    ended = command.run("run", "--suite", "harbour", "-m", "acme/one", "-j", "cues")
    assert ended.code == 2
    assert says in command.one_sentence(ended)
    assert "SECRET" not in ended.err
    assert caplog.records == []


@pytest.mark.parametrize(
    "content",
    [
        b"\xef\xbb\xbfLOG_LEVEL=loud", "LOG_LEVEL=loud\r\n".encode("utf-16"), b"# KEY: x\nexport LOG_LEVEL = 'loud' #",
        b"[section]\nLOG_LEVEL=loud\nNOTHING\n", b"X=it's\rLOG_LEVEL=loud\r",
    ],
)  # fmt: skip
def test_an_env_file_that_can_be_read_is_read(here: Path, content: bytes) -> None:
    Path(".env").write_bytes(content)
    ended = command.run(*RUN.split(), "--log", "log.jsonl")
    assert ended.code == 2
    assert "LOG_LEVEL=loud" in command.one_sentence(ended)


MARKS = {"UTF-8": "utf-8-sig", "UTF-16": "utf-16"}


@pytest.mark.parametrize("mark", MARKS)
def test_a_ratings_file_may_begin_with_a_byte_order_mark(here: Path, mark: str) -> None:
    rows = [dict(zip(sample()[0], row, strict=True)) for row in sample()[1:]]
    values = {row["field"]: row["value"] == "TRUE" or int(row["value"]) for row in rows}
    held = {"schema": 1, "rater": "Ann", "ratings": [{"item": rows[0]["item"], "values": values}]}
    Path("ratings.json").write_bytes(json.dumps(held).encode(MARKS[mark]))
    ended = command.run("import", "ratings.json", "--db", "here.db")
    assert ended.code == 0, ended.err
    assert "human:Ann: 1 verdicts" in ended.err


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("mark", MARKS)
def test_published_files_may_begin_with_a_byte_order_mark(here: Path, mark: str, packed: bool) -> None:
    trees.write_run(here / "cache", load("v2").suite)
    plain = command.run("import", "cache", "--db", "plain.db")
    for file in (here / "cache").rglob("*.json"):
        file.write_bytes(file.read_text("utf-8").encode(MARKS[mark]))
    if packed:
        with tarfile.open("cache.tar.gz", "w:gz") as tar:
            tar.add("cache")
    ended = command.run("import", "cache.tar.gz" if packed else "cache", "--db", "marked.db")
    assert ended.code == plain.code == 0, ended.err
    assert ended.out == plain.out
    assert "skipped" not in ended.err
    boards = [command.run("leaderboard", "--db", db, "--format", "json").out for db in ("plain.db", "marked.db")]
    assert boards[0] == boards[1]
    names = [command.run("extract-names", "--db", db, "--format", "json") for db in ("plain.db", "marked.db")]
    assert names[0] == names[1]


@pytest.mark.parametrize("mark", MARKS)
def test_a_baseline_and_a_list_of_models_may_begin_with_a_byte_order_mark(here: Path, mark: str) -> None:
    words = ("check", "--suite", "harbour", "-m", "sim/never", "-j", "cues", "--db", "check.db", "--max-runs", "4")
    first = command.run(*words, "--min-index", "50", "--write-baseline", "base.json")
    assert first.code == 0, first.err
    Path("base.json").write_bytes(Path("base.json").read_bytes().decode().encode(MARKS[mark]))
    again = command.run(*words, "--against", "base.json", "--max-drop", "40")
    assert again.code in (0, 5), again.err
    Path("models.json").write_bytes(json.dumps(["sim/half"]).encode(MARKS[mark]))
    listed = command.run("models", "--models-file", "models.json", "--format", "json")
    assert listed.code == 0, listed.err
    assert "sim/half" in listed.out


def test_a_persona_begins_with_its_words(here: Path) -> None:
    """A byte order mark is not part of what a subject is told."""
    editions = []
    for number, encoding in enumerate(("utf-8", "utf-8-sig", "utf-16")):
        Path("warden.md").write_bytes("You are Ottilie, the warden.".encode(encoding))
        db = f"{number}.db"
        words = RUN.replace("here.db", db).split()
        assert command.run(*words, "--variants", "warden.md").code == 0
        editions.append(command.ask(here / db, "SELECT key FROM trials ORDER BY key"))
    assert editions[0] == editions[1] == editions[2] != []


CORP = "endpoints:\n  - {name: corp, base_url: 'http://llm.corp.test/v1'}\n"
ASKING = {
    "run": "run --suite harbour -m corp/x -j cues --db new.db",
    "a judge of a run": "run --suite harbour -m sim/half -j corp/x --db new.db",
    "judge": "judge -j corp/x --db here.db",
    "doctor": "doctor -m corp/x",
    "models": "models --catalogue --endpoint corp",
    "estimate-cost": "estimate-cost --suite harbour -m corp/x -j cues",
}
PROXIES = [
    ("ALL_PROXY", "socks5://me:SECRET@127.0.0.1:1080", "a SOCKS proxy cannot be used; use an http:// proxy or unset A"),
    (
        "HTTP_PROXY",
        "socks5h://127.0.0.1:1080",
        "a SOCKS proxy cannot be used; use an http:// proxy or unset HTTP",
    ),
    ("http_proxy", "http://me:SECRET@127.0.0.1:0", "http_proxy: `http://127.0.0.1:0` is no address: its port is 0"),
]


@pytest.fixture
def unproxied(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.mark.usefixtures("unproxied")
@pytest.mark.parametrize(("variable", "value", "says"), PROXIES)
@pytest.mark.parametrize("kind", ASKING)
def test_a_proxy_that_cannot_be_used_is_one_sentence_of_every_command_that_asks(
    here: Path, kind: str, variable: str, value: str, says: str
) -> None:
    Path("models.yaml").write_text(CORP)
    ended = command.run(*ASKING[kind].split(), env={variable: value, "OPENROUTER_API_KEY": KEY})
    assert ended.code == 2
    assert says in command.one_sentence(ended)
    assert "SECRET" not in ended.err + ended.out
    assert not Path("new.db").exists()


@pytest.mark.usefixtures("unproxied")
def test_a_proxy_without_a_scheme_is_asked_by_http(here: Path) -> None:
    Path("models.yaml").write_text(CORP)
    ended = command.run(*ASKING["run"].split(), env={"HTTP_PROXY": "127.0.0.1:9"})
    assert ended.code == 2
    assert "the proxy 127.0.0.1:9 of the environment does not answer" in command.one_sentence(ended)
