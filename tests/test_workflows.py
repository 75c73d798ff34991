"""What runs the tests elsewhere runs the same tests: the workflow, the hook, the targets of the Makefile."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sysconfig
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parent.parent
MAKEFILE = (ROOT / "Makefile").read_text("utf-8")
TARGETS = re.findall(r"^([a-z-]+):.*## ", MAKEFILE, re.MULTILINE)
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
GUIDES = sorted((ROOT / "docs").glob("*.md"))


def document(path: str) -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((ROOT / path).read_text("utf-8"))
    return loaded


def test_the_workflow_runs_what_ci_runs_on_every_python_that_is_supported() -> None:
    jobs = document(".github/workflows/test.yml")["jobs"]
    assert {"run": ".ci/run"} in jobs["test"]["steps"]
    assert {"run": "make demo"} in jobs["demo"]["steps"]
    classified = re.findall(r"Python :: (3\.\d+)", (ROOT / "pyproject.toml").read_text("utf-8"))
    assert jobs["test"]["strategy"]["matrix"]["python"] == classified


def test_actionlint_finds_nothing_in_workflows_and_in_those_of_guides(tmp_path: Path) -> None:
    found = shutil.which("actionlint", path=f"{sysconfig.get_path('scripts')}{os.pathsep}{os.environ['PATH']}")
    if found is None:
        pytest.skip("actionlint is not installed")
    shown = [block for path in GUIDES for block in re.findall(r"```yaml\n(.*?)```", path.read_text("utf-8"), re.DOTALL)]
    files = [*WORKFLOWS]
    for number, block in enumerate(block for block in shown if re.search(r"^jobs:", block, re.MULTILINE)):
        files.append(tmp_path / f"{number}.yml")
        files[-1].write_text(block)
    assert len(files) > len(WORKFLOWS)
    ended = subprocess.run([found, "-no-color", *files], check=False, cwd=tmp_path, capture_output=True, text=True)
    assert (ended.returncode, ended.stdout + ended.stderr) == (0, "")


def test_workflows_and_guides_name_one_version_of_an_action_and_every_job_ends() -> None:
    texts = [path.read_text("utf-8") for path in (*WORKFLOWS, *GUIDES)]
    used = {tuple(one.split("@")) for text in texts for one in re.findall(r"uses: ([\w/.-]+@\S+)", text)}
    assert len({name for name, _ in used}) == len(used), used
    families = {(name.split("/")[1], version) for name, version in used if name.startswith("actions/")}
    assert len({name for name, _ in families}) == len(families), families
    jobs = [job for path in WORKFLOWS for job in document(str(path))["jobs"].values()]
    assert all(job["timeout-minutes"] for job in jobs)


def test_a_release_is_published_by_a_tag_alone_and_by_no_job_that_runs_what_was_built() -> None:
    jobs = document(".github/workflows/release.yml")["jobs"]
    writing = {name for name, job in jobs.items() if "id-token" in job.get("permissions", {})}
    assert writing == {"publish"}
    assert jobs["publish"]["if"] == "github.event_name == 'push'"
    assert (jobs["publish"]["needs"], [step for step in jobs["publish"]["steps"] if "run" in step]) == ("build", [])
    assert {"run": "make package"} in jobs["build"]["steps"]


def test_the_workflow_lints_a_fresh_clone_by_the_hook_and_runs_its_tests_without_extras_and_data() -> None:
    steps = [step["run"] for step in document(".github/workflows/test.yml")["jobs"]["fresh"]["steps"] if "run" in step]
    assert steps == ["make install-dev", ".venv/bin/pre-commit run --all-files", "make test-fast"]


def test_a_workflow_tries_both_ends_of_the_range_of_inspect() -> None:
    job = document(".github/workflows/inspect.yml")["jobs"]["inspect"]
    assert job["strategy"]["matrix"] == {"release": ["floor", "newest"]}
    assert {"run": "python -m tools.inspect_versions ${{ matrix.release }}"} in job["steps"]


def test_the_hook_runs_targets_that_exist() -> None:
    hooks = document(".pre-commit-config.yaml")["repos"][0]["hooks"]
    made = [hook["entry"].split()[1] for hook in hooks if hook["entry"].startswith("make ")]
    assert "lint" in made
    assert set(made) <= set(TARGETS)


def test_every_target_is_declared_and_can_be_planned() -> None:
    declared = re.search(r"\.PHONY:((?:.*\\\n)*.*)", MAKEFILE)
    assert declared is not None
    assert set(TARGETS) == set(declared[1].replace("\\", " ").split())
    planned = subprocess.run(
        ["make", "-n", *TARGETS, "MODELS=acme/small"], check=False, cwd=ROOT, capture_output=True, text=True
    )
    assert planned.returncode == 0, planned.stderr


def test_variables_of_make_are_options_of_a_run() -> None:
    given = {"EXP": "identity", "VARIANTS": "neutral", "MODES": "user_role", "JUDGE": "cues", "REASONING": "high"}
    line = [
        "make",
        "-n",
        "run-models",
        "MODELS=a/b,c/d",
        "PARALLEL=2",
        *(f"{name}={value}" for name, value in given.items()),
    ]
    more = " --exp identity --variants neutral --modes user_role --judge cues --reasoning-effort high --parallel 2"
    runs = ["make", "-n", "run", *line[3:]]
    for asked, options in ((line, more), (line[:4], ""), (runs, more), (runs[:4], "")):
        planned = subprocess.run(asked, check=True, cwd=ROOT, capture_output=True, text=True).stdout
        (run,) = [line.split("independence ")[1] for line in planned.splitlines() if "independence run" in line]
        assert " ".join(run.split()) == f"run -m a/b,c/d --max-cost 5{options}"


def test_targets_that_need_models_say_so(tmp_path: Path) -> None:
    (tmp_path / ".venv").mkdir()
    (tmp_path / ".venv" / ".run").touch()
    for target in ("run-models", "estimate-cost"):
        ended = subprocess.run(
            ["make", "-f", ROOT / "Makefile", "-o", ".venv/.run", target],
            check=False,
            cwd=tmp_path,
            capture_output=True,
            text=True,
        )
        assert ended.returncode == 2
        assert "MODELS=vendor/model" in ended.stdout
