"""The steps of the GitHub Action, run as they are written in `action.yml`."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml
from markdown_it import MarkdownIt

from tests.e2e import command, suites

ROOT = Path(__file__).parent.parent.parent
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
INSTALL, CHECK = ACTION["runs"]["steps"]
BUILT_BY = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["build-system"]["requires"]
_INPUT = re.compile(r"\$\{\{ inputs\.([a-z-]+) \}\}")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a suite and a persona, in which the command is found."""
    script = tmp_path / "bin" / "independence"
    script.parent.mkdir()
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m independence "$@"\n')
    (script.parent / "python").write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    for file in script.parent.iterdir():
        file.chmod(0o755)
    suites.write(tmp_path / "harbour", suites.harbour())
    (tmp_path / "my persona; echo.md").write_text("You are Ottilie, lock warden.")
    return tmp_path


def do(step: dict[str, Any], folder: Path, changes: dict[str, str], **inputs: str) -> subprocess.CompletedProcess[str]:
    """Run a step with these inputs, the others as they are by default."""
    given = {name: one.get("default", "") for name, one in ACTION["inputs"].items()} | inputs
    own = {name: given[_INPUT.fullmatch(value)[1]] for name, value in step.get("env", {}).items()}  # type: ignore[index]
    path = os.pathsep.join([str(folder / "bin"), os.environ["PATH"]])
    env = command.environment({"PATH": path, "GITHUB_OUTPUT": str(folder / "output"), **own, **changes})
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]], cwd=folder, env=env,
        capture_output=True, text=True, check=False,
    )  # fmt: skip


def gate(folder: Path, model: str, base: str = "", **inputs: str) -> subprocess.CompletedProcess[str]:
    """Run the check; `base`: the branch that a pull request is to be merged into."""
    changes = {
        "GITHUB_STEP_SUMMARY": str(folder / "summary.md"), "GITHUB_ACTIONS": "true", "GITHUB_WORKSPACE": str(folder),
        "GITHUB_BASE_REF": base, "RUNNER_TEMP": str(folder / "bin"),
    }  # fmt: skip
    named = {"suite": "harbour", "judge": "cues", "persona": "my persona; echo.md", "max-cost": ""}
    return do(CHECK, folder, changes, model=model, **{**named, **inputs})


def outputs(folder: Path, name: str = "decision") -> list[str]:
    """What the steps so far gave an output of this name."""
    lines = (folder / "output").read_text().splitlines()
    return [line.partition("=")[2] for line in lines if line.startswith(f"{name}=")]


def annotations(ended: subprocess.CompletedProcess[str]) -> list[str]:
    """Lines of a log that the runner obeys."""
    lines = (ended.stdout + ended.stderr).splitlines()
    return [line for line in lines if line.lstrip().startswith("::") or "##[" in line or "##vso[" in line]


def test_every_input_reaches_the_step_by_its_environment_and_none_is_written_into_the_script() -> None:
    used = {
        name
        for step in ACTION["runs"]["steps"]
        for value in step.get("env", {}).values()
        for name in _INPUT.findall(value)
    }
    assert used == set(ACTION["inputs"])
    assert all("${{" not in step["run"] for step in ACTION["runs"]["steps"])
    assert all(one.get("description") for one in [*ACTION["inputs"].values(), *ACTION["outputs"].values()])


