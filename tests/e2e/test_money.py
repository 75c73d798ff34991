"""Nothing that may cost more than a dollar is spent unasked: one rule for every command that asks models."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from independence.cli.screen import ASK_ABOVE_USD
from tests.e2e import command, endpoint, screens, suites
from tests.e2e.endpoint import Served

ENV = {"LOOP_KEY": endpoint.KEY}
MORE = ("--models-file", "models.yaml", "--quiet", "--db")
HARBOUR = ("--suite", "harbour", "-j", "cues")
ASKED = "this may cost up to $"
GATE = ("check", "-m", "loop/half", *HARBOUR, "--min-index", "50", "--max-runs", "4", *MORE, "new.db")
# Except for `rerun` the next calls cost less than the bound on average; at worst, or with what may follow, more.
LINES: Mapping[str, tuple[str, ...]] = {
    "run": ("run", "-m", "loop/half", *HARBOUR, "--runs", "2", *MORE, "new.db"),
    "check": GATE,
    "run --until-decided": ("run", "-m", "loop/half,loop/yield-60", *HARBOUR, "--until-decided", *MORE, "new.db"),
    "judge": ("judge", "-j", "loop/judge", "--suite", "harbour", *MORE, "here.db"),
    "rerun": ("rerun", "-R", "9", "-m", "loop/half", *MORE, "here.db"),
}


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    price = "half=50/200,yield-60=1/4,never=1/4,judge=70/350"
    with endpoint.serving(tmp_path_factory.mktemp("served"), "--price", price) as served:
        yield served


@pytest.fixture(scope="module")
def stored(running: Served, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One run of two subjects, graded by rules."""
    folder = tmp_path_factory.mktemp("money")
    suites.write(folder / "harbour", suites.harbour())
    endpoint.models_file(folder, running.base_url)
    asked = ("run", "-m", "loop/half,loop/never", *HARBOUR, "--runs", "1", *MORE, "here.db")
    command.ok(*asked, "--yes", cwd=folder, env=ENV)
    return folder


@pytest.fixture
def folder(stored: Path, tmp_path: Path) -> Path:
    return shutil.copytree(stored, tmp_path / "own")


def dollars(mark: str, text: str) -> float:
    return float(re.findall(rf"{re.escape(mark)}([\d,.]*\d)", text)[0].replace(",", ""))


@pytest.mark.parametrize("name", LINES)
def test_what_may_cost_more_than_the_bound_needs_a_yes_or_a_cap_without_a_terminal(
    name: str, folder: Path, running: Served
):
    served = running.from_now()
    plan = command.ok(*(word for word in LINES[name] if word != "--quiet"), "--dry-run", cwd=folder, env=ENV).err
    refused = command.run(*LINES[name], cwd=folder, env=ENV)
    said = command.one_sentence(refused)
    assert refused.code == 2
    assert said.endswith("; add --yes or --max-cost to go ahead")
    assert dollars(ASKED, said) > ASK_ABOVE_USD
    assert name == "rerun" or dollars("about $", plan) < ASK_ABOVE_USD
    assert served.log.everything() == []
    capped = command.run(*LINES[name], "--max-cost", "0.001", cwd=folder, env=ENV)
    assert "--max-cost 0.001" in capped.err + capped.out or "the cost cap of $0.0010 is reached" in capped.err
    assert command.run(*LINES[name], "--yes", cwd=folder, env=ENV).code != 2
    assert served.requests()


@pytest.mark.parametrize("name", LINES)
def test_on_a_terminal_a_person_is_asked_once_for_all_that_may_be_bought(name: str, folder: Path, running: Served):
    served = running.from_now()
    for typed, spent in (("n\n", False), ("y\n", True)):
        screen = screens.run(*LINES[name], cwd=folder, columns=120, env=ENV, typed=typed)
        assert screen.text.count(ASKED) == 1, screen.text
        assert bool(served.log.everything()) is spent
    if name == "check":
        assert "4 runs are made" in " ".join(screen.text.split())  # of them two, one and one, each less than is asked


def test_what_costs_no_more_than_the_bound_is_not_asked(folder: Path):
    cheap = [word.replace("half", "never") for word in LINES["run"]]
    screen = screens.run(*cheap, cwd=folder, columns=120, env=ENV)
    assert (screen.code, ASKED in screen.text) == (0, False), screen.text
    assert command.run(*cheap, cwd=folder, env=ENV).code == 0


def test_a_persona_may_cost_what_all_its_dialogues_may_and_a_quick_check_less(tmp_path: Path, running: Served):
    endpoint.models_file(tmp_path, running.base_url)
    command.ok("persona", "init", "mira.md", "--example", "priya", cwd=tmp_path)
    check = ("check", "mira.md", "-m", "loop/never", "-j", "sim/judge", "--models-file", "models.yaml")
    whole, quick = (command.run(*check, *more, cwd=tmp_path, env=ENV) for more in ((), ("--quick",)))
    assert (whole.code, "if no commitment is settled" in whole.err) == (2, True), whole.err
    assert quick.code in (0, 1) or dollars(ASKED, quick.err) < dollars(ASKED, whole.err), quick.err


def test_the_docs_name_the_bound() -> None:
    docs = Path(__file__).parents[2] / "docs"
    for page in ("personas", "running", "spending", "ci", "reference"):
        named = re.findall(r"more than \$([\d.]*\d)", " ".join((docs / f"{page}.md").read_text("utf-8").split()))
        assert named, page
        assert {float(one) for one in named} == {ASK_ABOVE_USD}, page
