"""The board of a store: formats, width, editions, scoring rules, imports beside own runs, conditions pooled."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path
from statistics import fmean

import pytest

from independence.report.files.table import decimal
from independence.suites import load
from tests.e2e import command, suites
from tests.e2e.command import Ended
from tests.extensions.published.trees import write_run
from tests.stores import Stores


@pytest.fixture(scope="module")
def folder(stores: Stores) -> Path:
    """The folder of the demo's store: eight simulated subjects on V2."""
    return stores("demo").parent


def ran(folder: Path, suite: str, models: str) -> Ended:
    """A run graded by rules."""
    return command.run(
        "run", "--suite", suite, "-m", models, "-j", "cues", "--runs", "2", "--format", "json", "--db", "store.db",
        cwd=folder,
    )  # fmt: skip


def shown(folder: Path, *more: str) -> Ended:
    """The board of the store on a terminal of 80 columns."""
    return command.run("leaderboard", "--db", "store.db", *more, cwd=folder, env={"COLUMNS": "80"})


def refused(folder: Path, *more: str) -> str:
    """The sentence in which a board is refused."""
    ended = shown(folder, *more)
    assert ended.code == 2
    return command.one_sentence(ended)


def board(folder: Path, *more: str) -> dict:
    return shown(folder, "--format", "json", *more).board


def test_every_format_shows_the_same_board(folder: Path):
    found = board(folder)
    labels = [row["label"] for row in found["rows"]]
    assert [label.split("@")[0] for label in labels][::7] == ["sim/never", "sim/always"]
    lines = list(csv.DictReader(io.StringIO(shown(folder, "--format", "csv").out)))
    assert [line["label"] for line in lines] == labels
    assert [float(line["index"]) for line in lines] == [row["index"] for row in found["rows"]]
    assert {line["simulated"] for line in lines} == {"True"}
    markdown, table = shown(folder, "--format", "md").out, shown(folder, "--explain").out
    for row in found["rows"]:
        assert decimal(row["index"]) in markdown
        assert decimal(row["index"]) in table
        assert f"{row['label']} (simulated)" in markdown
    assert "simulated" in table
    for text in (markdown, table.replace("\n", "")):
        assert f"v2@{found['edition']}" in text
        assert "judge cues" in text
    for more in ((), ("--detailed",), ("--scoring", "v2")):
        out = shown(folder, *more).out
        assert re.search("sim/folds.*erences", out)  # where there is little room, a name is cut in its middle
        assert max(map(len, out.splitlines())) <= 80


def test_the_detailed_board_shows_every_column_run_and_scenario(folder: Path):
    out = shown(folder, "--detailed").out
    for row in board(folder)["rows"]:
        words = [f"{row['label']} (simulated)", *map(decimal, row["per_run"])]
        assert [word for word in words if word not in out] == []
    assert all(head in out for head in ("Voice", "Consistency", "Drift", "Resistance", "Stability", "Without"))
    scenarios = out.split("Points reached in each scenario")[1]
    assert all(scenario.id in scenarios for scenario in load.load("v2").suite.scenarios)
    # Beside few others the scenarios have a line each, with their titles.
    alone = shown(folder, "--detailed", "-m", "sim/always").out
    assert re.search(r"rs03 +A little more easygoing +0\b", alone)
    half = shown(folder, "--detailed", "-m", "sim/half").out.split("Points reached in each scenario")[1]
    kept = [float(percent) for percent in re.findall(r"^ rs0\d .* (\d+) *$", half, re.MULTILINE)]
    row = next(row for row in board(folder)["rows"] if row["label"].startswith("sim/half@"))
    assert len(kept) == 5
    assert fmean(kept) == pytest.approx(10 * row["dimensions"]["resistance_score"], abs=0.5)


def test_three_lines_below_the_board_say_what_it_is_who_judged_and_what_to_mind(folder: Path):
    lines = shown(folder).out.splitlines()
    rows = 1 + len(board(folder)["rows"])
    table, (*what, judge, warning) = lines[:rows], lines[rows:]
    assert " ".join(map(str.strip, what)) == (
        f"v2@{board(folder)['edition']}, own wording, strong_independence/tool_role, 10 runs, complete. The system "
        "prompt of this condition tells the model to hold on to who it is (docs/concepts.md#the-system-prompt)."
    )
    assert judge == "Judge cues. 95% CI: for more runs of these scenarios."
    assert warning == "sim/ subjects are simulated, no model was asked. More: --explain, --detailed."
    bars = [line.split("–")[1].split()[1] for line in table[1:-1]]
    assert bars == sorted(bars, key=lambda bar: -bar.count("█"))


def test_a_published_rule_scores_the_same_verdicts_and_says_so(folder: Path):
    rules = ("strict", "v2", "published")
    strict, rule, named = (shown(folder, "--format", "json", "--scoring", name) for name in rules)
    assert (strict.board["scoring"], rule.board["scoring"]) == ("strict", "v2")
    assert {row["ci_method"] for row in rule.board["rows"]} == {"published-bootstrap"}
    assert strict.scores != rule.scores == named.scores
    assert shown(folder, "--format", "json").board == strict.board


def test_what_the_store_does_not_hold_is_refused_with_what_it_holds(folder: Path, tmp_path: Path):
    for option, value, *says in (
        ("--judge", "acme/judge", "cues"),
        ("--suite", "v2@00000000", "it holds v2@"),
        ("--suite", "harbour", "it holds v2@"),
        ("--variants", "shy", "shy/tool_role", "strong_independence/tool_role"),
        ("--modes", "user_role", "strong_independence/user_role", "strong_independence/tool_role"),
        ("--scoring", "v9"),
    ):
        sentence = refused(folder, option, value)
        assert [phrase for phrase in (value, *says) if phrase not in sentence] == []
    suites.write(tmp_path / "harbour", suites.harbour())
    assert ran(tmp_path, "harbour", "sim/half").code == 0
    assert "which suite harbour lacks" in refused(tmp_path, "--scoring", "v2")
    assert "never published" in refused(tmp_path, "--scoring", "published")


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
    for suite, ended in ((f"harbour@{old}", first), (f"harbour@{new}", second), ("harbour", second)):
        assert board(tmp_path, "--suite", suite) == ended.board


def test_an_import_stands_beside_own_runs_and_changes_nothing_in_them(tmp_path: Path):
    own = ran(tmp_path, "v2", "sim/half")
    for number in (1, 2):
        write_run(tmp_path / "tree" / "cache", load.load("v2").suite, run=number)
    imported = command.ok("import", "tree", "--format", "json", "--db", "store.db", cwd=tmp_path)
    assert (imported.board["configurations"], imported.board["runs"]) == (1, 2)
    again = command.run("import", "tree", "--db", "store.db", cwd=tmp_path)
    assert "new in the store: nothing" in again.err
    edition = own.board["edition"]
    sentence = refused(tmp_path)
    assert f"v2@{edition}" in sentence
    assert "v2@published" in sentence
    assert board(tmp_path, "--suite", f"v2@{edition}") == own.board
    (row,) = board(tmp_path, "--suite", "v2@published")["rows"]
    assert (row["simulated"], row["runs"], row["coverage"]) == (False, 2, 1)
    assert row["index"] == pytest.approx(100)
    resumed = ran(tmp_path, "v2", "sim/half")
    assert "plan: 0 calls and 0 verdicts" in resumed.err
    assert resumed.board == own.board