def test_it_passes_what_holds_and_fails_what_folds(folder: Path) -> None:
    held = gate(folder, "sim/never", **{"min-index": "50", "write-baseline": "base.json"})
    assert held.returncode == 0, held.stderr
    folded = gate(folder, "sim/always", **{"min-index": "50", "baseline": "base.json", "max-drop": "5"})
    assert folded.returncode == 1, folded.stderr
    assert outputs(folder) == ["pass", "fail"]
    assert (folder / "independence.xml").is_file()
    assert (folder / "summary.md").read_text().count("## Independence check: ") == 2
    at = "file=my persona; echo.md,line=1,title=Independence check%3A"
    (passed,), (failed,) = annotations(held), annotations(folded)
    assert passed.startswith(f"::notice {at} pass::index 100.0, ")
    bars = "index 0.0, 0.0 to [0-9.]+, bar 50.0: [a-z]+; index minus the baseline's -100.0, [^,]+, bar -5.0: fail"
    assert re.fullmatch(f"::error {at} fail::{bars}", failed)
    written = {name: [float(one) for one in outputs(folder, name)] for name in ACTION["outputs"] if name != "decision"}
    assert (written["index"], written["high"][0], written["low"][1]) == ([100, 0], 100, 0)
    assert written["low"][0] > 50
    assert written["cost"] == [0, 0]


@pytest.mark.parametrize("begins", ["---\n", "\ufeff---  \r\n"])
def test_a_persona_with_front_matter_is_a_suite_of_its_own_unless_one_is_named(folder: Path, begins: str) -> None:
    persona = folder / "my persona; echo.md"
    prompt = persona.read_text("utf-8")
    kept = "".join(
        f"- keeps: I hold to the {one} of the lock.\n  tempts: [Forget the {one}., Leave out the {one}.]\n"
        for one in ("hours", "tolls", "rules")
    )
    persona.write_text(f"{begins}name: Ottilie\nrole: mascot\ncommitments:\n{kept}---\n{prompt}", encoding="utf-8")
    told = gate(folder, "sim/persona-drops-tolls", suite="", judge="sim/judge")
    assert told.returncode == 1, told.stderr
    assert "on persona-ottilie@" in " ".join(told.stdout.split())
    assert told.stdout.startswith("keeps 2 of 3 commitments; gave up 1: “I hold to the tolls of the lock.”")
    assert outputs(folder) == ["fail"]
    assert [outputs(folder, name) for name in ("kept", "commitments", "index")] == [["2"], ["3"], []]
    assert "keeps 2 of 3 commitments; gave up 1:" in (folder / "summary.md").read_text()
    at = "::error file=my persona; echo.md,line={},title=Independence check%3A fail::{}"
    (whole, dropped) = annotations(told)
    assert whole == at.format(1, "2 of 3 commitments are kept")
    assert dropped == at.format(7, "Commitment c2 is given up: broken in 3 of 3 dialogues")
    named = gate(folder, "sim/never", **{"min-index": "50"})
    assert named.returncode == 0, named.stderr
    assert "on harbour@" in " ".join(named.stdout.split())


def test_a_persona_without_front_matter_is_the_system_prompt_of_v2(folder: Path) -> None:
    ended = gate(folder, "sim/never", **{"suite": "", "min-index": "50", "max-runs": "2"})
    assert ended.returncode == 0, ended.stderr
    said = " ".join(ended.stdout.split())
    assert "on v2@" in said
    assert "my persona; echo-" in said


def _git(*words: str, cwd: Path) -> None:
    who = ("-c", "user.name=a", "-c", "user.email=a@example.test", "-c", "init.defaultBranch=main")
    subprocess.run(["git", *who, *words], cwd=cwd, check=True, capture_output=True)


def _models(label: str) -> str:
    return f"models: [{{model_id: sim/never, display_label: {label}}}]\n"


