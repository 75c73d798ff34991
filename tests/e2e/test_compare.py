"""Two subjects, two conditions or two judges, compared on the command line."""

from __future__ import annotations

import csv
import io
import shutil
from itertools import pairwise
from pathlib import Path

import pytest

from independence.suites import load
from tests.e2e import command, suites
from tests.e2e.command import Ended
from tests.exchange.trees import write_run

RUN = ("run", "--runs", "5", "--quiet", "--format", "json", "--db", "here.db")
PLANNED = "variant, mode, scenario, run, experiment, trial, planned_at"
NEVER, HALF = "sim/never@none-t0.7", "sim/half@none-t0.7"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two simulated subjects under two prompts, graded by two judges, in `here.db`."""
    place = tmp_path_factory.mktemp("compare")
    suites.write(place / "harbour", suites.harbour())
    ended = command.run(
        *RUN, "--suite", "harbour", "-m", "sim/never,sim/half", "--variants", "plain,blunt", "-j", "cues",
        "-j", "sim/judge", cwd=place,
    )  # fmt: skip
    assert ended.code == 0, ended.err
    return place


def compared(folder: Path, *more: str, db: str = "here.db") -> Ended:
    return command.run("compare", "--db", str(folder / db), *more)


def test_two_subjects_by_label_id_or_directory(folder: Path):
    by_label = compared(folder, NEVER, HALF, "--judge", "cues", "--format", "json")
    assert by_label.code == 0, by_label.err
    by_id = compared(folder, "sim/never", "sim--half@none-t0.7", "--judge", "cues", "--format", "json")
    assert by_id.board == by_label.board
    own, other = by_label.board["sides"]["rows"]
    these, like_these = by_label.board["difference"]["rows"]
    assert own["side"] == f"{NEVER} (simulated)"
    assert these["difference"] == pytest.approx(own["index"] - other["index"])
    assert these["outcome"] == "A is higher"
    assert these["p"] <= like_these["p"]
    assert [row["scenario"] for row in by_label.board["scenarios"]["rows"]] == ["berth", "bell", "map"]
    board = command.run("leaderboard", "--db", str(folder / "here.db"), "--judge", "cues", "--format", "json")
    scored = {row["label"]: (row["index"], row["ci"]) for row in board.board["rows"]}
    assert {NEVER: (own["index"], own["these_scenarios"]), HALF: (other["index"], other["these_scenarios"])} == scored


def test_every_format_says_the_same(folder: Path):
    asked = (NEVER, HALF, "--judge", "cues")
    exact = compared(folder, *asked, "--format", "json").board["difference"]["rows"][0]
    blocks = compared(folder, *asked, "--format", "csv").out.split("\n\n")
    line = next(iter(csv.DictReader(io.StringIO(blocks[1]))))
    assert float(line["difference"]) == exact["difference"]
    assert [float(line["ci_low"]), float(line["ci_high"])] == exact["ci"]
    markdown = compared(folder, *asked, "--format", "md").out
    table = command.run("compare", "--db", "here.db", *asked, cwd=folder, env={"COLUMNS": "80"}).out
    for text in (table, markdown):
        assert f"{exact['difference']:+.1f}" in text
        assert "A is higher" in text
    assert max(map(len, table.splitlines())) <= 80
    assert ("Bounds" in table, "Bounds" in markdown) == (False, True), "nobody is incomplete"


def test_one_subject_under_another_condition(folder: Path):
    ended = compared(folder, HALF, "--against-variant", "blunt", "--judge", "cues", "--format", "json")
    assert ended.code == 0, ended.err
    assert [row["side"] for row in ended.board["sides"]["rows"]] == ["plain/user_role", "blunt/user_role"]
    assert ended.board["sides"]["title"].startswith(f"{HALF} (simulated): ")


def test_two_judges_on_the_same_replies_are_surer_than_independent_ones(folder: Path):
    ended = compared(folder, HALF, "--judge", "cues", "--against-judge", "sim/judge", "--format", "json")
    assert ended.code == 0, ended.err
    own, other = ended.board["sides"]["rows"]
    assert (own["side"], other["side"]) == ("cues", "sim/judge")
    assert "the same replies" in ended.board["difference"]["notes"][0]
    ends = ended.board["difference"]["rows"][0]["ci"]
    assert ends is None or ends[1] - ends[0] < own["these_scenarios"][1] - own["these_scenarios"][0]


def test_the_margin_of_equivalence_is_the_askers(folder: Path):
    wide = compared(folder, HALF, "--against-variant", "blunt", "--judge", "cues", "--equivalence", "500")
    assert "equivalent within" in wide.out
    for margin in ("0", "-2", "nan", "inf"):
        refused = compared(folder, HALF, NEVER, "--equivalence", margin)
        assert refused.code == 2
        assert "--equivalence" in command.one_sentence(refused)


def test_an_incomplete_subject_is_no_error_and_leaves_bounds(folder: Path):
    shutil.copy(folder / "here.db", folder / "holed.db")
    with command.opened(folder / "holed.db") as store:
        store.execute(
            "DELETE FROM verdicts WHERE judge = 'cues' AND trial IN (SELECT trial FROM planned WHERE scenario = 'bell' "
            "AND run = 2 AND variant = 'plain' AND config_dir LIKE 'sim--half%')"
        )
    ended = compared(folder, NEVER, HALF, "--judge", "cues", "--format", "json", db="holed.db")
    assert ended.code == 0, ended.err
    assert "difference" not in ended.board
    (row,) = ended.board["bounds"]["rows"]
    assert row["bounds"][0] < row["bounds"][1]
    assert any("1 of 15 verdicts missing (1 unjudged)" in note for note in ended.board["sides"]["notes"])
    by_scenario = {one["scenario"]: one["points"] for one in ended.board["scenarios"]["rows"]}
    assert by_scenario["bell"] is None
    assert None not in (by_scenario["berth"], by_scenario["map"])


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["sim/nevr", HALF], ["sim/nevr", "did you mean", "sim/never"]),
        ([NEVER], ["--against-system-prompt", "--against-judge"]),
        ([NEVER, "sim/never"], ["same subject"]),
        ([NEVER, HALF, "--against-judge", "cues"], ["one thing at a time"]),
        ([NEVER, "--against-judge", "cues", "--against-variant", "blunt"], ["one thing at a time"]),
        ([NEVER, "--judge", "cues", "--against-judge", "cues"], ["compared already", "--judge"]),
        ([NEVER, "--against-variant", "plain"], ["compared already"]),
        ([NEVER, "--against-mode", "tool_role"], ["plain/tool_role", "it has"]),
        ([NEVER, "--against-judge", "acme/judge"], ["acme/judge", "judges: cues"]),
        ([NEVER, HALF, "--judge", "acme/judge"], ["acme/judge", "judges: cues"]),
    ],
)
def test_what_cannot_be_compared_is_refused_with_what_to_do(folder: Path, arguments: list[str], says: list[str]):
    refused = compared(folder, *arguments)
    sentence = command.one_sentence(refused)
    assert (refused.code, refused.out) == (2, "")
    assert all(phrase in sentence for phrase in says), sentence


def test_editions_are_never_compared(folder: Path):
    config = "acme--small-1@low-t0.7"
    write_run(folder / "tree" / "cache", load.load("v2").suite, config=config)
    assert command.run("import", str(folder / "tree"), "--db", str(folder / "editions.db")).code == 0
    with command.opened(folder / "editions.db") as store:
        store.execute(
            "INSERT INTO editions (suite, edition, document, used_at) "
            "SELECT suite, '0badc0de', document, used_at FROM editions"
        )
        for table, columns in (("subjects", "label, model_id, simulated, config"), ("planned", PLANNED)):
            store.execute(
                f"INSERT INTO {table} (suite, edition, config_dir, {columns}) SELECT suite, '0badc0de', "
                f"'other--one@low-t0.7', {columns} FROM {table}"
            )
        store.execute("UPDATE subjects SET label = 'one', model_id = 'other/one' WHERE edition = '0badc0de'")
    refused = compared(folder, config, "one", "--suite", "v2@published", db="editions.db")
    assert refused.code == 2
    assert "it is in v2@0badc0de, and editions are never compared" in command.one_sentence(refused)
    unclear = compared(folder, config, "one", db="editions.db")
    assert unclear.code == 2
    assert "name one with --suite" in command.one_sentence(unclear)


@pytest.mark.published
@pytest.mark.parametrize("format_", ["json", "csv", "md", "table"])
def test_imported_subjects_are_compared_in_every_format(published_store: Path, format_: str):
    board = command.run("leaderboard", "--db", str(published_store), "--format", "json").board
    whole = [row["config"] for row in board["rows"] if row["rank"] is not None]
    for first, second in pairwise(whole[10:14]):
        ended = command.run("compare", first, second, "--db", str(published_store), "--format", format_)
        assert ended.code == 0, ended.err
        assert ended.out
