"""The house's own rules that no linter knows: sizes, names, and what must not be in any file."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(__file__).parent.parent
SOURCE, TESTS = ROOT / "src" / "independence", ROOT / "tests"
LARGEST_FILE, LARGEST_FUNCTION = 500, 60
FORBIDDEN_NAMES = {"utils", "helpers", "common", "misc", "util", "helper"}
# What must not be in any file outside the tests.
FORBIDDEN = {
    "a path of some machine": r"(?<![\w.:/*-])/(work|root|tmp|home/\w+)/\w",
    "the address of a package registry": r"pypi\.org|files\.pythonhosted|registry\.(npmjs|yarnpkg)",
    "a mark of unfinished work": r"\b(TODO|FIXME|XXX)\b",
    "a key": r"\bsk-or-v1-[0-9a-f]{8}",
}
# Scratch files and downloaded data were committed from the root before.
AT_THE_ROOT = {
    ".dockerignore", ".env.example", ".gitattributes", ".gitignore", ".pre-commit-config.yaml", "CHANGELOG.md",
    "CITATION.cff", "CONTRIBUTING.md", "Dockerfile", "LICENSE", "MANIFEST.in", "Makefile", "README.md",
    "RELEASING.md", "SECURITY.md", "action.yml", "mkdocs.yml", "pyproject.toml", ".ci", ".github", "benchmarks", "docs",
    "requirements", "src", "tests", "tools", "web",
}  # fmt: skip


def test_files_and_functions_can_be_read_in_one_go_and_are_named_after_what_they_hold() -> None:
    long, unnamed = [], []
    for path in sorted(SOURCE.rglob("*.py")):
        text = path.read_text("utf-8")
        long += [path.name] if len(text.splitlines()) > LARGEST_FILE else []
        unnamed += [path.name] if {path.stem, path.parent.name} & FORBIDDEN_NAMES else []
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = (node.end_lineno or 0) - node.lineno + 1
                long += [f"{path.name}: {node.name}"] if lines > LARGEST_FUNCTION else []
    assert (long, unnamed) == ([], [])


def tracked() -> Iterator[Path]:
    """Every file of the repository: what `.gitignore` does not name."""
    entries = (ROOT / ".gitignore").read_text("utf-8").split()
    patterns = {entry.rstrip("/") for entry in entries} | {".git"}
    folders = [ROOT]
    for folder in folders:
        for path in sorted(folder.iterdir()):
            names = (path.name, path.relative_to(ROOT).as_posix())
            if any(fnmatch(name, pattern) for name in names for pattern in patterns):
                continue
            if path.is_dir():
                folders.append(path)
            else:
                yield path


def test_no_file_holds_what_none_may_and_nothing_unknown_lies_at_the_root() -> None:
    files = list(tracked())
    assert {path.relative_to(ROOT).parts[0] for path in files} - {".git"} == AT_THE_ROOT
    found, read = [], 0
    for path in files:
        name = path.relative_to(ROOT).as_posix()
        if name.startswith("tests/"):
            continue
        try:
            text = path.read_text("utf-8")
        except UnicodeDecodeError:
            continue
        read += 1
        found += [(what, name, hit[0]) for what, pattern in FORBIDDEN.items() if (hit := re.search(pattern, text))]
    assert found == []
    assert read > 500


# Where a test may wait for a time: in virtual time, for what another process leaves, and while one stands still.
WAITS = {
    "clients/test_buckets.py", "clients/test_cases.py", "clients/test_window.py", "engine/test_concurrency.py",
    "engine/test_progress.py", "e2e/endpoint.py", "e2e/test_paused.py", "virtual_time.py",
}  # fmt: skip
WAITING = re.compile(r"\bsleep\((?!0\))|\b(monotonic|perf_counter|time\.time)\(")
INSIDE = re.compile(
    r"^from independence[\w.]* import .*\b_[a-z]|setattr\(\s*(\"independence|'independence)", re.MULTILINE
)


def test_tests_wait_for_no_time_and_know_nothing_private() -> None:
    tests = {path.relative_to(TESTS).as_posix(): path.read_text("utf-8") for path in TESTS.rglob("*.py")}
    del tests["test_house.py"]
    assert {name for name, text in tests.items() if WAITING.search(text)} == WAITS
    assert [name for name, text in tests.items() if INSIDE.search(text)] == []
