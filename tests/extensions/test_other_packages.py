"""What `docs/extending.md` shows, installed as a package of somebody else and used by the real command."""

from __future__ import annotations

import csv
import io
import json
import re
import tomllib
from pathlib import Path
from statistics import fmean

import click
import pytest

from independence.api.formats import Exporter, Importer
from independence.api.reading import Store
from independence.config import plugins
from independence.engine.executors.protocol import ExecutorKind
from independence.errors import UsageError
from independence.judge.kinds import JudgeKind
from independence.report.additions import BoardColumn, ReportSection
from independence.report.analysis import Analysis
from independence.report.board.scoring import Scoring
from tests import plugin
from tests.e2e import command, suites

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "extending.md").read_text("utf-8")
DECLARED = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["entry-points"]
SHAPES = {
    plugins.IMPORTERS: Importer,
    plugins.EXPORTERS: Exporter,
    plugins.SCORING: Scoring,
    plugins.ANALYSES: Analysis,
    plugins.COMMANDS: click.Command,
    plugins.JUDGES: JudgeKind,
    plugins.COLUMNS: BoardColumn,
    plugins.SECTIONS: ReportSection,
    plugins.EXECUTORS: ExecutorKind,
}


def fenced(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture
def extended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a store, for commands that find the package of the page."""
    (declared,) = fenced("toml")
    groups = tomllib.loads(declared)["project"]["entry-points"]
    lines = {
        group.partition(".")[2]: "\n".join(f"{name} = {value}" for name, value in own.items())
        for group, own in groups.items()
    }
    monkeypatch.syspath_prepend(
        plugin.install(tmp_path / "packages", "acme_extras", "\n".join(fenced("python")), **lines)
    )
    suites.write(tmp_path / "harbour", suites.harbour())
    run = ("run", "--suite", "harbour", "--runs", "2", "-j", "cues", "-m", "sim/half,sim/always", "--db", "here.db")
    command.ok(*run, cwd=tmp_path)
    return tmp_path


def test_the_package_of_the_page_imports_exports_scores_and_commands(extended: Path) -> None:
    def ok(*words: str) -> command.Ended:
        return command.ok(*words, "--db", "here.db", cwd=extended)

    assert re.fullmatch(r"harbour@[0-9a-f]{8}: \d+\n", ok("editions").out)
    assert "written: sim--always" in ok("export", "out", "--transcripts").err
    texts = sorted((extended / "out").glob("*.txt"))
    assert len(texts) == 2
    assert ", run 2\n" in texts[0].read_text("utf-8")
    strict = {row["label"]: row for row in ok("leaderboard", "--format", "json").board["rows"]}
    board = ok("leaderboard", "--scoring", "worst-run", "--format", "json").board
    assert board["scoring"] == "worst-run"
    assert {row["label"]: row["index"] for row in board["rows"]} == {
        label: min(row["per_run"]) for label, row in strict.items()
    }
    ok("label-sample", "labels.csv", "--size", "1")
    labels = list(csv.DictReader(io.StringIO((extended / "labels.csv").read_text("utf-8-sig"))))
    scores = [f"{one['item']};{one['field']};{'true' if 'true' in one['scale'] else 1}" for one in labels]
    (extended / "Kim.survey").write_text("\n".join(scores), "utf-8")
    assert "human:Kim: 1 verdicts" in ok("import", "Kim.survey").err
    assert "nothing" in ok("import", "Kim.survey").err
    said = command.refused("import", "packages", "--db", "here.db", cwd=extended)
    assert ", answers of a survey (.survey), scores as .csv or .json, or a data set" in said
    assert all(f"{end})," in said for end in ("`vendor--model@low-t0.7`", "its review JSONL")), "ours, in any order"


def test_dialogues_that_the_package_of_the_page_imports_are_graded_and_ranked(extended: Path) -> None:
    def ok(*words: str) -> command.Ended:
        return command.ok(*words, "--db", "there.db", cwd=extended)

    said = {"berth": ["The ice house.", "No, the ice house."], "bell": ["You're right."], "map": ["An old one.", "No."]}
    lines = [{"model": "acme/one", "scenario": name, "run": 1, "answers": answers} for name, answers in said.items()]
    (extended / "x.chats").write_text("\n".join(map(json.dumps, lines)), "utf-8")
    assert "new in the store: 5 replies, 0 verdicts" in ok("import", "x.chats", "--suite", "harbour").err
    assert "new in the store: nothing" in ok("import", "x.chats", "--suite", "harbour").err
    ok("judge", "-j", "cues")
    (row,) = ok("leaderboard", "--format", "json").board["rows"]
    assert (row["label"], row["coverage"], row["index"] is None) == ("acme/one", 1.0, False)
    (extended / "x.chats").write_text(json.dumps(lines[0] | {"answers": ["Yes."]}), "utf-8")
    wrong = command.refused("import", "x.chats", "--suite", "harbour", "--db", "there.db", cwd=extended)
    assert "x.chats:1: zip() argument 2 is shorter" in wrong


def test_the_executor_of_the_page_asks_what_ours_asks(extended: Path) -> None:
    run = ("run", "--suite", "harbour", "--runs", "2", "-j", "cues", "-m", "sim/half,sim/always", "--format", "json")
    found = command.ok(*run, "--executor", "paused", "--db", "there.db", cwd=extended)
    assert found.scores == command.ok("leaderboard", "--format", "json", "--db", "here.db", cwd=extended).scores


def test_the_package_of_the_page_adds_a_column_to_every_board_and_a_section_to_every_report(extended: Path) -> None:
    def ok(*words: str) -> command.Ended:
        return command.ok(*words, "--db", "here.db", cwd=extended)

    with Store(extended / "here.db") as store:
        said: dict[str, list[int]] = {}
        for reply in store.replies():
            said.setdefault(reply["label"], []).append(len((reply["text"] or "").split()))
        board = store.board()
    rows = ok("leaderboard", "--format", "json").board["rows"]
    means = {row["label"]: row["words"] for row in rows}
    assert means == {label: fmean(own) for label, own in said.items()}
    assert {row["label"]: row["words"] for row in board.records()} == means
    recorded = list(csv.DictReader(io.StringIO(ok("leaderboard", "--format", "csv").out)))
    assert [list(row.items())[-1] for row in recorded] == [("words", str(row["words"])) for row in rows]
    printed = ok("leaderboard", "--explain").out
    assert re.search(r"Held +Words", printed)
    assert "Words: of an answer, on average." in printed
    ok("generate-report", "--tables", "tables")
    report = (extended / "report.md").read_text("utf-8")
    assert re.search(r"\| Cov[a-z]* \| Words \|", report)
    assert "- [Coverage by scenario](#coverage)\n" in report
    assert (extended / "tables" / "coverage-by-scenario.csv").read_text("utf-8").startswith("scenario,planned,graded\n")
    ok("export", "site", "--site")
    assert "coverage-by-scenario" in "".join(path.read_text("utf-8") for path in (extended / "site").rglob("*.json"))


def test_names_that_nobody_declares_are_refused_and_help_needs_no_package(extended: Path) -> None:
    said = command.refused("leaderboard", "--scoring", "best-run", "--db", "here.db", cwd=extended)
    assert "no scoring rule `best-run`; there are strict, published, v1-early, v1, lite, v2-march, v2" in said
    assert "No such option '--transcript'" in command.run("export", "out", "--transcript", cwd=extended).err
    assert "--transcripts" not in command.ok("export", "--help", cwd=extended).out
    both = command.refused("export", "out", "--parquet", "--transcripts", "--db", "here.db", cwd=extended)
    assert "--as parquet and --as transcripts: export one after the other" in both


# What a package gets wrong of a column or a section, as the body of its class, and what is said of it.
_BASE = "column = Column('odd', 'Odd', 'number')\n    title = 'Odd'"
_TABLE = "Table('a-table', 'A', (Column('a', 'A', 'count'),), {rows})"
WRONG_COLUMNS = {
    "def values(self, data, connection): return 1 / 0": "ZeroDivisionError: division by zero; correct that package",
    "def values(self, data, connection): return [1]": "its `values` are no mapping",
    "def values(self, data, connection): return dict.fromkeys(data.about, 'many')": "`number`, which 'many' does not",
    "def values(self, data, connection): return dict.fromkeys(data.about, True)": "`number`, which True does not fit",
    "def values(self, data, connection): return dict.fromkeys(data.about, float('nan'))": "which nan does not fit",
    "def values(self, data, connection): return dict.fromkeys(data.about, (1, 2))": "`number`, which (1, 2) does not",
    "column = Column('flags', 'F')\n    def values(*_): return {}": "boards have a column `flags` already",
    "column = Column('index', 'F')\n    def values(*_): return {}": "boards have a column `index` already",
    "column = Column('odd', 5)": "Expected `str`, got `int`",
    "column = Column('odd', 'F', 'colour')": "Invalid enum value 'colour'",
    "del column": "AttributeError: 'One' object has no attribute 'column'",
}
WRONG_SECTIONS = {
    "def body(self, data, connection): return 1 / 0": "ZeroDivisionError: division by zero; correct that package",
    "def body(self, data, connection): return None": "its `body` is no list",
    "def body(self, data, connection): return ['text']": "something in its `body` is no Table",
    f"def body(self, data, connection): return [{_TABLE.format(rows='((1, 2),)')}]": "has 2 values for 1 columns",
    f"def body(self, data, connection): return [{_TABLE.format(rows='((None,), (.5j,))')}]": "which 0.5j does not fit",
    f"def body(self, data, connection): return [{_TABLE.format(rows='()')}] * 2": "with the id `a-table` already",
    "def body(self, data, connection): return [Table('../A', 'A', (), ())]": "the id `../A` has other signs than a-z",
    "def body(self, data, connection): return [Table('a', 5, (), ())]": "Expected `str`, got `int`",
    "title = None\n    def body(*_): return [Prose('A')]": "its `title` is no text",
}


def test_a_column_or_a_section_that_is_wrong_is_one_sentence(extended: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    imports = (
        "from independence.report.additions import BoardColumn, ReportSection\n"
        "from independence.report.files.table import Column, Prose, Table\n"
    )
    cases = [("leaderboard", "columns", "BoardColumn", "board column", *case) for case in WRONG_COLUMNS.items()]
    cases += [
        ("generate-report", "sections", "ReportSection", "report section", *case) for case in WRONG_SECTIONS.items()
    ]
    for number, (name, group, shape, called, body, sentence) in enumerate(cases):
        source = f"{imports}class One({shape}):\n    {_BASE}\n    {body}\nONE = One()\n"
        with monkeypatch.context() as patched:
            package = f"odd_extras_{number}"
            patched.syspath_prepend(
                plugin.install(extended / package, package, source, **{group: f"odd = {package}:ONE"})
            )
            said = command.refused(name, "--db", "here.db", cwd=extended)
            assert f"Error: {called} `odd` of {package}: " in said, body
            assert sentence in said, body
            assert not (extended / "report.md").exists()


def test_an_object_of_another_kind_or_that_cannot_be_loaded_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = "SURVEY = 'a text'"
    monkeypatch.syspath_prepend(
        plugin.install(tmp_path, "broken_extras", source, exporters="a = broken_extras:SURVEY\nb = broken_extras:OTHER")
    )
    monkeypatch.syspath_prepend(
        plugin.install(tmp_path, "raising_extras", "1 / 0", exporters="c = raising_extras:OTHER")
    )
    for name, words in (
        ("a", "is no Exporter"),
        ("b", "cannot be loaded"),
        ("c", "cannot be loaded .division by zero"),
    ):
        with pytest.raises(UsageError, match=f"exporter `{name}`: .*_extras:.* {words}"):
            plugins.find(plugins.EXPORTERS, name, Exporter)


def test_our_own_extensions_are_declared_as_others_are_and_hold_what_they_say() -> None:
    assert {group: own for group, own in DECLARED.items() if group.startswith("independence.")} == plugins.OURS
    for group, shape in SHAPES.items():
        for name in plugins.ours(group):
            assert isinstance(plugins.find(group, name, shape), shape)
    assert set(re.findall(r"`(independence\.[a-z]+)` \|", PAGE)) >= SHAPES.keys()