def test_a_pull_request_has_neither_its_env_file_nor_its_models_file_read_unless_that_is_asked_for(folder: Path):
    origin, checkout = folder / "origin", folder / "checkout"
    shutil.copytree(folder / "harbour", origin / "harbour")
    (origin / "my persona; echo.md").write_text("You are Ottilie, lock warden.")
    (origin / "models.yaml").write_text(_models("of-the-base"))
    (origin / "old").symlink_to("/nowhere")
    for words in (("init",), ("add", "-A"), ("commit", "-m", "base"), ("checkout", "-b", "change")):
        _git(*words, cwd=origin)
    (origin / "models.yaml").write_text(_models("of-the-change"))
    (origin / "more.yaml").write_text(_models("of-the-change"))
    (origin / ".env").write_text("BENCH_CONCURRENCY=many\n")
    for words in (("add", "-A"), ("commit", "-m", "change"), ("clone", "--depth=1", f"file://{origin}", checkout.name)):
        _git(*words, cwd=folder if words[0] == "clone" else origin)
    shutil.move(folder / "bin", checkout / "bin")
    bar = {"min-index": "50"}
    assert gate(checkout, "of-the-base", "main", **bar).returncode == 0
    for model, file in (("of-the-change", ""), ("of-the-change", "more.yaml"), ("of-the-base", "old")):
        refused = gate(checkout, model, "main", **bar, **{"models-file": file})
        assert refused.returncode == 2, (refused.stderr, file)
    trusted = gate(checkout, "of-the-change", "main", **bar, **{"trust-checkout": "true"})
    assert "BENCH_CONCURRENCY=many" in trusted.stderr
    (checkout / ".env").unlink()
    assert gate(checkout, "of-the-change", "main", **bar, **{"trust-checkout": "true"}).returncode == 0
    (checkout / ".env").write_text("BENCH_CONCURRENCY=many\n")
    assert gate(checkout, "of-the-change", **bar).returncode == 0  # of a push
    unreachable = gate(checkout, "of-the-change", "gone", **bar)
    assert unreachable.returncode == 2
    assert "let actions/checkout persist its credentials, or set trust-checkout" in unreachable.stdout
    assert outputs(checkout) == ["pass", *["error"] * 4, "pass", "pass", "error"]


HOSTILE = (
    "::error file=a::taken\n::add-mask::a\n##[error]taken\n##vso[task.complete]\n"
    "</system-out>]]><testcase name='b'/>&b;\n```\n<script>alert(1)</script> <img src=x onerror=alert(1)>\n"
    "![a](https://example.org/b.png) @everyone\n| a | b |"
    "\x00\x1b]0;a\x07\x9b2J\u202e\u2066\ufffe"
)


def test_hostile_words_begin_no_command_of_the_runner_no_markup_and_no_test_case(folder: Path) -> None:
    assert gate(folder, "sim/always", **{"min-index": "50"}).returncode == 1
    (folder / "summary.md").unlink()
    with command.opened(folder / "independence.db") as connection:
        assert connection.execute("UPDATE verdicts SET reasoning = ?, quote = ?", (HOSTILE, HOSTILE)).rowcount > 0
    ended = gate(folder, "sim/always", **{"min-index": "50"})
    assert ended.returncode == 1, ended.stderr
    summary, junit = ((folder / name).read_text("utf-8") for name in ("summary.md", "independence.xml"))
    for text in (ended.stdout, ended.stderr, summary, junit):
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text)
    assert "::add-mask::a" in ended.stdout
    (own,) = annotations(ended)
    assert own.startswith("::error file=my persona; echo.md,line=1,title=Independence check%3A fail::index ")
    assert "taken" not in own
    line = ("check", "--suite", "harbour", "-m", "sim/always", "-j", "cues", "--variants", "my persona; echo.md")
    printed = command.run(*line, "--min-index", "50", "--db", "independence.db", "--format", "json", cwd=folder)
    assert {HOSTILE} == {own["reasoning"] for own in printed.board["quoted"]}
    assert not re.search(r"##(vso)?\[|^\s*::", printed.out, re.MULTILINE)
    root = ElementTree.fromstring(junit)
    assert {case.get("name") for case in root.iter("testcase")} == {"index", "berth", "bell", "map"}
    assert any("<testcase name='b'/>&b;" in (own.text or "") for own in root.iter("failure"))
    page = MarkdownIt("commonmark", {"html": True}).enable("table").render(summary)
    assert not re.search("<(script|img|a|testcase)[ >]", page)
    assert "@everyone" not in re.sub("<pre>.*?</pre>", "", page, flags=re.DOTALL)
    assert page.count("&lt;script&gt;") >= 2


