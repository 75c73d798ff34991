"""The board of a store: formats, width, editions, scoring rules, imports beside own runs."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path

import pytest

from independence.report.table import decimal
from independence.suites import load
from tests.e2e import command, suites
from tests.e2e.command import Ended
from tests.exchange.trees import write_run

RUNS = 2


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Three simulated subjects on V2 in `here.db`."""
    place = tmp_path_factory.mktemp("v2")
    ended = ran(place, "v2", "sim/never,sim/half,sim/folds-on-preferences")
    assert ended.code == 0, ended.err
    return place


def ran(folder: Path, suite: str, models: str) -> Ended:
    """A run graded by rules."""
    return command.run(
        "run", "--suite", suite, "-m", models, "-j", "cues", "--runs", str(RUNS), "--format", "json",
        "--db", "here.db", cwd=folder,
    )  # fmt: skip


def shown(folder: Path, *more: str) -> Ended:
    """The board of `here.db` on a terminal of 80 columns."""
    return command.run("leaderboard", "--db", "here.db", *more, cwd=folder, env={"COLUMNS": "80"})


def test_every_format_shows_the_same_board(folder: Path):
    board = shown(folder, "--format", "json").board
    labels = [row["label"] for row in board["rows"]]
    assert [label.split("@")[0] for label in labels] == ["sim/never", "sim/half", "sim/folds-on-preferences"]
    lines = list(csv.DictReader(io.StringIO(shown(folder, "--format", "csv").out)))
    assert [line["label"] for line in lines] == labels
    assert [float(line["index"]) for line in lines] == [row["index"] for row in board["rows"]]
    assert {line["simulated"] for line in lines} == {"True"}
    markdown = shown(folder, "--format", "md").out
    table = shown(folder).out
    for row in board["rows"]:
        assert decimal(row["index"]) in markdown
        assert decimal(row["index"]) in table
        assert f"{row['label']} (simulated)" in markdown
    assert "simulated" in table
    for text in (markdown, table.replace("\n", "")):
        assert f"v2@{board['edition']}" in text
        assert "judge cues" in text


@pytest.mark.parametrize("more", [(), ("--detailed",), ("--scoring", "v2")], ids=["compact", "detailed", "published"])
def test_no_line_is_wider_than_80_columns(folder: Path, more: tuple[str, ...]):
    out = shown(folder, *more).out
    assert "sim/folds-on-preferences" in out
    assert max(map(len, out.splitlines())) <= 80


def test_the_detailed_board_shows_dimensions_runs_and_scenarios(folder: Path):
    board = shown(folder, "--format", "json").board
    out = shown(folder, "--detailed").out
    for row in board["rows"]:
        assert f"{row['label']} (simulated)" in out
        for name in row["dimensions"]:
            assert name in out
        for index in row["per_run"]:
            assert decimal(index) in out
    for scenario in load.load("v2").suite.scenarios:
        assert out.count(f"  {scenario.id} ") == 3


def test_a_published_rule_scores_the_same_verdicts_and_says_so(folder: Path):
    strict, rule = shown(folder, "--format", "json"), shown(folder, "--format", "json", "--scoring", "v2")
    assert rule.code == 0
    assert (strict.board["scoring"], rule.board["scoring"]) == ("strict", "v2")
    assert {row["ci_method"] for row in rule.board["rows"]} == {"published-bootstrap"}
    assert strict.scores != rule.scores
    named = shown(folder, "--format", "json", "--scoring", "published")
    assert named.scores == rule.scores
    unknown = shown(folder, "--scoring", "v9")
    assert unknown.code == 2
    assert "v9" in command.one_sentence(unknown)


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (["--judge", "acme/judge"], ["acme/judge", "cues"]),
        (["--suite", "v2@00000000"], ["v2@00000000", "it holds v2@"]),
        (["--suite", "harbour"], ["harbour", "it holds v2@"]),
        (["--variants", "shy"], ["shy/tool_role", "strong_independence/tool_role"]),
        (["--modes", "user_role"], ["strong_independence/user_role", "strong_independence/tool_role"]),
    ],
    ids=["judge", "edition", "suite", "variant", "mode"],
)
def test_what_the_store_does_not_hold_is_refused_with_what_it_holds(folder: Path, more: list[str], says: list[str]):
    refused = shown(folder, *more)
    sentence = command.one_sentence(refused)
    assert refused.code == 2
    assert all(phrase in sentence for phrase in says)


def test_a_suite_is_scored_by_a_published_rule_only_where_it_has_its_fields(tmp_path: Path):
    suites.write(tmp_path / "harbour", suites.harbour())
    assert ran(tmp_path, "harbour", "sim/half").code == 0
    lacking = shown(tmp_path, "--scoring", "v2")
    assert lacking.code == 2
    assert "which suite harbour lacks" in command.one_sentence(lacking)
    never = shown(tmp_path, "--scoring", "published")
    assert never.code == 2
    assert "never published" in command.one_sentence(never)


def test_editions_of_a_suite_never_mix(tmp_path: Path):
    suites.write(tmp_path / "harbour", suites.harbour())
    first = ran(tmp_path, "harbour", "sim/half,sim/never")
    document = suites.harbour()
    document["scenarios"][0]["turns"][1]["human"] += " I mean it."
    suites.write(tmp_path / "harbour", document)
    second = ran(tmp_path, "harbour", "sim/half")
    assert (first.code, second.code) == (0, 0)
    assert "turns (2)" in second.err  # which field made the stored trials differ, and in how many
    old, new = first.board["edition"], second.board["edition"]
    assert old != new
    newest = shown(tmp_path, "--format", "json")
    assert newest.board == second.board
    assert f"harbour@{new} is the edition used last; --suite takes another: harbour@{old}" in newest.err
    assert shown(tmp_path, "--format", "json", "--suite", f"harbour@{old}").board == first.board
    assert shown(tmp_path, "--format", "json", "--suite", f"harbour@{new}").board == second.board
    assert shown(tmp_path, "--format", "json", "--suite", "harbour").board == second.board


def test_an_import_stands_beside_own_runs_and_changes_nothing_in_them(tmp_path: Path):
    own = ran(tmp_path, "v2", "sim/half")
    suite = load.load("v2").suite
    for number in (1, 2):
        write_run(tmp_path / "tree" / "cache", suite, run=number)
    imported = command.run("import", "tree", "--format", "json", "--db", "here.db", cwd=tmp_path)
    assert imported.code == 0, imported.err
    assert (imported.board["configurations"], imported.board["runs"]) == (1, 2)
    again = command.run("import", "tree", "--db", "here.db", cwd=tmp_path)
    assert "new in the store: nothing" in again.err

    edition = own.board["edition"]
    unclear = shown(tmp_path)
    sentence = command.one_sentence(unclear)
    assert unclear.code == 2
    assert f"v2@{edition}" in sentence
    assert "v2@published" in sentence
    assert shown(tmp_path, "--format", "json", "--suite", f"v2@{edition}").board == own.board
    published = shown(tmp_path, "--format", "json", "--suite", "v2@published").board
    (row,) = published["rows"]
    assert (row["simulated"], row["runs"], row["coverage"]) == (False, 2, 1)
    assert row["index"] == pytest.approx(100)
    resumed = ran(tmp_path, "v2", "sim/half")
    assert "plan: 0 calls and 0 verdicts" in resumed.err
    assert resumed.board == own.board
