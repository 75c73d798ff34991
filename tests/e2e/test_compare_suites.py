"""A suite and its translation in one store: kept apart everywhere, equated where somebody asks for both."""

from __future__ import annotations

import csv
import io
import json
import shutil
from pathlib import Path

import pytest

import independence
from independence.errors import StoreError, UsageError
from tests.e2e import command, suites
from tests.e2e.command import Ended

SUBJECTS = ("never", "yield-35", "half", "yield-65", "always")
BOTH = "harbour,harbour-sco"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Five simulated subjects, asked in two languages and graded by one judge; and one asked in English alone."""
    place = tmp_path_factory.mktemp("translated")
    suites.write(place / "harbour", suites.harbour())
    suites.write(place / "harbour-sco", suites.harbour_in_scots())
    for name, more in (("harbour", ",sim/yield-80"), ("harbour-sco", "")):
        assert command.run("suites", "lint", str(place / name)).code == 0
        models = ",".join(f"sim/{subject}" for subject in SUBJECTS) + more
        ended = command.run(
            "run", "--runs", "3", "--quiet", "--format", "json", "--db", "here.db", "--suite", name, "-m", models,
            "-j", "sim/judge", "--modes", "user_role,tool_role", cwd=place,
        )  # fmt: skip
        assert ended.code == 0, ended.err
    return place


def ask(folder: Path, *arguments: str, db: str = "here.db") -> Ended:
    return command.run(*arguments, "--db", str(folder / db))


def compared(folder: Path, *more: str) -> Ended:
    return ask(folder, "compare", "--suites", *more)


def test_a_suite_and_its_translation_are_equated_in_every_format(folder: Path):
    ended = compared(folder, BOTH, "--format", "json")
    assert ended.code == 0, ended.err
    assert list(ended.board) == ["suites", "equating", "subjects", "scenarios"]
    own, other = ended.board["suites"]["rows"]
    assert (own["language"], other["language"]) == ("en", "sco")
    assert (own["subjects"], other["subjects"]) == (6, 5)
    assert any("harbour-sco" in note and "a translation of harbour" in note for note in ended.board["suites"]["notes"])
    found = {row["quantity"]: row for row in ended.board["equating"]["rows"]}
    assert list(found) == ["Slope", "Intercept", "Rank correlation", "Mean A − B"]
    assert found["Mean A − B"]["estimate"] == pytest.approx(own["mean"] - other["mean"])
    assert all(low <= row["estimate"] <= high for row in found.values() for low, high in [row["ci"]])
    assert [row["scenario"] for row in ended.board["scenarios"]["rows"]] == ["berth", "bell", "map"]
    blocks = compared(folder, BOTH, "--format", "csv").out.split("\n\n")
    lines = list(csv.DictReader(io.StringIO(blocks[1])))
    assert [float(line["estimate"]) for line in lines] == [row["estimate"] for row in found.values()]
    markdown = compared(folder, BOTH, "--format", "md").out
    table = command.run("compare", "--suites", BOTH, "--db", "here.db", cwd=folder, env={"COLUMNS": "80"}).out
    for text in (table, markdown):
        assert f"{found['Slope']['estimate']:.2f}" in text
        assert "no model was asked" in " ".join(text.split())
    assert max(map(len, table.splitlines())) <= 80


def test_each_subject_is_compared_by_the_index_of_its_boards(folder: Path):
    rows = compared(folder, BOTH, "--format", "json").board["subjects"]["rows"]
    for suite, at in (("harbour", "first"), ("harbour-sco", "second")):
        board = ask(folder, "leaderboard", "--suite", suite, "--format", "json").board
        scored = {f"{row['label']} (simulated)": (row["index"], *row["ci"]) for row in board["rows"]}
        for row in rows:
            assert (row[at], *row[f"{at}_ci"]) == pytest.approx(scored[row["subject"]])
    assert len(rows) == len(SUBJECTS)


def test_the_language_is_on_every_board_that_is_not_english(folder: Path):
    for suite, language in (("harbour", None), ("harbour-sco", "sco")):
        document = ask(folder, "leaderboard", "--suite", suite, "--format", "json").board
        assert document.get("language") == language
        rows = list(csv.DictReader(io.StringIO(ask(folder, "leaderboard", "--suite", suite, "--format", "csv").out)))
        assert {row.get("language") for row in rows} == {language}
        shown = [ask(folder, "leaderboard", "--suite", suite, "--format", form) for form in ("table", "md")]
        shown += [
            ask(folder, "leaderboard", "--suite", suite, "--pooled"),
            ask(folder, "leaderboard", "--suite", suite, "--matrix"),
            ask(folder, "compare", "sim/never", "sim/half", "--suite", suite),
            ask(folder, "generate-report", "--suite", suite, "--output", str(folder / f"{suite}.md")),
        ]
        texts = [" ".join(one.out.split()) for one in shown[:-1]] + [(folder / f"{suite}.md").read_text()]
        assert [one.code for one in shown] == [0] * 6, [one.err for one in shown]
        assert [", language sco," in text for text in texts] == [bool(language)] * 6


def test_nothing_mixes_a_suite_with_its_translation_unless_asked(folder: Path):
    for arguments in (["leaderboard"], ["compare", "sim/never", "sim/half"], ["generate-report"]):
        unclear = ask(folder, *arguments)
        assert unclear.code == 2
        assert "name one with --suite" in command.one_sentence(unclear)
    for more in ([], ["--pooled"]):
        for suite, count in (("harbour", 6), ("harbour-sco", 5)):
            rows = ask(folder, "leaderboard", "--suite", suite, "--format", "json", *more).board["rows"]
            runs = {row["runs"] for row in rows}
            assert (len(rows), runs) == (count, {3})
    refused = ask(folder, "compare", "sim/yield-80", "sim/half", "--suite", "harbour-sco")
    assert refused.code == 2
    command.one_sentence(refused)


def test_too_few_common_subjects_leave_the_differences(folder: Path):
    shutil.copy(folder / "here.db", folder / "few.db")
    with command.opened(folder / "few.db") as store:
        kept = "'sim--never@none-t0.7', 'sim--half@none-t0.7', 'sim--always@none-t0.7'"
        store.execute(f"DELETE FROM planned WHERE suite = 'harbour-sco' AND config_dir NOT IN ({kept})")
    ended = ask(folder, "compare", "--suites", BOTH, "--format", "json", db="few.db")
    assert ended.code == 0, ended.err
    assert [row["quantity"] for row in ended.board["equating"]["rows"]] == ["Mean A − B"]
    assert "no line and no rank correlation with fewer than 4." in ended.board["equating"]["notes"][-1]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--suites", "harbour"], ["two suites are compared, not 1", "--suites sides,sides-es"]),
        (["--suites", f"{BOTH},harbour"], ["two suites are compared, not 3"]),
        (["--suites", "harbour,harbor"], ["no trials of `harbor`", "it holds harbour"]),
        (["--suites", "harbour,harbour"], ["are the same edition, harbour@"]),
        (["--suites", BOTH, "--judge", "cues"], ["cues", "judges: sim/judge"]),
        (["--suites", BOTH, "--variant", "blunt"], ["no trials under blunt"]),
        (["--suites", BOTH, "--suite", "harbour"], ["leave --suite out"]),
        (["--suites", BOTH, "sim/never"], ["leave A out"]),
        (["--suites", BOTH, "--against-mode", "tool_role"], ["leave --against-mode out"]),
        (["--suites", BOTH, "--equivalence", "2"], ["leave --equivalence out"]),
        ([], ["compare what?", "--suites A,B"]),
    ],
)
def test_what_cannot_be_equated_is_one_sentence(folder: Path, arguments: list[str], says: list[str]):
    refused = ask(folder, "compare", *arguments)
    sentence = command.one_sentence(refused)
    assert (refused.code, refused.out) == (2, "")
    assert all(phrase in sentence for phrase in says), sentence


def test_different_judges_and_subjects_are_one_sentence(folder: Path):
    changes = {
        "judges.db": "UPDATE verdicts SET judge = 'acme/judge' WHERE trial IN "
        "(SELECT trial FROM planned WHERE suite = 'harbour-sco')",
        "strangers.db": "DELETE FROM planned WHERE suite = 'harbour' AND config_dir != 'sim--yield-80@none-t0.7'",
    }
    said = {"judges.db": "no judge graded both: harbour@", "strangers.db": "have no subject in common under plain/"}
    for name, change in changes.items():
        shutil.copy(folder / "here.db", folder / name)
        with command.opened(folder / name) as store:
            store.execute(change)
        refused = ask(folder, "compare", "--suites", BOTH, db=name)
        assert (refused.code, refused.out) == (2, "")
        assert said[name] in command.one_sentence(refused)


def test_python_compares_suites_as_the_command_does(folder: Path):
    with independence.Store(folder / "here.db") as store:
        found = independence.compare_suites(store, "harbour", "harbour-sco")
        assert json.loads(found.to_json()) == compared(folder, BOTH, "--format", "json").board
        slope = found.equating.slope
        assert slope is not None
        assert slope.est == json.loads(found.to_json())["equating"]["rows"][0]["estimate"]
        assert next(row["subject"] for row in found.records()) == "sim/never@none-t0.7 (simulated)"
        assert "harbour-sco" in found._repr_html_()
        with pytest.raises(UsageError, match="are the same edition"):
            independence.compare_suites(store, "harbour", "harbour")
        with pytest.raises(StoreError, match="no trials of"):
            independence.compare_suites(store, "harbour", "harbor")