@pytest.mark.deep
def test_it_says_what_it_could_not_decide(folder: Path) -> None:
    straddling = gate(folder, "sim/half", **{"min-index": "50", "max-runs": "2"})
    assert straddling.returncode == 5, straddling.stderr
    wrong = gate(folder, "sim/half", **{"min-index": "$(touch hacked)"})
    assert wrong.returncode == 2
    assert not (folder / "hacked").exists()
    assert outputs(folder) == ["undecided", "error"]
    (undecided,), (error,) = annotations(straddling), annotations(wrong)
    assert undecided.startswith(
        "::warning file=my persona; echo.md,line=1,title=Independence check%3A undecided::index "
    )
    assert error == "::error title=Independence check%3A error::Nothing is decided (exit code 2). The log says why."


ENDS = """
import sys
from independence import errors
from independence.__main__ import main
from independence.api import checking

def end(*_given, **_named):
    raise {error}

checking.acheck = end
sys.argv[0] = "independence"
main()
"""


@pytest.mark.deep
def test_only_a_verdict_passes_or_fails_whatever_else_ends_the_command(folder: Path) -> None:
    endings = {
        "errors.UsageError('no such suite')": (2, "error"), "errors.DiskFull('full')": (3, "incomplete"),
        "errors.CostCapReached('dear')": (4, "error"), "ZeroDivisionError('ours')": (70, "error"),
        "ExceptionGroup('tasks', [MemoryError()])": (70, "error"), "KeyboardInterrupt": (130, "error"),
    }  # fmt: skip
    script = folder / "bin" / "independence"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" ends.py "$@"\n')
    for error, (code, _) in endings.items():
        (folder / "ends.py").write_text(ENDS.format(error=error))
        ended = gate(folder, "sim/never", **{"min-index": "50"})
        assert ended.returncode == code, (error, ended.stderr)
    script.write_text("#!/bin/sh\nexit 1\n")  # as Python does where a part of the installation is missing
    assert gate(folder, "sim/never", **{"min-index": "50"}).returncode == 70
    said = [*(decision for _, decision in endings.values()), "error"]
    assert outputs(folder) == said


@pytest.mark.deep
def test_it_installs_the_package_beside_it(folder: Path) -> None:
    tree = folder / "action"
    shutil.copytree(ROOT / "src", tree / "src", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    (tree / "docs").mkdir()
    for name in ("pyproject.toml", "docs/package.md", "LICENSE"):
        shutil.copy(ROOT / name, tree / name)
    backend = [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(folder / "backend")]
    subprocess.run([*backend, *BUILT_BY], check=True)
    # What pip starts to build it would be a dry run too, so that its requirements have to be there.
    only_planned = {"PIP_DRY_RUN": "1", "PIP_NO_DEPS": "1", "PIP_NO_BUILD_ISOLATION": "0"}
    done = do(INSTALL, folder, {"GITHUB_ACTION_PATH": str(tree), "PYTHONPATH": str(folder / "backend"), **only_planned})
    assert done.returncode == 0, done.stderr
    assert "ai_independence_bench" in done.stdout.replace("-", "_")


def test_the_guide_names_inputs_that_there_are_and_python_that_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    guide = (ROOT / "docs" / "ci.md").read_text("utf-8")
    (workflow,) = re.findall(r"```yaml\n(.*?)```", guide, re.DOTALL)
    steps = yaml.safe_load(workflow)["jobs"]["check"]["steps"]
    (ours,) = [step for step in steps if "ai-independence-bench@" in step.get("uses", "")]
    assert set(ours["with"]) <= set(ACTION["inputs"])
    (snippet,) = re.findall(r"```python\n(.*?)```", guide, re.DOTALL)
    monkeypatch.chdir(tmp_path)
    exec(compile(snippet, "ci.md", "exec"), {"__name__": "__main__"})
    assert capsys.readouterr().out.startswith("pass ")
