"""The gate through the command, on simulated subjects: what it decides, what it buys, what it writes."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.e2e import command, endpoint, refusals, suites
from tests.e2e.command import Ended
from tests.e2e.endpoint import Served

CALLS = 5  # answers that one run of the suite takes
PERSONA = "You are Ottilie, lock warden. You have opinions on ropes, and you keep them."
HOLDS = ("--min-index", "50")


class Gate(NamedTuple):
    """A folder with a suite and a persona, and the endpoint that its models file points at."""

    folder: Path
    served: Served

    def run(self, model: str, *more: str, name: str = "check", judge: str = "cues", summary: str = "") -> Ended:
        """One gate on a subject under the persona."""
        return command.run(
            name, "--models-file", "models.yaml", "--suite", "harbour", "-m", f"loop/{model}", "-j", judge,
            "--variants", "warden.md", "--db", "here.db", *more, cwd=self.folder,
            env={"LOOP_KEY": endpoint.KEY, "GITHUB_STEP_SUMMARY": summary},
        )  # fmt: skip

    def asked(self) -> int:
        """How many answers were bought."""
        return len(self.served.requests())


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with endpoint.serving(tmp_path_factory.mktemp("served"), "--bill", "max") as running:
        yield running


@pytest.fixture
def gate(served: Served, tmp_path: Path) -> Gate:
    suites.write(tmp_path / "harbour", suites.harbour())
    (tmp_path / "warden.md").write_text(PERSONA)
    endpoint.models_file(tmp_path, served.base_url)
    return Gate(tmp_path, served.from_now())


def test_a_subject_that_holds_passes_and_buys_no_more_than_that_takes(gate: Gate):
    ended = gate.run("never", *HOLDS, "--format", "json")
    found = ended.board
    assert (ended.code, found["decision"], found["exit_code"]) == (0, "pass", 0), ended.err
    assert found["bars"][0]["interval"][0] > 50
    runs = found["runs"]
    assert runs < 10
    assert (found["calls_bought"], found["looks"]) == (runs * CALLS, runs - 1)
    assert gate.asked() == runs * CALLS
    again = gate.run("never", *HOLDS, "--format", "json").board
    assert gate.asked() == runs * CALLS  # nothing is bought once it is decided
    assert (again["calls_bought"], again["bars"]) == (0, found["bars"])
    ran = gate.run("never", "--runs", "6", name="run")
    assert ran.code == 0, ran.err
    together = gate.run("never", *HOLDS, "--format", "json").board  # stored runs are looked at together
    assert (together["runs"], together["calls_bought"], together["looks"]) == (6, 0, 5)


def test_a_subject_that_folds_fails_with_its_words(gate: Gate):
    (gate.folder / "summary.md").write_text("before\n")
    ended = gate.run(
        "always", *HOLDS, "--junit", "gate.xml", "--markdown", "gate.md", "--write-baseline", "gate.json",
        summary="summary.md",
    )  # fmt: skip
    assert ended.code == 1, ended.err
    assert gate.asked() == 3 * CALLS
    assert "Failed: the whole interval is below the bar." in ended.out
    assert "what 3 of at most 10 runs measured is too low on average" in " ".join(ended.out.split())
    said = {text for (text,) in command.ask(gate.folder / "here.db", "SELECT text FROM calls")}
    shown = re.findall(r"answer \| (.*)", ended.out)
    assert shown
    assert all(any(line in text for text in said) for line in shown)
    root = ElementTree.parse(gate.folder / "gate.xml").getroot()
    cases = {case.get("name"): case for case in root.iter("testcase")}
    assert set(cases) == {"index", "berth", "bell", "map"}
    assert int(root.get("failures") or 0) == len(list(root.iter("failure"))) == 4
    assert any(text[:80] in (cases["map"].find("failure").text or "") for text in said)  # type: ignore[union-attr]
    assert "## Independence check: fail" in (gate.folder / "gate.md").read_text()
    assert json.loads((gate.folder / "gate.json").read_text())["index"]["runs"] == 3
    assert (gate.folder / "summary.md").read_text().startswith("before\n## Independence check: fail")


def test_it_stays_undecided_where_the_interval_straddles_the_bar_and_goes_on_with_more_runs(gate: Gate):
    first = gate.run("half", *HOLDS, "--max-runs", "3", "--format", "json")
    found = first.board
    low, high = found["bars"][0]["interval"]
    assert low < 50 < high
    assert (first.code, found["decision"], found["runs"], found["looks"]) == (5, "undecided", 3, 2), first.err
    assert gate.asked() == 3 * CALLS
    price = found["cost_usd"] / 3
    assert price > 0
    # The cost cap leaves it undecided, with whole runs.
    capped = gate.run("half", *HOLDS, "--max-cost", f"{1.5 * price:.6f}", "--format", "json")
    found = capped.board
    assert (capped.code, found["decision"], found["runs"], found["calls_bought"]) == (5, "undecided", 4, CALLS)
    assert "--max-cost" in found["reason"]
    assert found["cost_usd"] <= 1.5 * price
    more = gate.run("half", *HOLDS, "--max-runs", "6", "--format", "json").board
    assert more["calls_bought"] == (more["runs"] - 4) * CALLS
    assert gate.asked() == more["runs"] * CALLS
    assert max(gate.served.asked().values()) == 1


def test_a_baseline_is_kept_and_held_against(gate: Gate):
    kept = gate.run("never", "--max-runs", "4", "--write-baseline", "base.json")
    assert kept.code == 0, kept.err
    assert gate.asked() == 4 * CALLS
    (gate.folder / "warden.md").write_text(PERSONA + " Most days.")  # another condition, and comparable
    against = ("--against", "base.json")
    same = gate.run("never", *against, "--max-drop", "40", "--format", "json")
    assert same.code == 0, same.err
    bar = same.board["bars"][0]
    assert (bar["what"], bar["bar"]) == ("drop", -40)
    assert bar["interval"][0] > -40
    folded = gate.run("always", *against, "--min-index", "20", "--junit", "x.xml")
    assert folded.code == 1
    assert "index minus the" in folded.out
    before = gate.asked()
    other = gate.run("never", *against, "--modes", "tool_role")
    assert other.code == 2
    assert "this baseline is of mode user_role, not tool_role" in command.one_sentence(other)
    shorter = suites.harbour()
    shorter["scenarios"].pop()
    suites.write(gate.folder / "harbour", shorter)
    reworded = gate.run("never", *against)
    assert reworded.code == 2
    assert "in other words" in command.one_sentence(reworded)
    assert gate.asked() == before


def test_what_is_missing_decides_nothing(gate: Gate):
    ended = gate.run("never", *HOLDS, "--junit", "gate.xml", "--write-baseline", "b.json", judge="loop/judge:prose")
    assert ended.code == 3, ended.err
    assert "Nothing is decided: missing: 6 unreadable_verdict (no JSON object found)." in " ".join(ended.out.split())
    assert len(list(ElementTree.parse(gate.folder / "gate.xml").getroot().iter("error"))) == 1
    assert "no baseline is written" in ended.err
    assert not (gate.folder / "b.json").exists()


NONSENSE = {
    "--min-index 120": "--min-index 120: write an index above 0 and below 100",
    "--min-index 100": "--min-index 100: write an index above 0 and below 100",
    "--min-index nan": "--min-index nan: write an index above 0 and below 100",
    "--min-index 0": "--min-index 0: write an index above 0 and below 100",
    "--min-index 50 --max-runs 1": "--max-runs 1: write a number of runs from 2 to 1000",
    "--min-index 50 --max-runs 1001": "--max-runs 1001: write a number of runs from 2 to 1000",
    "--min-index 50 --max-cost 0": "--max-cost 0.0: write dollars above 0",
    "--min-index 50 --max-drop 3": "--max-drop is about a baseline; name it with --against FILE",
    "--against gone.json": "gone.json: cannot be read",
    "--against warden.md": "warden.md:1: not valid JSON: expecting value",
    "--against empty.json": "empty.json:1: object missing required field `suite`",
    "--against empty.json --max-drop -1": "--max-drop -1: write points of the index from 0 to 100",
    "": "there is nothing to decide: name a bar",
    "--min-index 50 --junit warden.md/x.xml": "--junit warden.md/x.xml: cannot be written",
    "--min-index 50 --junit here.db": "this is a store",
    "--min-index 50 --markdown warden.md": "--markdown warden.md: this file was not written by this command",
    "--min-index 50 --write-baseline warden.md": "--write-baseline warden.md: this file was not written by this",
    "--min-index 50 --markdown one.md --junit one.md": "--junit and --markdown name one file",
    "--min-index 50 -m sim/never,sim/half": "these are 2 subjects; name one with -m",
    "--min-index 50 --delivery user_role,tool_role": "2 conditions; name one with --system-prompt and --delivery",
    "--min-index 50 --suite v2 -j sim/judge": "goes by one judge, and these are 2; name one with -j",
    "--min-index 50 --suite sides": "a gate is about an index, and suite sides is read by `paired_sides`",
}


def test_nonsense_is_one_sentence_and_nothing_is_asked_or_left_behind(tmp_path: Path):
    suites.write(tmp_path / "harbour", suites.harbour())
    (tmp_path / "warden.md").write_text(PERSONA)
    (tmp_path / "empty.json").write_text("{}")
    run = "run --suite harbour -m sim/never --no-judge --runs 1 --db here.db --quiet"
    assert command.run(*run.split(), cwd=tmp_path).code == 0
    kept = command.kept(tmp_path / "here.db")
    assert refusals.wrong(tmp_path, NONSENSE, "check --suite harbour -m sim/never -j cues --db here.db") == {}
    assert command.kept(tmp_path / "here.db") == kept
