"""A suite in the words of a published repository: adopted, run, and compared with the results that came with it."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.e2e import command
from tests.e2e.command import Ended
from tests.extensions.published.adoption import invented

RUN = ("run", "--suite", "./adopted-v2", "-m", "sim/half")


def said(*arguments: str, code: int = 0) -> Ended:
    """What a command says, which ends with that code."""
    done = command.run(*arguments)
    assert done.code == code, done.err
    return done


def verified(results: str = "independence.db") -> Ended:
    return said("suites", "adopt", "adopted-v2", "--verify", results)


def import_otherwise() -> Ended:
    """Import the results once more, in other words."""
    (file,) = Path("cache").rglob("run_2/resistance/*/*/rs01.json")
    file.write_text(file.read_text("utf-8").replace("Say five.", "Say four."), "utf-8")
    return said("import", "cache", "--suite", "./adopted-v2")


def counts(done: Ended) -> dict[str, int]:
    """The rows of the table that --verify prints."""
    found = (re.fullmatch(r" (\w.*?)  +(\d+) *", line) for line in done.out.splitlines())
    return {match[1]: int(match[2]) for match in found if match}


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return invented.write(tmp_path / "clone")


def test_a_suite_is_adopted_linted_and_run_by_simulated_subjects(clone: Path) -> None:
    done = said("suites", "adopt", "clone")
    first, second = done.out.splitlines()
    assert first.startswith("./adopted-v2: v2@")
    assert first.endswith("in the published words of `main`, 7 scenarios, 14 calls a run")
    assert "run --suite ./adopted-v2 -m vendor/model" in second
    assert done.err == "judge prompts as published, not hardened; the published board was judged by acme/judge\n"
    said("suites", "lint", "adopted-v2")
    board = said(*RUN, "-j", "cues", "--runs", "1")
    assert "as published, not hardened." not in board.out
    with closing(sqlite3.connect("independence.db")) as store, store:
        store.execute("UPDATE verdicts SET judge = 'acme/judge'")
        command.meant(store)
    assert "Judge acme/judge, prompt as published, not hardened." in said("leaderboard").out
    said("suites", "adopt", "clone", "--to", "words/v2")
    assert (clone.parent / "words" / "v2" / "suite.yaml").is_file()


def test_a_simulated_judge_is_refused_before_anything_is_asked(clone: Path) -> None:
    said("suites", "adopt", "clone")
    (line,) = said(*RUN, "-j", "sim/judge", code=2).err.splitlines()
    assert "judge `sim/judge` reads prompts of this package alone, and suite v2 has published ones" in line
    assert not Path("independence.db").exists()


@pytest.fixture
def imported(clone: Path) -> Path:
    """A store with a run in the words of the clone, and the same run as somebody else published it."""
    said("suites", "adopt", "clone")
    said(*RUN, "-j", "cues", "--runs", "2")
    said("export", "cache", "--published")
    said("import", "cache", "--suite", "./adopted-v2")
    return clone


def test_an_import_in_the_same_words_shares_a_board_once_it_was_compared(imported: Path) -> None:
    two = said("leaderboard", code=2).err
    assert "the store holds several suite editions" in two
    ends = {"cache": "nothing is recorded, as this is no store", "independence.db": "recorded in the store"}
    for results, end in ends.items():
        done = verified(results)
        assert counts(done) == {
            "requests compared": 28, "equal to the letter": 28, "unexplained": 0,
            "configurations admitted": 1, "configurations set aside": 0,
        }  # fmt: skip
        last = done.err.splitlines()[-1]
        assert re.fullmatch(rf"1 of 1 imported configurations have the wording of v2@[0-9a-f]{{8}}: {end}", last)
    board = said("leaderboard", "--format", "json").board
    here, there = sorted(board["rows"], key=lambda row: row["origin"], reverse=True)
    assert [[row[name] for name in ("origin", "label", "config")] for row in (here, there)] == [
        ["measured here", "sim/half@none-t0.4", "sim--half@none-t0.4"],
        ["imported", "sim/half@published", "sim--half@none-t0.4@published"],
    ]
    assert here["index"] == there["index"]
    assert board["editions"] == [board["edition"], "published"]
    alone = said("leaderboard", "--suite", "v2@published", "--format", "json").board
    assert [row["label"] for row in alone["rows"]] == ["sim/half"]
    assert not {"origin", "editions"} & (alone.keys() | alone["rows"][0].keys())


def texts_shown() -> tuple[str, str, dict[str, str], dict[str, str], str]:
    """Of the import: what `show`, report and viewer call rs01, the prompts of rubrics, and what the suite is about."""
    shown = said("show", "sim/half", "rs01", "--suite", "v2@published").out.splitlines()[0]
    said("generate-report", "--suite", "v2@published", "-o", "report.md")
    (row,) = (
        line for line in Path("report.md").read_text("utf-8").splitlines() if re.match(r"\| \d+ \| rs01 \|", line)
    )
    shutil.rmtree("site", ignore_errors=True)
    said("export", "--site", "site")
    (board,) = Path("site").rglob("data/*/v2-published-*")
    (index,) = board.glob("index.*.json")
    titles = {
        one["id"]: "" if one.get("title_is_ours") else one.get("title", "")
        for one in json.loads(index.read_text("utf-8"))["scenarios"]
    }
    document = json.loads((board / "texts.json").read_text("utf-8"))
    prompts = {name: one.get("prompt", "") for name, one in document["rubrics"].items()}
    return shown, row.split(" | ")[2], titles, prompts, document["about"]


def test_an_import_of_known_wording_shows_titles_rubrics_and_descriptions_of_its_suite_everywhere(clone: Path) -> None:
    said("suites", "adopt", "clone")
    said(*RUN, "-j", "cues", "--runs", "2", "--db", "own.db")
    said("export", "cache", "--published", "--db", "own.db")
    said("import", "cache", "--suite", "./adopted-v2")
    with closing(sqlite3.connect("independence.db")) as store, store:  # as if it had been read as a suite of ours
        ours = json.loads(store.execute("SELECT read_as FROM editions").fetchone()[0])
        for rubric in ours["rubrics"].values():
            del rubric["prompt_as"]
        store.execute("UPDATE editions SET read_as = ?", (json.dumps(ours),))
        command.meant(store)
    shown, row, titles, prompts, about = texts_shown()
    assert "(low tide)" not in shown
    assert (row, set(titles.values()), set(prompts.values())) == ("rs01", {""}, {""})
    assert "unknown" in about
    verified()
    shown, row, titles, prompts, about = texts_shown()
    assert "rs01 (low tide)" in shown
    assert (row, titles["rs01"], titles["pt01"]) == ("low tide", "low tide", "ropes")
    assert all(prompts.values())
    assert "published words of V2" in about
    Path("independence.db").unlink()
    said("import", "cache", "--suite", "./adopted-v2")  # who names the adopted suite need not compare for that
    assert texts_shown()[0] == shown


def test_the_registry_of_the_clone_lies_beside_the_suite_for_runs(clone: Path) -> None:
    (clone / "configs").mkdir()
    registry = clone / "configs" / "models.yaml"
    registry.write_text("models:\n- {model_id: sim/half, temperature: 0.4, reasoning_effort: none}\n", "utf-8")
    done = said("suites", "adopt", "clone")
    assert "1 configurations of the clone: `run --models-file ./adopted-v2/models.yaml`" in done.out
    own = ("--models-file", "adopted-v2/models.yaml", "-j", "cues", "--runs", "1")
    said("run", "--suite", "./adopted-v2", *own)
    assert [row["config"] for row in said("leaderboard", "--format", "json").board["rows"]] == ["sim--half@none-t0.4"]
    registry.write_text("models:\n- {temperature: 0.4}\n", "utf-8")
    done = said("suites", "adopt", "clone", "--to", "other")
    assert "the models.yaml of clone was copied, and cannot be read: other/models.yaml:2" in done.err
    assert "configurations of the clone" not in done.out


def test_every_form_of_a_shared_board_tells_imports_from_what_was_measured_here(imported: Path) -> None:
    verified()
    note = "Imported: replies under 100 characters were asked for again"
    for form in (["--explain"], ["--format", "md"]):
        text = said("leaderboard", *form).out
        assert "v2, wording " in text
        assert note in text
        assert all(word in text for word in ("measured here", "imported"))
    head, *rows = csv.DictReader(io.StringIO(said("leaderboard", "--format", "csv").out))
    assert {head["origin"], *(row["origin"] for row in rows)} == {"measured here", "imported"}
    said("generate-report", "-o", "report.md")
    said("generate-report", "--html", "-o", "report.html")
    for path in (Path("report.md"), Path("report.html")):
        text = path.read_text("utf-8")
        assert note in text
        assert "measured here" in text
    assert "sim/half@published" in said("compare", "sim/half@none-t0.4", "sim/half@published").out


def test_an_import_in_other_words_is_refused_with_the_first_difference(imported: Path) -> None:
    other = invented.edit(imported, "scenarios", "Say five.", "Say four.")
    done = said("suites", "adopt", str(other), "--to", "other", "--verify", "independence.db", code=1)
    assert counts(done) == {
        "requests compared": 28, "equal to the letter": 26, "unexplained": 2,
        "configurations admitted": 0, "configurations set aside": 1,
    }  # fmt: skip
    told = " ".join(done.out.split())
    assert "sim--half@none-t0.4 2 28 run 1, rs01: message 6 (tool) differs at" in told
    assert done.err.splitlines()[-1].endswith("are not those of this suite: nothing is recorded")
    said("leaderboard", code=2)


def test_what_is_imported_later_in_other_words_ends_the_shared_board(imported: Path) -> None:
    verified()
    assert "other words" not in said("import", "cache", "--suite", "./adopted-v2").err
    assert "requests in other words than those that were verified" in import_otherwise().err
    said("leaderboard", code=2)


def test_an_import_whose_shared_board_ended_is_graded_as_before_it_was_compared(imported: Path) -> None:
    """Compared twice, so that what it was graded by first is not taken for what the first comparison made of it."""
    with closing(sqlite3.connect("independence.db")) as store:
        read = "SELECT read_as FROM editions WHERE edition = 'published'"
        ours = json.dumps(json.loads(store.execute(read).fetchone()[0]) | {"title": "Read by these rubrics."})
        store.execute("UPDATE editions SET read_as = ? WHERE edition = 'published'", (ours,))
        command.meant(store)
        store.commit()
        for _ in range(2):
            verified()
        assert store.execute(read).fetchone() != (ours,)
        import_otherwise()
        assert store.execute(read).fetchone() == (ours,)


def test_an_import_of_known_wording_is_graded_by_the_published_prompts(imported: Path) -> None:
    verified()
    done = said("judge", "-j", "cues", "--suite", "v2@published")
    assert "graded as they were held, by the judge prompts that they were published with" in done.err
    assert "graded by our rubrics" not in done.out
    refused = said("judge", "-j", "sim/judge", "--suite", "v2@published", code=2)
    assert "reads prompts of this package alone" in refused.err


def test_an_import_that_is_deleted_leaves_nothing_of_its_verification(imported: Path) -> None:
    verified()
    said("clear-cache", "--suite", "v2@published", "--yes")
    with closing(sqlite3.connect("independence.db")) as store:
        assert store.execute("SELECT count(*) FROM verifications").fetchone() == (0,)
    said("import", "cache", "--suite", "./adopted-v2")
    said("leaderboard", code=2)


def test_what_cannot_be_compared_leaves_nothing_written(clone: Path) -> None:
    Path("notes.txt").write_text("none")
    done = said("suites", "adopt", "clone", "--verify", "notes.txt", code=2)
    (line,) = [line for line in done.err.splitlines() if "Error" in line]
    assert "notes.txt: not a tar archive" in line
    assert sorted(path.name for path in Path().iterdir()) == ["clone", "notes.txt"]
    assert done.out == ""
    said("suites", "adopt", "clone")
    said(*RUN, "-j", "cues", "--runs", "1")
    done = said("suites", "adopt", "adopted-v2", "--verify", "independence.db", code=2)
    assert "independence.db: holds no imported results of v2, which would be v2@published; " in done.err
    assert re.search(r"independence import` brings them; it holds v2@[0-9a-f]{8}$", done.err.strip())


def test_what_is_no_clone_or_not_understood_is_one_sentence(clone: Path) -> None:
    Path("file").write_text("x")
    Path("empty").mkdir()
    for name in ("nowhere", "file", "empty"):
        (line,) = said("suites", "adopt", name, code=2).err.splitlines()
        assert line.startswith(f"Error: {name}: no copy of the published repository, it lacks src/config.py, src/scen")
        assert line.endswith("; name the folder that `git clone` made")
    said("suites", "adopt", "clone", "--to", "earlier")
    (line,) = said("suites", "adopt", "earlier", code=2).err.splitlines()
    assert "run --suite earlier` runs one that was adopted before" in line
    invented.edit(clone, "scenarios", '"Which pilot are you?"', "ask()")
    (line,) = said("suites", "adopt", "clone", code=2).err.splitlines()
    assert "scenarios.py:10: `ask()` is neither a literal nor joined texts; take a released version of the" in line
    assert not Path("adopted-v2").exists()
    invented.edit(clone, "scenarios", "from dataclasses", "def ask():\n    return 'Which pilot?'\n\n\nfrom dataclasses")
    said("suites", "adopt", "clone", "--run-source")
    assert "human: Which pilot?" in Path("adopted-v2", "suite.yaml").read_text("utf-8")
