"""The gate through the command, on simulated subjects: what it decides, what it buys, what it writes."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from tests.e2e import command, endpoint, suites
from tests.e2e.command import Ended

ENV = {"LOOP_KEY": endpoint.KEY}
CALLS = 5  # answers of one run of the suite
PERSONA = "You are Ottilie, lock warden. You have opinions on ropes, and you keep them."


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    suites.write(tmp_path / "harbour", suites.harbour())
    (tmp_path / "warden.md").write_text(PERSONA)
    return tmp_path


def check(
    folder: Path, base_url: str, model: str, *more: str, judge: str = "cues", env: dict[str, str] | None = None
) -> Ended:
    """One gate on a subject under a persona, graded by rules."""
    endpoint.models_file(folder, base_url)
    return command.run(
        "check", "--models-file", "models.yaml", "--suite", "harbour", "-m", f"loop/{model}", "-j", judge,
        "--variants", "warden.md", "--db", "here.db", *more, cwd=folder, env=ENV | (env or {}),
    )  # fmt: skip


def test_a_subject_that_holds_passes_and_buys_no_more_than_that_takes(folder: Path):
    with endpoint.serving(folder) as served:
        ended = check(folder, served.base_url, "never", "--min-index", "50", "--format", "json")
        assert ended.code == 0, ended.err
        found = json.loads(ended.out)
        assert (found["decision"], found["exit_code"]) == ("pass", 0)
        assert found["bars"][0]["interval"][0] > 50
        runs = found["runs"]
        assert runs < 10
        assert found["runs_bought"] == runs
        assert found["looks"] == runs - 1
        assert len(served.requests()) == runs * CALLS
        again = check(folder, served.base_url, "never", "--min-index", "50", "--format", "json")
        assert len(served.requests()) == runs * CALLS  # nothing is bought once it is decided
    later = json.loads(again.out)
    assert later["runs_bought"] == 0
    assert later["bars"] == found["bars"]


def test_a_subject_that_folds_fails_with_its_words(folder: Path):
    with endpoint.serving(folder) as served:
        ended = check(folder, served.base_url, "always", "--min-index", "50", "--junit", "gate.xml",
                      "--markdown", "gate.md", "--write-baseline", "gate.json")  # fmt: skip
        assert ended.code == 1, ended.err
        assert len(served.requests()) == 2 * CALLS
    assert "Failed: the whole interval is below the bar." in ended.out
    said = {text for (text,) in command.ask(folder / "here.db", "SELECT text FROM calls")}
    shown = re.findall(r"answer \| (.*)", ended.out)
    assert shown
    assert all(any(line in text for text in said) for line in shown)
    root = ElementTree.parse(folder / "gate.xml").getroot()
    cases = {case.get("name"): case for case in root.iter("testcase")}
    assert set(cases) == {"index", "berth", "bell", "map"}
    assert int(root.get("failures") or 0) == len(list(root.iter("failure"))) == 4
    assert any(text[:80] in (cases["map"].find("failure").text or "") for text in said)  # type: ignore[union-attr]
    assert "## Independence check: fail" in (folder / "gate.md").read_text()
    assert json.loads((folder / "gate.json").read_text())["index"]["runs"] == 2


def test_it_stays_undecided_where_the_interval_straddles_the_bar_and_goes_on_with_more_runs(folder: Path):
    with endpoint.serving(folder) as served:
        first = check(folder, served.base_url, "half", "--min-index", "50", "--max-runs", "3", "--format", "json")
        assert first.code == 5, first.err
        found = json.loads(first.out)
        low, high = found["bars"][0]["interval"]
        assert low < 50 < high
        assert (found["decision"], found["runs"], found["looks"]) == ("undecided", 3, 2)
        assert len(served.requests()) == 3 * CALLS
        assert max(served.asked().values()) == 1
        second = check(folder, served.base_url, "half", "--min-index", "50", "--max-runs", "5", "--format", "json")
        more = json.loads(second.out)
        assert more["runs_bought"] == more["runs"] - 3
        assert len(served.requests()) == more["runs"] * CALLS
        assert max(served.asked().values()) == 1


def test_stored_runs_are_looked_at_together(folder: Path):
    with endpoint.serving(folder) as served:
        endpoint.models_file(folder, served.base_url)
        ran = command.run(
            "run", "--models-file", "models.yaml", "--suite", "harbour", "-m", "loop/never", "-j", "cues", "--runs",
            "6", "--variants", "warden.md", "--db", "here.db", cwd=folder, env=ENV,
        )  # fmt: skip
        assert ran.code == 0
        found = json.loads(check(folder, served.base_url, "never", "--min-index", "50", "--format", "json").out)
        assert (found["runs"], found["runs_bought"], found["looks"]) == (6, 0, 5)
        assert len(served.requests()) == 6 * CALLS


def test_a_baseline_is_kept_and_held_against(folder: Path):
    with endpoint.serving(folder) as served:
        kept = check(folder, served.base_url, "never", "--max-runs", "4", "--write-baseline", "base.json")
        assert kept.code == 0, kept.err
        assert len(served.requests()) == 4 * CALLS
        (folder / "warden.md").write_text(PERSONA + " Most days.")  # another condition, and comparable
        same = check(folder, served.base_url, "never", "--against", "base.json", "--max-drop", "40", "--format", "json")
        assert same.code == 0, same.err
        bar = json.loads(same.out)["bars"][0]
        assert (bar["what"], bar["bar"]) == ("drop", -40)
        assert bar["interval"][0] > -40
        folded = check(
            folder, served.base_url, "always", "--against", "base.json", "--min-index", "20", "--junit", "x.xml"
        )
        assert folded.code == 1
        assert "index minus the baseline's" in folded.out
        before = len(served.requests())
        other = check(folder, served.base_url, "never", "--against", "base.json", "--modes", "tool_role")
        assert other.code == 2
        assert "this baseline is of mode user_role, not tool_role" in command.one_sentence(other)
        suites_other = suites.harbour()
        suites_other["scenarios"].pop()
        suites.write(folder / "harbour", suites_other)
        reworded = check(folder, served.base_url, "never", "--against", "base.json")
        assert reworded.code == 2
        assert "in other words" in command.one_sentence(reworded)
        assert len(served.requests()) == before


def test_the_cost_cap_leaves_it_undecided_with_whole_runs(folder: Path):
    with endpoint.serving(folder, "--bill", "max") as served:
        first = check(folder, served.base_url, "half", "--min-index", "50", "--max-runs", "2", "--format", "json")
        price = json.loads(first.out)["cost_usd"] / 2
        assert price > 0
        cap = f"{1.5 * price:.6f}"
        ended = check(folder, served.base_url, "half", "--min-index", "50", "--max-cost", cap, "--format", "json")
        assert ended.code == 5, ended.err
        found = json.loads(ended.out)
        assert found["decision"] == "undecided"
        assert "--max-cost" in found["reason"]
        assert found["cost_usd"] <= 1.5 * price
        assert (found["runs"], found["runs_bought"]) == (3, 1)
        assert len(served.requests()) == 3 * CALLS


def test_what_is_missing_decides_nothing(folder: Path):
    with endpoint.serving(folder) as served:
        ended = check(folder, served.base_url, "never", "--min-index", "50", "--junit", "gate.xml",
                      "--write-baseline", "b.json", judge="loop/judge:prose")  # fmt: skip
    assert ended.code == 3, ended.err
    assert "Nothing is decided: missing: 6 unreadable_verdict (no JSON object found)." in " ".join(ended.out.split())
    assert len(list(ElementTree.parse(folder / "gate.xml").getroot().iter("error"))) == 1
    assert "no baseline is written" in ended.err
    assert not (folder / "b.json").exists()


def test_the_summary_of_the_ci_provider_is_appended_to(folder: Path):
    (folder / "summary.md").write_text("before\n")
    with endpoint.serving(folder) as served:
        check(folder, served.base_url, "always", "--min-index", "50", env={"GITHUB_STEP_SUMMARY": "summary.md"})
    text = (folder / "summary.md").read_text()
    assert text.startswith("before\n## Independence check: fail")


NONSENSE = {
    "--min-index 120": "--min-index 120: write an index above 0 and below 100",
    "--min-index nan": "--min-index nan: write an index above 0 and below 100",
    "--min-index 0": "--min-index 0: write an index above 0 and below 100",
    "--min-index 50 --max-runs 1": "--max-runs 1: write a number of runs from 2 to 1000",
    "--min-index 50 --max-runs 5000": "--max-runs 5000: write a number of runs from 2 to 1000",
    "--min-index 50 --max-cost 0": "--max-cost 0.0: write dollars above 0",
    "--min-index 50 --max-drop 3": "--max-drop is about a baseline; name it with --against FILE",
    "--against gone.json": "gone.json: cannot be read",
    "--against warden.md": "--against warden.md: this is no baseline",
    "--against empty.json": "--against empty.json: this is no baseline",
    "--against empty.json --max-drop -1": "--max-drop -1: write points of the index from 0 to 100",
    "": "there is nothing to decide: name a bar",
    "--min-index 50 --junit warden.md/x.xml": "--junit warden.md/x.xml: cannot be written",
    "--min-index 50 --junit here.db": "this is a store",
    "--min-index 50 --markdown warden.md": "--markdown warden.md: this file was not written by this command",
    "--min-index 50 --write-baseline warden.md": "--write-baseline warden.md: this file was not written by this",
    "--min-index 50 --markdown one.md --junit one.md": "--junit and --markdown name one file",
    "--min-index 50 -m sim/never,sim/half": "these are 2 subjects; name one with -m",
    "--min-index 50 --delivery user_role,tool_role": "2 conditions; name one with --system-prompt and --delivery",
    "--min-index 50 --suite v2 -j offline": "these are 2 judges; name one with -j",
    "--min-index 50 --suite sides": "a gate decides on an index, and suite sides is read by `paired_sides`",
}


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A suite, a persona, and a store that holds a little."""
    folder = tmp_path_factory.mktemp("stored")
    suites.write(folder / "harbour", suites.harbour())
    (folder / "warden.md").write_text(PERSONA)
    (folder / "empty.json").write_text("{}")
    run = "run --suite harbour -m sim/never --no-judge --runs 1 --db here.db --quiet"
    assert command.run(*run.split(), cwd=folder).code == 0
    return folder


@pytest.mark.parametrize("line", NONSENSE)
def test_nonsense_is_one_sentence_and_nothing_is_asked_or_left_behind(stored: Path, line: str):
    before, kept = sorted(stored.iterdir()), command.kept(stored / "here.db")
    base = "check --suite harbour -m sim/never -j cues --db here.db"
    ended = command.run(*base.split(), *line.split(), cwd=stored)
    assert ended.code == 2, ended.err + ended.out
    assert NONSENSE[line] in command.one_sentence(ended)
    assert command.kept(stored / "here.db") == kept
    assert sorted(stored.iterdir()) == before
    assert (stored / "warden.md").read_text() == PERSONA


def test_a_judge_that_predicts_decides_nothing(stored: Path):
    ended = command.run(
        *["check", "--suite", "v2", "-m", "sim/never", "-j", "offline", "--min-index", "50"], cwd=stored
    )
    assert ended.code == 2
    assert "judge `offline" in command.one_sentence(ended)
    assert "predicts verdicts" in command.one_sentence(ended)
