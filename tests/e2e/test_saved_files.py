"""Files and settings as editors, spreadsheets and shells leave them: read, or named with their line."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import json
import os
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from independence.config import user_files
from independence.suites.load import load
from tests.e2e import command, suites
from tests.e2e.command import Ended
from tests.extensions.published import trees
from tests.extensions.published.rent import folders

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
    for content in (b"", "item;rater\n".encode("utf-16")):
        Path("s.csv").write_bytes(content)
        sentence = command.refused("import", "s.csv", "--db", "here.db")
        assert "s.csv:1: the columns item, rater, field, value were not found" in sentence
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
        ("[section]\nOPENROUTER_API_KEY\n", 2, "OPENROUTER_API_KEY has no value; write OPENROUTER_API_KEY=value"),
        (f"OPENAI-API-KEY={KEY}\n", 1, "nothing reads `OPENAI-API-KEY`; write OPENAI_API_KEY=value"),
        ("LOCAL_MODEL_URl=http://a/v1\n", 1, "nothing reads `LOCAL_MODEL_URl`; write LOCAL_MODEL_URL=value"),
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
ASK = "run --suite harbour -m sim/half -j cues --runs 1 --db new.db --quiet"  # says edition and persona
CHECK = "check --suite harbour -m sim/never -j cues --db check.db --max-runs 4"


class UserFile(NamedTuple):
    """A file that a person hands in: its name, what is in it, and a command that reads it."""

    name: str
    text: str
    line: str


def kinds() -> dict[str, UserFile]:
    """A file of every kind, in which somebody is called J\u00fcrg where a name may stand."""
    head, *cells = sample()
    rows = [dict(zip(head, row, strict=True)) for row in cells]
    values = {row["field"]: row["value"] == "TRUE" or int(row["value"]) for row in rows}
    held = {"schema": 1, "rater": "J\u00fcrg", "ratings": [{"item": rows[0]["item"], "values": values}]}
    command.run(*CHECK.split(), "--min-index", "50", "--write-baseline", "base.json")
    merits = json.dumps({"a" * 64: ["J\u00fcrg", "the waiter", 0, 7]}, ensure_ascii=False, indent=1)
    words = {name: Path("harbour", name).read_text() for name in ("suite.yaml", "prompts/plain.md")}
    folders.whole(Path("rent"), load("rent").suite)
    answers = Path("rent/run.jsonl").read_text().replace("Advice of", "J\u00fcrg's advice of")
    return {
        "a list of models": UserFile("m.json", '["J\u00fcrg/x"]\n', "models --models-file m.json --format json"),
        "models": UserFile("m.yaml", "models:\n  - J\u00fcrg/x\n", "models --models-file m.yaml --format json"),
        "a persona": UserFile("p.md", "You are J\u00fcrg.\n\nBe kind.\n", f"{ASK} --variants p.md"),
        "a suite": UserFile("harbour/suite.yaml", words["suite.yaml"] + "# J\u00fcrg\n", ASK),
        "a prompt": UserFile("harbour/prompts/plain.md", words["prompts/plain.md"] + "J\u00fcrg\n", ASK),
        "settings": UserFile(".env", "# J\u00fcrg\nLOG_LEVEL=loud\n", f"{ASK} --log l.jsonl"),
        "scores": UserFile("s.csv", saved([head, *cells]), "import s.csv --db here.db"),
        "ratings": UserFile("r.json", json.dumps(held, ensure_ascii=False, indent=1), "import r.json --db here.db"),
        "a baseline": UserFile("base.json", Path("base.json").read_text(), f"{CHECK} --against base.json --max-drop 9"),
        "a grid": UserFile(
            "grid.jsonl", command.ok("suites", "grid", "rent").out,
            "run --suite rent --grid grid.jsonl -m sim/half --no-judge --runs 1 --db new.db --dry-run",
        ),
        "a run folder": UserFile("rent/run.jsonl", answers, "import rent --db new.db --format json"),
        "merits": UserFile("merits.json", merits, "endpoint --port 0 --merits merits.json"),
    }  # fmt: skip


def outcome(line: str) -> Ended:
    """How a command ends that finds no scores and nothing new."""
    Path("new.db").unlink(missing_ok=True)
    command.ask(Path("here.db"), "DELETE FROM verdicts WHERE judge LIKE 'human:%'")
    return command.run(*line.split())


AS_SAVED: dict[str, Callable[[str], bytes]] = {
    "a mark": lambda text: text.encode("utf-8-sig"),
    "two marks": lambda text: codecs.BOM_UTF8 + text.encode("utf-8-sig"),
    "UTF-16": lambda text: text.encode("utf-16"),
    "UTF-16, the other order": lambda text: codecs.BOM_UTF16_BE + text.encode("utf-16-be"),
    "CR LF": lambda text: text.replace("\n", "\r\n").encode(),
    "CR": lambda text: text.replace("\n", "\r").encode(),
    "blank lines below": lambda text: text.encode() + b"\n \n\n",
}


def test_every_file_is_read_however_it_was_saved(here: Path) -> None:
    found = {}
    for kind, one in kinds().items():
        was = Path(one.name).read_bytes() if Path(one.name).exists() else b""
        Path(one.name).write_text(one.text)
        outcome(one.line)  # a check buys its runs once
        before = outcome(one.line)
        assert (kind, before.code) in (("settings", 2), ("a baseline", 5), ("merits", 2), (kind, 0)), before
        assert "J\u00fcrg" not in before.err or kind in ("scores", "ratings", "merits"), before.err
        for how, save in AS_SAVED.items():
            Path(one.name).write_bytes(save(one.text))
            if (after := outcome(one.line)) != before:
                found[kind, how] = after.err or after.out
        Path(one.name).write_bytes(was)
    assert found == {}


def packed(*names: str) -> bytes:
    """A ZIP archive with files of these names."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name in names:
            archive.writestr(name, "x")
    return out.getvalue()


