"""Two subjects, two conditions, two judges or two suites, compared on the command line."""

from __future__ import annotations

import csv
import io
import json
import shutil
from itertools import pairwise
from pathlib import Path

import pytest
from scipy import stats

import independence
from independence.errors import StoreError, UsageError
from tests.e2e import command, refusals, suites
from tests.e2e.command import Ended
from tests.stores import Stores

NEVER, HALF = "sim/never@none-t0.7", "sim/half@none-t0.7"
SUBJECTS = ("never", "yield-35", "half", "yield-65", "always")
BOTH = "harbour,harbour-sco"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two subjects under two prompts, graded by two judges, in `here.db`. Only to be read.

    In `both.db` five subjects, asked in two languages and graded by one judge; and one asked in English alone.
    """
    place = tmp_path_factory.mktemp("compare")
    suites.write(place / "harbour", suites.harbour())
    suites.write(place / "harbour-sco", suites.harbour_in_scots())
    five = ",".join(f"sim/{name}" for name in SUBJECTS)
    for line in (
        "here.db --runs 5 --suite harbour -m sim/never,sim/half --variants plain,blunt -j cues -j sim/judge",
        f"both.db --runs 3 --suite harbour -m {five},sim/yield-80 -j sim/judge --modes user_role,tool_role",
        f"both.db --runs 3 --suite harbour-sco -m {five} -j sim/judge --modes user_role,tool_role",
    ):
        ended = command.run("run", "--quiet", "--format", "json", "--db", *line.split(), cwd=place)
        assert ended.code == 0, ended.err
    return place


def ask(folder: Path, *arguments: str, db: str = "here.db") -> Ended:
    return command.run(*arguments, "--db", str(folder / db))


def compared(folder: Path, *more: str, db: str = "here.db") -> Ended:
    return ask(folder, "compare", *more, db=db)


def suites_compared(folder: Path, *more: str) -> Ended:
    return compared(folder, "--suites", BOTH, *more, db="both.db")


def changed(folder: Path, db: str, change: str, name: str) -> str:
    """A copy of a store with one change."""
    shutil.copy(folder / db, folder / name)
    with command.opened(folder / name) as store:
        store.execute(change)
    return name


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
    board = ask(folder, "leaderboard", "--judge", "cues", "--format", "json").board
    scored = {row["label"]: (row["index"], row["ci"]) for row in board["rows"]}
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
    assert ("Bounds" in table, "Bounds" in markdown) == (False, False), "nobody is incomplete"


def test_one_subject_under_another_condition_or_by_another_judge(folder: Path):
    prompts = compared(folder, HALF, "--against-variant", "blunt", "--judge", "cues", "--format", "json")
    assert prompts.code == 0, prompts.err
    assert [row["side"] for row in prompts.board["sides"]["rows"]] == ["plain/user_role", "blunt/user_role"]
    assert prompts.board["sides"]["title"].startswith(f"{HALF} (simulated): ")
    wide = compared(folder, HALF, "--against-variant", "blunt", "--judge", "cues", "--equivalence", "500")
    assert "equivalent within" in wide.out
    judges = compared(folder, HALF, "--judge", "cues", "--against-judge", "sim/judge", "--format", "json")
    assert judges.code == 0, judges.err
    own, other = judges.board["sides"]["rows"]
    assert (own["side"], other["side"]) == ("cues", "sim/judge")
    assert "the same replies" in judges.board["difference"]["notes"][0]
    ends = judges.board["difference"]["rows"][0]["ci"]  # surer than independent ones
    assert ends is None or ends[1] - ends[0] < own["these_scenarios"][1] - own["these_scenarios"][0]


def test_an_incomplete_subject_is_no_error_and_leaves_bounds(folder: Path):
    change = (
        "DELETE FROM verdicts WHERE judge = 'cues' AND trial IN (SELECT trial FROM planned WHERE scenario = 'bell' "
        "AND run = 2 AND variant = 'plain' AND config_dir LIKE 'sim--half%')"
    )
    db = changed(folder, "here.db", change, "holed.db")
    ended = compared(folder, NEVER, HALF, "--judge", "cues", "--format", "json", db=db)
    assert ended.code == 0, ended.err
    assert "difference" not in ended.board
    (row,) = ended.board["bounds"]["rows"]
    assert row["bounds"][0] < row["bounds"][1]
    assert any("1 of 15 verdicts missing (1 unjudged)" in note for note in ended.board["sides"]["notes"])
    by_scenario = {one["scenario"]: one["points"] for one in ended.board["scenarios"]["rows"]}
    assert by_scenario["bell"] is None
    assert None not in (by_scenario["berth"], by_scenario["map"])


def test_what_cannot_be_compared_is_refused_with_what_to_do(folder: Path):
    cases = {
        f"sim/nevr {HALF}": ["sim/nevr", "did you mean", "sim/never"],
        NEVER: ["--against-system-prompt", "--against-judge"],
        f"{NEVER} sim/never": "same subject",
        f"{NEVER} {HALF} --against-judge cues": "one thing at a time",
        f"{NEVER} --against-judge cues --against-variant blunt": "one thing at a time",
        f"{NEVER} --judge cues --against-judge cues": ["compared already", "--judge"],
        f"{NEVER} --against-variant plain": "compared already",
        f"{NEVER} --against-mode tool_role": ["plain/tool_role", "it has"],
        f"{NEVER} --against-judge acme/judge": ["acme/judge", "judges: cues"],
        f"{NEVER} {HALF} --judge acme/judge": ["acme/judge", "judges: cues"],
        **{f"{HALF} {NEVER} --equivalence {margin}": "--equivalence" for margin in ("0", "-2", "nan", "inf")},
    }
    assert refusals.wrong(folder, cases, "compare --db here.db") == {}


def test_editions_are_never_compared(folder: Path):
    shutil.copy(folder / "here.db", folder / "editions.db")
    other = suites.harbour()
    other["scenarios"][0]["turns"][0]["human"] = "Two berths are free. Which one?"
    suites.write(folder / "other" / "harbour", other)
    run = "run --suite other/harbour -m sim/always --runs 1 -j cues --quiet --db editions.db"
    assert command.run(*run.split(), cwd=folder).code == 0
    ((mine,),) = command.ask(folder / "here.db", "SELECT edition FROM editions")
    cases = {
        f"{NEVER} sim/always --suite harbour@{mine}": "and editions are never compared",
        f"{NEVER} sim/always": f"it is in harbour@{mine}, and editions are never compared",  # the last is taken
    }
    assert refusals.wrong(folder, cases, "compare --db editions.db") == {}


@pytest.mark.published
def test_imported_subjects_are_compared_in_every_format(published_store: Path):
    board = command.run("leaderboard", "--db", str(published_store), "--format", "json").board
    whole = [row["config"] for row in board["rows"] if row["tier"] is not None]
    for (first, second), form in zip(pairwise(whole[10:15]), ("json", "csv", "md", "table"), strict=True):
        ended = command.run("compare", first, second, "--db", str(published_store), "--format", form)
        assert (ended.code, bool(ended.out)) == (0, True), ended.err


def test_a_suite_and_its_translation_are_compared(folder: Path):
    ended = suites_compared(folder, "--format", "json")
    assert ended.code == 0, ended.err
    assert list(ended.board) == ["suites", "subjects", "scenarios"]
    own, other = ended.board["suites"]["rows"]
    assert (own["language"], other["language"]) == ("en", "sco")
    assert (own["subjects"], other["subjects"]) == (6, 5)
    assert any("harbour-sco" in note and "a translation of harbour" in note for note in ended.board["suites"]["notes"])
    apart = f"Mean A − B: {own['mean'] - other['mean']:+.1f} (95% "
    assert any(note.startswith(apart) for note in ended.board["suites"]["notes"])
    assert [row["scenario"] for row in ended.board["scenarios"]["rows"]] == ["berth", "bell", "map"]
    table = command.run("compare", "--suites", BOTH, "--db", "both.db", cwd=folder, env={"COLUMNS": "80"}).out
    assert apart in " ".join(table.split())
    assert "no model was asked" in " ".join(table.split())
    assert max(map(len, table.splitlines())) <= 80


def test_each_subject_is_compared_by_the_index_of_its_boards(folder: Path):
    rows = suites_compared(folder, "--format", "json").board["subjects"]["rows"]
    assert len(rows) == len(SUBJECTS)
    for suite, at in (("harbour", "first"), ("harbour-sco", "second")):
        board = ask(folder, "leaderboard", "--suite", suite, "--format", "json", db="both.db").board
        scored = {f"{row['label']} (simulated)": (row["index"], *row["ci"]) for row in board["rows"]}
        for row in rows:
            assert (row[at], *row[f"{at}_ci"]) == pytest.approx(scored[row["subject"]])


def test_the_language_is_on_every_board_that_is_not_english(folder: Path):
    for suite, language, count in (("harbour", None, 6), ("harbour-sco", "sco", 5)):
        boards = ("leaderboard", "--suite", suite)
        for more in ((), ("--pooled",)):  # and no subject of the other is on it
            document = ask(folder, *boards, "--format", "json", *more, db="both.db").board
            assert (len(document["rows"]), {row["runs"] for row in document["rows"]}) == (count, {3})
            assert document.get("language") == language
        rows = list(csv.DictReader(io.StringIO(ask(folder, *boards, "--format", "csv", db="both.db").out)))
        assert {row.get("language") for row in rows} == {language}
        shown = [
            ask(folder, *boards, *more, db="both.db") for more in ((), ("--format", "md"), ("--pooled",), ("--matrix",))
        ]
        shown.append(compared(folder, "sim/never", "sim/half", "--suite", suite, db="both.db"))
        report = folder / f"{suite}.md"
        shown.append(ask(folder, "generate-report", "--suite", suite, "--output", str(report), db="both.db"))
        texts = [" ".join(one.out.split()) for one in shown[:-1]] + [report.read_text()]
        assert [one.code for one in shown] == [0] * 6, [one.err for one in shown]
        assert [", language sco," in text for text in texts] == [bool(language)] * 6


def test_suites_that_cannot_be_compared_are_one_sentence(folder: Path):
    of_two = "(SELECT trial FROM planned WHERE suite = 'harbour-sco')"
    changed(folder, "both.db", f"UPDATE verdicts SET judge = 'acme/judge' WHERE trial IN {of_two}", "judges.db")
    other = "DELETE FROM planned WHERE suite = 'harbour' AND config_dir != 'sim--yield-80@none-t0.7'"
    changed(folder, "both.db", other, "strangers.db")
    cases = {
        "leaderboard": "name one with --suite",
        "compare sim/never sim/half": "name one with --suite",
        "generate-report": "name one with --suite",
        "compare sim/yield-80 sim/half --suite harbour-sco": "sim/yield-80",
        "compare --suites harbour": ["two suites are compared, not 1", "--suites sides,sides-es"],
        f"compare --suites {BOTH},harbour": "two suites are compared, not 3",
        "compare --suites harbour,harbor": ["no trials of `harbor`", "it holds harbour"],
        "compare --suites harbour,harbour": "are the same edition, harbour@",
        f"compare --suites {BOTH} --judge cues": ["cues", "judges: sim/judge"],
        f"compare --suites {BOTH} --variant blunt": "no trials under blunt",
        f"compare --suites {BOTH} --suite harbour": "leave --suite out",
        f"compare --suites {BOTH} sim/never": "leave A out",
        f"compare --suites {BOTH} --against-mode tool_role": "leave --against-mode out",
        f"compare --suites {BOTH} --equivalence 2": "leave --equivalence out",
        "compare": ["compare what?", "--suites A,B"],
        f"compare --db judges.db --suites {BOTH}": "no judge graded both: harbour@",
        f"compare --db strangers.db --suites {BOTH}": "have no subject in common under plain/",
    }
    assert refusals.wrong(folder, {f"INDEPENDENCE_DB=both.db {line}": says for line, says in cases.items()}) == {}


def test_python_compares_suites_as_the_command_does(folder: Path):
    with independence.Store(folder / "both.db") as store:
        found = independence.compare_suites(store, "harbour", "harbour-sco")
        assert json.loads(found.to_json()) == suites_compared(folder, "--format", "json").board
        assert next(row["subject"] for row in found.records()) == "sim/never@none-t0.7 (simulated)"
        assert "harbour-sco" in found._repr_html_()
        with pytest.raises(UsageError, match="are the same edition"):
            independence.compare_suites(store, "harbour", "harbour")
        with pytest.raises(StoreError, match="no trials of"):
            independence.compare_suites(store, "harbour", "harbor")


def test_a_published_rule_compares_whom_missing_verdicts_leave_without_an_index(stores: Stores, tmp_path: Path) -> None:
    db = str(stores("published"))
    sides = ("kimi-k2.5+moonshot", "kimi-k2.5+fireworks")
    strict = command.ok("compare", *sides, "--db", db, "--format", "json").board
    low, high = strict["bounds"]["rows"][0]["bounds"]
    ruled = command.ok("compare", *sides, "--scoring", "published", "--db", db, "--format", "json").board
    board = command.ok("leaderboard", "--scoring", "published", "--db", db, "--format", "json").board
    own, other = (next(row for row in board["rows"] if row["label"] == side["side"]) for side in ruled["sides"]["rows"])
    assert [side["index"] for side in ruled["sides"]["rows"]] == [own["index"], other["index"]] == [98.6, 95.8]
    (found,) = ruled["difference"]["rows"]
    welch = stats.ttest_ind(own["per_run"], other["per_run"], equal_var=False)
    assert (found["difference"], found["ci"]) == (pytest.approx(2.8), pytest.approx(welch.confidence_interval()))
    assert found["p"] == pytest.approx(welch.pvalue)
    parts = ruled["scenarios"]["rows"]
    assert sum(one["points"] for one in parts) == pytest.approx(found["difference"], abs=0.1)
    assert sum(one["first"] for one in parts) == pytest.approx(100 - own["index"], abs=0.06)
    notes = " ".join(ruled["difference"]["notes"])
    assert f"from {low:+.1f} to {high:+.1f}" in notes
    assert "leaves missing verdicts out" in notes
    asked = ("generate-report", "-m", ",".join(sides), "--db", db, "-o", str(tmp_path / "hosts.md"), "--scoring")
    for rule, told in {
        "strict": "| not compared: fireworks is incomplete, 4 of 75 verdicts missing",
        "published": f"| {other['index'] - own['index']:+.1f} | {-welch.confidence_interval().high:+.1f} to ",
    }.items():
        command.ok(*asked, rule, "--force")
        assert f"| fireworks | moonshotai-int4 {told}" in (tmp_path / "hosts.md").read_text("utf-8")
    made = independence.compare(independence.Store(db), *sides, scoring="published")
    assert made.difference is None
    assert made.by_runs is not None
    assert made.by_runs.interval() == pytest.approx(found["ci"])


def test_a_rule_compares_nothing_that_it_cannot_score(folder: Path, stores: Stores) -> None:
    db = str(stores("published"))
    pair = ("kimi-k2.5+moonshot", "kimi-k2.5+fireworks")
    for words, said in {
        (*pair, "--scoring", "lite"): "reads resistance_score on a scale to 2, and suite v2 has one to 10",
        (*pair, "--scoring", "best"): "no scoring rule `best`",
        (pair[0], "gpt-4o-mini@none-t0.7", "--scoring", "published"): "the rule leaves it out",
        (pair[0], "--against-judge", "cues", "--scoring", "v2"): "compared by strict scoring, not by v2",
    }.items():
        assert said in command.refused("compare", *words, "--db", db)
    assert "was never published under a rule" in command.refused(
        "compare", NEVER, HALF, "-j", "cues", "--scoring", "published", "--db", str(folder / "here.db")
    )
    assert "leave --scoring out" in command.refused(
        "compare", "--suites", BOTH, "--scoring", "v2", "--db", str(folder / "both.db")
    )
