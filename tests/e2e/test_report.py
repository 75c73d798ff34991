"""The report as a command: its sections, charts and tables, and what it is about."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import pytest

from independence.judge import name_extraction
from independence.judge import names as judging
from independence.store import names, scopes
from independence.store.names import NamesRow
from independence.types import TakenName
from tests.e2e import command

SUBJECTS = ("-m", "sim/half,sim/never,sim/always")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three subjects by two judges under the usual delivery, and by one under another."""
    path = tmp_path_factory.mktemp("report") / "store.db"
    for more in (
        ("--runs", "3", "-j", "cues", "-j", "sim/judge"),
        ("--runs", "2", "-j", "cues", "--modes", "user_role"),
    ):
        command.ok("run", *SUBJECTS, *more, "--quiet", "--format", "json", "--db", path)
    with command.opened(path) as connection:  # names, as if a model had read them
        scope = scopes.find(connection, None, None, "tool_role")
        asked = judging.scenarios(scope.suite)
        for (config_dir, run), answers in names.first_answers(connection, scope.where, asked).items():
            source = name_extraction.source("acme/reader", [(one.scenario, one.digest) for one in answers])
            taken = (TakenName("Rook", asked),)
            names.add(connection, NamesRow(scope.where, config_dir, run, "acme/reader", source, names=taken))
    return path


def report(store: Path, output: Path, *more: str | Path) -> str:
    command.ok("generate-report", "--db", store, "-j", "cues", "-o", output, *more)
    return output.read_text()


def test_the_html_report_is_one_file_that_asks_nobody_for_anything(store: Path, tmp_path: Path) -> None:
    page = report(store, tmp_path / "r.html", "--html")
    assert [path.name for path in tmp_path.iterdir()] == ["r.html"]
    assert not re.findall(r'(?:src|href)="(?!#|data:)[^"]*"', re.sub("<script.*?</script>", "", page, flags=re.DOTALL))
    assert "known behaviour" in page  # for readers without JavaScript; what is embedded is read in tests/viewer


def test_the_markdown_report_has_charts_and_tables_beside_it_and_is_the_same_every_time(
    store: Path, tmp_path: Path
) -> None:
    for name in "ab":
        text = report(store, tmp_path / name / "r.md", "--tables", tmp_path / name / "tables")
    first, second = ({p.relative_to(tmp_path / n): p.read_bytes() for p in (tmp_path / n).rglob("*.*")} for n in "ab")
    assert first == second
    drawn = re.findall(r"^\*\*([^\n]+)\*\*\n\n```text\n(.*?)\n```$", text, re.MULTILINE | re.DOTALL)
    assert [title for title, _ in drawn] == ["The board", "Subjects by scenario"]
    assert max(len(line) for _, lines in drawn for line in lines.splitlines()) <= 100
    assert "(simulated)" in text
    tables = tmp_path / "a" / "tables"
    (tables / "export.json").unlink()  # what was written, not a table
    written = {path.stem for path in tables.iterdir()}
    assert {path.suffix for path in tables.iterdir()} == {".csv", ".json"}
    assert {"board", "runs", "difficulty", "costs", "run-health"} <= written
    for name in written:
        with (tables / f"{name}.csv").open() as lines:
            assert len(list(csv.DictReader(lines))) == len(rows(tables / f"{name}.json")), name


def rows(file: Path) -> list[dict[str, Any]]:
    (document,) = json.loads(file.read_text()).values()
    return document["rows"]


def test_only_the_named_subjects_are_in_it_and_what_cannot_be_reported_is_one_sentence(
    store: Path, tmp_path: Path
) -> None:
    text = report(store, tmp_path / "r.md", "-m", "sim/half")
    assert "sim/half" in text
    assert "sim/always@" not in text.split("## Prompt and delivery")[0]
    for line, told in (
        ("-m sim/haf@none-t0.7", "did you mean `sim/half@none-t0.7`"),
        ("-j nobody", "no verdicts by judge `nobody`"),
        ("-o .", "cannot be written|is a directory"),
        ("--suite v1", "holds no trials of `v1`"),
        ("--scoring nonsense", "no scoring rule `nonsense`"),
    ):
        done = command.run("generate-report", "--db", store, "-o", tmp_path / "s.md", *line.split())
        assert (done.code, re.search(told, done.err) is None) == (2, False), done.err


def test_a_report_under_a_published_rule_ranks_who_is_incomplete_and_says_what_stays_strict(tmp_path: Path) -> None:
    db = tmp_path / "store.db"
    run = ("run", "--db", db, "-m", "sim/half,sim/never", "--runs", "2", "-j", "cues", "--quiet")
    command.ok(*run)
    with command.opened(db) as connection:
        connection.execute("DELETE FROM verdicts WHERE trial = (SELECT trial FROM planned WHERE scenario = 'rs01')")
    for rule, known in (("strict", 1), ("published", 2)):
        text = report(db, tmp_path / "r.md", "--scoring", rule, "--tables", tmp_path)
        shown = [row["index"] for row in rows(tmp_path / "board.json")]
        assert (len(shown), sum(isinstance(index, float) for index in shown)) == (2, known)
        assert f"Scoring: {rule}" in text
        assert ("This section uses strict scoring" in text) is (rule == "published")
