"""What `import independence` offers."""

from __future__ import annotations

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import independence

RUNNING = {
    "acheck", "adecide", "aestimate_cost", "agrade", "arerun", "arun", "check", "decide", "estimate_cost", "grade",
    "rerun", "run",
}  # fmt: skip
OPTIONS = {
    "ConnectionOptions", "DecisionOptions", "GateOptions", "GradeOptions", "SuitePart",
    "RerunOptions", "RunOptions", "Sampling",
}  # fmt: skip
RESULTS = {"Event", "RunPreview", "RunResult"}
ERRORS = {"IndependenceError", "StoreError", "UsageError"}
READING = {
    "InferenceOptions", "OtherSide", "Store", "compare", "compare_profiles", "compare_suites", "export", "export_logs",
    "export_site", "import_logs", "load_suite", "read_profile", "read_results", "write_report_file",
}  # fmt: skip
READ = {
    "BoardResult", "CheckResult", "ComparisonResult", "DecisionResult", "LoadedSuite", "ProfileResult",
    "StemComparisonResult", "SuiteComparisonResult", "Trajectory",
}  # fmt: skip
ADOPTING = {"adopt_suite", "verify_suite"}


def test_these_names_are_offered_and_no_others() -> None:
    every = {"__version__", "testing"} | RUNNING | OPTIONS | RESULTS | ERRORS | READING | ADOPTING | READ
    assert set(independence.__all__) == every


def test_a_name_that_is_offered_is_there() -> None:
    assert [name for name in independence.__all__ if getattr(independence, name) is None] == []
    assert sorted(independence.__all__) == dir(independence)


def test_the_types_of_what_is_offered_are_declared() -> None:
    source = Path(independence.__file__ or "").read_text(encoding="utf-8")
    checked = next(node for node in ast.parse(source).body if isinstance(node, ast.If))  # if TYPE_CHECKING
    homes = {
        alias.asname: node.module for node in checked.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    assert {*homes, "__version__"} == set(independence.__all__)
    for name, module in homes.items():
        assert getattr(import_module(module or ""), name) is getattr(independence, name)


def test_a_name_that_is_not_offered_is_an_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute `play`"):
        _ = independence.play  # type: ignore[attr-defined]


# What takes long to load, and what a run in a notebook has no use for.
LARGE = {"aiohttp", "asyncio", "click", "markdown_it", "msgspec", "numpy", "py3langid", "rich", "sqlite3", "yaml"}
NEEDLESS = {
    "aiohttp.web",
    "click",
    "independence.cli",
    "independence.viewer",
    "markdown_it",
    "py3langid",
    "pyarrow",
    "rich",
}


def loaded(code: str) -> set[str]:
    """The modules that some code loads in a fresh process, beyond those that are there at its start."""
    code = f"import sys; before = set(sys.modules); {code}; print(*set(sys.modules) - before)"
    return set(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split())


def test_importing_it_loads_nothing_of_it() -> None:
    names = loaded("import independence")
    assert {name for name in names if name.startswith("independence.")} | names & LARGE == set()


def test_what_a_run_needs_is_all_that_it_loads() -> None:
    names = loaded("import independence; independence.run")
    assert "independence.api.running" in names
    assert names & NEEDLESS == set()
