"""What type checkers and notebooks know of the Python interface: options, results, names."""

from __future__ import annotations

import importlib.util
import inspect
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tools import derived

import independence

ROOT = Path(__file__).parent.parent
RUNNING = ("run", "rerun", "grade", "check", "decide", "estimate_cost")
PROGRAM = """\
from pathlib import Path

import independence

result = independence.run("v2", models=["a/b"], judges="cues", store="a.db", max_cost=2, grid=Path("g"), limit=3)
print(result.boards[0].tables, result.complete, result.spent_usd)
independence.rerun(top_n=3, temperature=0.3)
independence.grade("cues", suite="v2", trust_judge=True)
independence.check("my.md", models="a/b", min_index=80, against="old.json")
independence.decide("v2", models=("a/b", "a/c"), within=5.0, command="compare")
independence.estimate_cost(independence.RunOptions(), store=Path("a.db"))
independence.run("v2", model="a/b")  # wrong
independence.run("v2", runs="three")  # wrong
independence.rerun(min_index=80)  # wrong
independence.grade("cues", mode="chat")  # wrong
independence.check("v2", within=5)  # wrong
independence.decide("v2", min_index=80)  # wrong
independence.estimate_cost("v2", approve=print)  # wrong
independence.rum("v2")  # wrong
result.bords  # wrong


async def program() -> None:
    await independence.arun("v2", models=["a/b"], effort="low")
    await independence.arun("v2", temprature=0.3)  # wrong
"""
WRONG = [number for number, line in enumerate(PROGRAM.splitlines(), 1) if line.endswith("# wrong")]


@pytest.mark.parametrize("path", derived.files(), ids=lambda path: path.name)
def test_what_is_made_from_records_is_fresh(path: Path) -> None:
    assert path.read_text("utf-8") == derived.files()[path], "run `python -m tools.derived`"


@pytest.mark.parametrize("name", RUNNING)
def test_both_forms_of_a_function_take_the_same(name: str) -> None:
    both = [inspect.signature(getattr(independence, form)).parameters for form in (name, f"a{name}")]
    assert set(both[0]) == set(both[1])
    assert {"options", "store", "suite", "max_cost", "local_url"} <= set(both[0])
    assert not any(one.kind is one.VAR_KEYWORD for one in both[0].values())


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM, encoding="utf-8")
    return path


@pytest.mark.deep
def test_mypy_refuses_a_wrong_option(program: Path) -> None:
    command = [sys.executable, "-m", "mypy", "--config-file", str(ROOT / "pyproject.toml"), "--no-pretty",
               "--cache-dir", str(program.parent), str(program)]  # fmt: skip
    env = os.environ | {"MYPYPATH": str(ROOT / "src")}
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, env=env).stdout
    assert [int(number) for number in re.findall(r"program\.py:(\d+): error", told)] == WRONG, told


@pytest.mark.deep
@pytest.mark.skipif(importlib.util.find_spec("pyright") is None, reason="pyright is not installed")
def test_pyright_refuses_a_wrong_option(program: Path) -> None:
    settings = {"extraPaths": [str(ROOT / "src")], "include": [program.name], "reportUnusedExpression": False}
    (program.parent / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    command = [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable]
    done = subprocess.run(command, cwd=program.parent, capture_output=True, text=True, check=False)
    if not done.stdout.startswith("{"):
        pytest.skip("the package of pyright could not be fetched")
    told = json.loads(done.stdout)["generalDiagnostics"]
    assert [one["range"]["start"]["line"] + 1 for one in told] == WRONG, told


def completed(code: str, **names: object) -> list[str]:
    """What a notebook offers after some code in which `independence` is imported."""
    jedi = pytest.importorskip("jedi", reason="jedi is not installed")
    return [one.name for one in jedi.Interpreter(code, [{"independence": independence, **names}]).complete()]


def test_a_notebook_completes_options() -> None:
    assert completed('independence.run("v2", mod') == ["models=", "models_file=", "modes="]
    assert completed('independence.grade("cues", max_c') == ["max_cost="]
    assert completed('independence.check("v2", min_') == ["min_index=", "min_j="]


def test_a_notebook_completes_results() -> None:
    assert {"board", "boards", "complete", "spent_usd", "missing"} <= set(completed('independence.run("v2").'))
    assert {"tables", "records"} <= set(completed('independence.run("v2").boards[0].'))
    assert {"decision", "document", "to_junit"} <= set(completed('independence.check("v2").'))


def test_a_notebook_offers_no_name_that_is_not_ours() -> None:
    offered = [name for name in completed("independence.") if not name.startswith("_")]
    assert offered == sorted((name for name in independence.__all__ if not name.startswith("_")), key=str.lower)
