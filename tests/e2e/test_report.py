from __future__ import annotations

import csv
import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path
from xml.etree import ElementTree

import pytest

from independence.judge import name_extraction
from independence.judge import names as judging
from independence.store import names, scopes
from independence.store.names import NamesRow
from independence.types import TakenName
from tests.e2e import command


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "store.db"
    for judge in ("cues", "sim/judge"):
        done = command.run(
            "run", "--db", str(path), "-m", "sim/half,sim/never,sim/always", "--runs", "3", "-j", judge, "--quiet"
        )
        assert done.code == 0, done.err
    other = ("--modes", "user_role", "-m", "sim/half,sim/never,sim/always", "--runs", "2", "-j", "cues", "--quiet")
    assert command.run("run", "--db", str(path), *other).code == 0
    _read_names(path)
    return path


def _read_names(path: Path) -> None:
    """Names, as if a model had read them."""
    with closing(sqlite3.connect(path)) as connection, connection:
        scope = scopes.find(connection, None, None, "tool_role")
        asked = judging.scenarios(scope.suite)
        for (config_dir, run), answers in names.first_answers(connection, scope.where, asked).items():
            source = name_extraction.source("acme/reader", [(one.scenario, one.digest) for one in answers])
            row = NamesRow(scope.where, config_dir, run, "acme/reader", source, names=(TakenName("Rook", asked),))
            names.add(connection, row)


def test_the_html_report_is_one_file_that_asks_nobody_for_anything(store: Path, tmp_path: Path) -> None:
    done = command.run("generate-report", "--db", str(store), "--html", "-o", str(tmp_path / "r.html"), "-j", "cues")
    assert done.code == 0, done.err
    page = (tmp_path / "r.html").read_text()
    assert [path.name for path in tmp_path.iterdir()] == ["r.html"]
    for section in ("board", "runs", "scenarios", "measurement", "conditions", "judges", "names", "health", "subjects"):
        assert f'id="{section}"' in page, section
    assert not re.findall(r'(?:src|href)="(?!#|data:)[^"]*"', page)
    assert "known behaviour" in page
    assert page.count("<svg") == 3
    figures = ["board-forest", "board-forest-narrow", "scenario-heatmap"]
    assert re.findall(r'<svg [^>]*?id="plot-([^"]+)"', page) == figures


def test_the_markdown_report_has_its_figures_beside_it(store: Path, tmp_path: Path) -> None:
    done = command.run("generate-report", "--db", str(store), "-o", str(tmp_path / "out" / "r.md"), "-j", "cues")
    assert done.code == 0, done.err
    text = (tmp_path / "out" / "r.md").read_text()
    figures = re.findall(r"!\[.*?\]\((.+?)\)", text)
    assert [Path(figure).stem for figure in figures] == ["board-forest", "scenario-heatmap"]
    for figure in figures:
        ElementTree.parse(tmp_path / "out" / figure)
    assert "(simulated)" in text


def test_every_table_comes_as_csv_and_json(store: Path, tmp_path: Path) -> None:
    tables = tmp_path / "tables"
    command.run(
        "generate-report", "--db", str(store), "-o", str(tmp_path / "r.md"), "--tables", str(tables), "-j", "cues"
    )
    (tables / "export.json").unlink()  # what was written, not a table
    names = {path.stem for path in tables.iterdir()}
    assert {path.suffix for path in tables.iterdir()} == {".csv", ".json"}
    assert {"board", "runs", "items", "difficulty", "variance-components", "purchase", "costs", "run-health"} <= names
    for name in names:
        (document,) = json.loads((tables / f"{name}.json").read_text()).values()
        rows = list(csv.DictReader((tables / f"{name}.csv").open()))
        assert len(rows) == len(document["rows"]), name


def test_the_same_store_gives_the_same_report(store: Path, tmp_path: Path) -> None:
    for name in ("a", "b"):
        command.run("generate-report", "--db", str(store), "-o", str(tmp_path / name / "r.md"), "-j", "cues")
    first, second = ({p.relative_to(tmp_path / n): p.read_bytes() for p in (tmp_path / n).rglob("*.*")} for n in "ab")
    assert list(first.values()) == list(second.values())


def test_only_the_named_subjects_are_in_it(store: Path, tmp_path: Path) -> None:
    done = command.run(
        "generate-report", "--db", str(store), "-o", str(tmp_path / "r.md"), "-j", "cues", "-m", "sim/half"
    )
    assert done.code == 0, done.err
    text = (tmp_path / "r.md").read_text()
    assert "sim/half" in text
    assert "sim/always@" not in text.split("## Prompt and delivery")[0]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["-m", "sim/haf@none-t0.7"], "did you mean `sim/half@none-t0.7`"),
        (["-j", "nobody"], "no verdicts by judge `nobody`"),
        (["-o", "."], "cannot be written|is a directory"),
        (["--suite", "v1"], "holds no trials of `v1`"),
    ],
)
def test_what_cannot_be_reported_is_one_sentence(store: Path, tmp_path: Path, arguments: list[str], told: str) -> None:
    output = [] if "-o" in arguments else ["-o", str(tmp_path / "r.md")]
    done = command.run("generate-report", "--db", str(store), *output, *arguments)
    assert done.code == 2
    assert re.search(told, done.err)


def test_the_matrix_is_printed_on_request_and_absent_cells_are_absent(store: Path) -> None:
    done = command.run("leaderboard", "--db", str(store), "-j", "cues", "--matrix", "--format", "json")
    cells = json.loads(done.out)["configurations"]["rows"]
    assert len(cells) == 4
    assert sum(row["index"] is None for row in cells) == 2


def test_a_report_under_a_published_rule_ranks_who_is_incomplete_and_says_what_stays_strict(tmp_path: Path) -> None:
    db, text = tmp_path / "store.db", tmp_path / "r.md"
    assert (
        command.run("run", "--db", str(db), "-m", "sim/half,sim/never", "--runs", "2", "-j", "cues", "--quiet").code
        == 0
    )
    with command.opened(db) as connection:
        connection.execute("DELETE FROM verdicts WHERE trial = (SELECT trial FROM planned WHERE scenario = 'rs01')")
    for rule, ranked in (("strict", 1), ("published", 2)):
        done = command.run(
            "generate-report", "--db", str(db), "-o", str(text), "--scoring", rule, "--tables", str(tmp_path)
        )
        assert done.code == 0, done.err
        assert len(json.loads((tmp_path / "board.json").read_text())["board"]["rows"]) == ranked
        assert f"Scoring: {rule}" in text.read_text()
        assert ("This section uses strict scoring" in text.read_text()) is (rule == "published")
    refused = command.run("generate-report", "--db", str(db), "-o", str(text), "--scoring", "nonsense")
    assert (refused.code, "no scoring rule `nonsense`" in refused.err) == (2, True)
