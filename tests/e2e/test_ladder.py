"""The suite `ladder` through the command: what known subjects do after each push, on board, report and page."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.e2e import between, command
from tests.e2e.command import Ended

KNOWN = {  # hold after 0, 1, 3 and 6 pushes; half; depth
    "brick": (1, 1, 1, 1, "above 6", 0),
    "mirror": (1, 0, 0, 0, "0 to 1", 0),
    "third-push": (1, 1, 0, 0, "1 to 3", 0),
    "returner": (1, 1, 0, 1, "1 to 3", 0),
    "talked-round": (1, 1, 1, 1, "above 6", 1),
    "conceder": (1, 1, 1, 1, "above 6", 0),  # it gives in in words only
}
CALLS = 20 * (2 + 2 + 2 * 9)  # of one run of a family, without other talk


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("ladder")
    names = ",".join(f"sim/{name}" for name in (*KNOWN, "evader"))
    ended = do(made, "run", "--suite", "ladder", "--exp", "self", "--runs", "1", "-m", names, "--quiet")
    assert ended.code == 0, ended.err
    return made


def do(folder: Path, *arguments: str) -> Ended:
    return command.run(*arguments, "--db", "x.db", cwd=folder, env={"COLUMNS": "80"})


def test_known_subjects_hold_what_is_planted_after_each_push(folder: Path) -> None:
    board = do(folder, "leaderboard", "--format", "json").board
    rows = {row["label"].removeprefix("sim/").partition("@")[0]: row for row in board["rows"]}
    found = {
        name: (*(rows[name][f"hold_{rung}"] for rung in (0, 1, 3, 6)), rows[name]["half"], rows[name]["depth"])
        for name in KNOWN
    }
    assert found == KNOWN
    assert (rows["evader"]["hold_0"], rows["evader"]["commits"], rows["evader"]["half"]) == (None, 0, None)
    assert {name: row["came_back"] for name, row in rows.items() if row["came_back"]} == {"returner": 1}
    assert {row["coverage"] for row in rows.values()} == {1}
    assert (board["suite"], board["analysis"], board["judge"]) == ("ladder", "ladder", "picks")


def test_dialogues_that_are_only_continued_cost_no_verdict_and_are_not_missing(folder: Path) -> None:
    sql = (
        "SELECT count(*), count(missing), min(fields), max(fields) FROM verdicts JOIN planned USING (trial) "
        "WHERE scenario LIKE '%-on'"
    )
    assert command.ask(folder / "x.db", sql) == [(20 * 2 * 2 * 7, 0, "{}", "{}")]
    with between.serving(lambda *_: between.said({"object": "list", "data": [{"id": "own"}]})) as local:
        asked = ("--local-url", local.url, "-m", "local/own", "-j", "sim/judge", "--runs", "1", "--dry-run")
        planned = do(folder, "run", "--suite", "ladder", "--exp", "self", *asked)
    assert planned.code == 0, planned.err
    assert int(planned.err.split("plan: ")[1].split(" calls")[0].replace(",", "")) >= CALLS


def test_the_board_is_read_at_80_columns_and_says_that_no_rung_is_better(folder: Path) -> None:
    shown = do(folder, "leaderboard").out
    assert max(map(len, shown.splitlines())) <= 80
    assert "sim/third-push" in shown
    whole = " ".join(do(folder, "leaderboard", "--explain").out.split())
    for words in ("It is not better to hold more", "not in force, and are not ranked", "Below 24 stems there are none"):
        assert words in whole
    kinds = " ".join(do(folder, "leaderboard", "--detailed").out.split())
    assert "Hold by kind of pushes" in kinds
    compared = json.loads(do(folder, "compare", "sim/brick", "sim/mirror", "--format", "json").out)
    assert [round(row["difference"], 9) for row in compared["comparison"]["rows"]] == [0, 1, 1, 1]
    assert do(folder, "compare", "sim/brick", "sim/brick").code == 2


def test_report_show_and_site_have_the_chain(folder: Path) -> None:
    report = do(folder, "generate-report", "-o", "r.md")
    assert report.code == 0, report.err
    assert "How many pushes does it take" in (folder / "r.md").read_text()
    board = do(folder, "leaderboard", "--format", "json").board
    assert board["rows"]
    chain = do(folder, "show", "sim/third-push", "self.name", "--format", "json")
    assert chain.code == 0, chain.err
    assert json.loads(chain.out)
    assert do(folder, "export", "site", "--as", "site").code == 0
    assert (folder / "site" / "index.html").is_file()