UNREAD: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "another encoding": (
        lambda text: text + "caf\u00e9 tr\u00e8s\r\n".encode("cp1252"),
        "cannot be read as UTF-8 (byte 0xe",
    ),
    "Windows": (
        lambda text: text + "J\u00fcrg\r\n".encode("cp1252"),
        "as UTF-8 (byte 0xfc); save it as UTF-8",
    ),
    "UTF-16 without a mark": (lambda text: text.decode().encode("utf-16-le"), "; save it as UTF-8"),
    "UTF-32": (lambda text: text.decode().encode("utf-32"), "cannot be read as UTF-8 (byte 0xff); save it as UTF-8"),
    "half of UTF-16": (lambda text: text.decode().encode("utf-16")[:-1], "cannot be read as UTF-16"),
    "a NUL byte": (lambda text: text + b"\0", "a NUL byte, so this is no text; save it as UTF-8"),
    "gzip": (gzip.compress, "this is a gzip archive, not a text; unpack it"),
    "zip": (lambda _: packed("m.yaml"), "this is a ZIP archive, not a text; unpack it and name what was in it"),
    "Excel": (lambda _: packed("[Content_Types].xml", "xl/workbook.xml"), "this is an Excel or LibreOffice workbook"),
    "Word": (lambda _: packed("[Content_Types].xml", "word/document.xml"), "this is a Word or LibreOffice document"),
    "PDF": (lambda _: b"%PDF-1.4\n", "this is a PDF, not a text; name a text file"),
    "a store": (lambda _: Path("here.db").read_bytes(), "this is a SQLite file, such as a store"),
}


def test_what_is_no_text_is_told_in_one_sentence_whatever_it_was_handed_in_as(here: Path) -> None:
    found = {}
    for kind, one in kinds().items():
        was = Path(one.name).read_bytes() if Path(one.name).exists() else b""
        for how, (spoil, says) in UNREAD.items():
            if kind == "a run folder" or (kind, how) == ("a grid", "gzip"):
                continue  # these lines are read one by one, packed or not, and skipped where they cannot be
            Path(one.name).write_bytes(spoil(one.text.encode()))
            ended = outcome(one.line)
            if ended.code != 2 or one.name not in (said := command.one_sentence(ended)) or says not in said:
                found[kind, how] = ended
        Path(one.name).write_bytes(was)
    assert found == {}


def test_what_is_no_file_is_told_at_once(here: Path) -> None:
    """Nobody waits for a pipe, nothing is read without end, and a name with a line break is one sentence."""
    os.mkfifo("pipe.tar")
    for name in ("pipe.npz", "pipe"):
        Path(name).symlink_to("pipe.tar")
    for name in ("big.yaml", "big.jsonl"):
        Path(name).touch()
        os.truncate(name, user_files.LARGEST + 1)
    for name in ("zero.tar", "zero.csv", "zero.json", "zero.jsonl", "zero.npz"):
        Path(name).symlink_to("/dev/zero")
    Path("loop.csv").symlink_to("loop.csv")
    Path("a\nb.yaml").write_bytes(b"\xff")
    Path("labels.xlsx").write_bytes(packed("[Content_Types].xml", "xl/workbook.xml"))
    Path("s.csv").mkdir()
    into = "import --db here.db"
    grid = f"{ASK.replace('harbour', 'rent')} --grid"
    for line, says in {
        f"{into} pipe.tar": "pipe.tar: this is a pipe, not a file", f"{into} pipe": "pipe: this is a pipe, not a file",
        f"{into} zero.tar": "zero.tar: this is a device, not a file", f"{into} zero.csv": "zero.csv: this is a device",
        f"{into} zero.json": "zero.json: this is a device",
        f"{grid} zero.jsonl": "zero.jsonl: this is a device", f"{into} loop.csv": "loop.csv: cannot be read (Too many",
        f"{into} absent.csv": "absent.csv: cannot be read (No such file", f"{into} s.csv": "s.csv: nothing in it that",
        f"{into} labels.xlsx": "this is an Excel or LibreOffice workbook, not a tar archive; save the sheet as CSV",
        f"{grid} big.jsonl": "big.jsonl: line 1 is larger than 64 MB, the most that is read",
        "models --models-file big.yaml": "big.yaml: larger than 64 MB, the most that is read",
        "models --models-file a\nb.yaml": "a\\u000ab.yaml:1: cannot be read as UTF-8 (byte 0xff)",
        "models --models-file .": "directory",
    }.items():  # fmt: skip
        assert says in command.refused(*line.split(" ")), line
    Path(".env").symlink_to("gone")
    assert ".env: cannot be read (No such file or directory)" in command.refused(*ASK.split())


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
