"""Two judges on the replies of one run: what the command says of them, in every format."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from tests.e2e import command
from tests.e2e.command import Ended

RUN = ("run", "--suite", "v2", "-m", "sim/never,sim/half", "--runs", "2", "--quiet", "--format", "json")
TABLES = [
    "judge-boards", "judge-agreement-dimensions", "judge-agreement", "judge-pairs", "self-preference", "judge-costs",
    "judge-disagreements", "judge-disagreement-texts",
]  # fmt: skip
NEVER = "sim/never@none-t0.7 (simulated)"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a store, `here.db`, in which two judges graded everything, and `one.db`, in which one did."""
    path = tmp_path_factory.mktemp("judges")
    command.ok(*RUN, "-j", "cues", "-j", "sim/judge", "--db", "here.db", cwd=path)
    (path / "one.db").write_bytes((path / "here.db").read_bytes())
    with command.opened(path / "one.db") as connection:
        connection.execute("DELETE FROM verdicts WHERE judge = 'sim/judge'")
    return path


def validate(folder: Path, *arguments: str) -> Ended:
    return command.ok("validate-judges", "--db", "here.db", *arguments, cwd=folder)


def test_json_holds_every_table_and_all_that_was_said(folder: Path) -> None:
    tables = validate(folder, "--format", "json", "--worst", "3").board
    assert list(tables) == TABLES
    firm, soft = tables["judge-boards"]["rows"]
    assert (firm["subject"], firm["rank:cues"], firm["rank:sim/judge"]) == (NEVER, 1, 1)
    assert firm["index:cues"] > soft["index:cues"] + 20
    agreed = {row["measure"]: row for row in tables["judge-agreement"]["rows"]}
    assert agreed["consistency_score"]["alpha"] > 0.7
    assert agreed["consistency_score"]["dialogues"] == 20
    costs = {row["judge"]: row for row in tables["judge-costs"]["rows"]}
    assert (costs["cues"]["verdicts"], costs["sim/judge"]["missing"]) == (60, 0)
    assert [row["number"] for row in tables["judge-disagreements"]["rows"]] == [1, 2, 3]
    words = tables["judge-disagreement-texts"]["rows"]
    assert {row["who"] for row in words} >= {"cues", "sim/judge"}
    assert all(row["text"] for row in words)
    # All subjects are simulated, and so is one judge: its family is everybody, and there is no difference to tell.
    preference = {row["judge"]: row for row in tables["self-preference"]["rows"]}
    assert (preference["sim/judge"]["own"], preference["sim/judge"]["difference"]) == (2, None)


def test_every_other_format_shows_the_same_tables_and_judges_and_subjects_can_be_chosen(folder: Path) -> None:
    table = validate(folder).out
    for title in ("Boards by judge", "Agreement by field", "Self-preference", "Largest disagreements: the words"):
        assert title in table
    head = next(csv.reader(validate(folder, "--format", "csv").out.splitlines()))
    assert head == ["subject", "index:cues", "index:sim/judge", "spread", "mean", "rank:cues", "rank:sim/judge"]
    markdown = validate(folder, "--format", "md").out
    assert markdown.count("\n## ") + 1 == len(TABLES)
    assert f"| {NEVER} |" in markdown
    tables = validate(folder, "-j", "sim/judge,cues", "-m", "sim/half", "--format", "json").board
    assert [row["judge"] for row in tables["judge-costs"]["rows"]] == ["sim/judge", "cues"]
    assert len(tables["judge-boards"]["rows"]) == 1


def test_what_is_not_there_is_told_in_one_sentence_with_the_way_to_it(folder: Path) -> None:
    for db, line, *says in (
        ("here.db", "-j cues", "only `cues` was named; judges: cues, sim/judge"),
        ("here.db", "-j cues,nobody", "no verdicts by judge `nobody` here; judges: cues, sim/judge"),
        ("here.db", "-m sim/nobody", "no subject `sim/nobody` here"),
        ("one.db", "", "only verdicts by `cues`", "independence judge -j MODEL --db one.db` grades"),
    ):
        ended = command.run("validate-judges", "--db", db, *line.split(), cwd=folder)
        sentence = command.one_sentence(ended)
        assert (ended.code, [phrase for phrase in says if phrase not in sentence]) == (2, []), sentence
