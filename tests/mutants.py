"""How many small changes of the source the tests notice: `python -m tests.mutants [--sample N] [--seed N] [...]`.

A seeded sample of places is changed, one at a time: a comparison, an operator, a number, a condition, an argument left
out. Of each, the test files that run its line are run, those of `make test-fast` first, until one fails. Which files
run which line is found once by coverage, below `.mutants`; `--map` finds it anew. Exit code 0, whatever the share.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import Any, NamedTuple

import pytest

import coverage

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "independence"
KEPT = ROOT / ".mutants"
# What `make test-fast` leaves out.
SLOW = ("tests/e2e/", "tests/browser/", "tests/gates/", "tests/test_docs.py", "tests/cli/test_options.py")
MOST_S = 60.0  # of test time on one change; what is noticed later counts as unnoticed
_PYTEST = ("-m", "pytest", "-q", "-m", "not deep", "-p", "no:cacheprovider")
_COMPARED = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
_COMPUTED = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Div}


class Mutant(NamedTuple):
    """One change: the text between two positions of a file, and what stands there instead."""

    file: str  # below the package
    statement: (
        str  # the function it is in, its text, and which of those with the same text: an edit elsewhere moves none
    )
    line: int
    start: int
    end: int
    new: str


class Outcome(NamedTuple):
    """What the tests made of it."""

    mutant: Mutant
    by: str  # the test file that failed; empty: none did


def changed(node: ast.AST) -> Iterator[ast.expr]:
    """What may stand in a node's place."""
    if isinstance(node, ast.Compare) and type(node.ops[0]) in _COMPARED:
        yield ast.Compare(node.left, [_COMPARED[type(node.ops[0])](), *node.ops[1:]], node.comparators)
    elif isinstance(node, ast.BinOp) and type(node.op) in _COMPUTED and not _texts(node):
        yield ast.BinOp(node.left, _COMPUTED[type(node.op)](), node.right)
    elif isinstance(node, ast.BoolOp):
        yield ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield node.operand
    elif isinstance(node, ast.IfExp):
        yield ast.IfExp(node.test, node.orelse, node.body)
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool | int | float):
        yield ast.Constant(not node.value if isinstance(node.value, bool) else node.value + 1)
    elif isinstance(node, ast.Call):
        for one in node.keywords:
            if one.arg and one.arg != "strict":
                yield ast.Call(node.func, node.args, [other for other in node.keywords if other is not one])


def _texts(node: ast.BinOp) -> bool:
    """Whether text is put together, where another operator is an error that any test notices."""
    return any(isinstance(side, ast.JoinedStr | ast.Constant) and not _number(side) for side in (node.left, node.right))


def _number(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float)


def mutants(path: Path, root: Path = SOURCE) -> Iterator[Mutant]:
    """Every change of a file, but of annotations and of what a class or module declares."""
    text = path.read_text("utf-8")
    offsets = [0]
    for line in text.encode().splitlines(keepends=True):
        offsets.append(offsets[-1] + len(line))
    seen = Counter[tuple[str, str]]()
    for name, statement in _statements(ast.parse(text), ""):
        said = name, " ".join(ast.unparse(one) for one in ast.iter_child_nodes(statement) if isinstance(one, ast.expr))
        seen[said] += 1
        for node, new in ((one, new) for one in _within(statement) for new in changed(one)):
            start = offsets[node.lineno - 1] + node.col_offset
            end = offsets[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)
            written = f"({ast.unparse(ast.fix_missing_locations(new))})"
            where = f"{name}: {said[1]} #{seen[said]}"
            yield Mutant(path.relative_to(root).as_posix(), where, node.lineno, start, end, written)


def _statements(tree: ast.AST, name: str) -> Iterator[tuple[str, ast.stmt]]:
    """Every statement that stands in a function, and the function's name with those around it."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield from _statements(
                node, f"{name}.{node.name}" if isinstance(node, ast.ClassDef) else f"{name}.{node.name}()"
            )
        else:
            if isinstance(node, ast.stmt) and name.endswith(")"):
                yield name, node
            yield from _statements(node, name)


def _within(statement: ast.AST) -> Iterator[Any]:
    """The expressions of a statement, without those of statements in it, and without annotations."""
    for field, value in ast.iter_fields(statement):
        for node in value if isinstance(value, list) else [value]:
            if isinstance(node, ast.AST) and not isinstance(node, ast.stmt) and field not in ("annotation", "returns"):
                if isinstance(node, ast.expr):
                    yield node
                yield from _within(node)


def sample(count: int, seed: int, only: str) -> list[Mutant]:
    """As many changes, no two of one statement, each file by how much can be changed in it."""
    files = [path for path in sorted(SOURCE.rglob("*.py")) if only in path.relative_to(SOURCE).as_posix()]
    found = {mutant for path in files for mutant in mutants(path)}
    first: dict[tuple[str, str], Mutant] = {}
    for mutant in sorted(found, key=lambda one: drawn(seed, one)):
        first.setdefault((mutant.file, mutant.statement), mutant)
    return list(first.values())[:count]


def drawn(seed: int, mutant: Mutant) -> bytes:
    """An order by chance that no edit of other statements changes."""
    return hashlib.sha256(f"{seed} {mutant.file} {mutant.statement} {mutant.new}".encode()).digest()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """While the map is made, lines are counted for the file whose test runs them."""
    current = coverage.Coverage.current()
    if current is not None:
        current.switch_context(item.path.relative_to(ROOT).as_posix())
    return (yield)


_seconds: defaultdict[str, float] = defaultdict(float)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Add up how long a file takes."""
    _seconds[report.nodeid.partition("::")[0]] += report.duration


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Keep it, in the process that has all reports."""
    if not hasattr(session.config, "workerinput"):
        (KEPT / "seconds.json").write_text(json.dumps(_seconds))


def make_map(workers: int) -> None:
    """Run everything once, with coverage."""
    shutil.rmtree(KEPT, ignore_errors=True)
    KEPT.mkdir()
    data = ("--data-file", str(KEPT / "coverage"))
    here = {"COVERAGE_FILE": str(KEPT / "coverage")}
    tests = (*_PYTEST, "-p", "tests.mutants", "-n", str(workers), "--dist", "loadfile")
    ended = subprocess.run(
        [sys.executable, "-m", "coverage", "run", *data, *tests], cwd=ROOT, check=False, env=os.environ | here
    )
    if ended.returncode not in (0, 1):
        sys.exit(ended.returncode)
    subprocess.run([sys.executable, "-m", "coverage", "combine", "-q", *data], cwd=ROOT, check=True)


class Map:
    """Which test files run a line, in the order in which they are tried."""

    def __init__(self) -> None:
        self._data = coverage.CoverageData(str(KEPT / "coverage"))
        self._data.read()
        self._seconds: dict[str, float] = json.loads((KEPT / "seconds.json").read_text())
        self._lines: dict[str, dict[int, list[str]]] = {}

    def files(self, mutant: Mutant) -> list[str]:
        """Those of its own folder first, short ones first, and no more than fit into the time."""
        if mutant.file not in self._lines:
            self._lines[mutant.file] = self._data.contexts_by_lineno(str(SOURCE / mutant.file))
        own = f"tests/{mutant.file.partition('/')[0]}/"
        found = [name for name in self._lines[mutant.file].get(mutant.line, ()) if (ROOT / name).is_file()]
        order = sorted(found, key=lambda name: (name.startswith(SLOW), not name.startswith(own), self._seconds[name]))
        taken, left = [], MOST_S
        for name in order:
            left -= self._seconds[name]
            if left >= 0 or not taken:
                taken.append(name)
        return taken


def tried(mutant: Mutant, files: list[str], tree: Path) -> Outcome:
    """Change a copy of the source, run the files, and change it back."""
    path = tree / "src" / "independence" / mutant.file
    before = path.read_bytes()
    path.write_bytes(before[: mutant.start] + mutant.new.encode() + before[mutant.end :])
    env = os.environ | {"PYTHONPATH": str(tree / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        ended = subprocess.run(
            [sys.executable, *_PYTEST, "-x", "--basetemp", tree / "tmp", *files],
            cwd=ROOT, env=env, capture_output=True, text=True, check=False, timeout=60 + 10 * MOST_S,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return Outcome(mutant, files[-1])  # it hangs
    finally:
        path.write_bytes(before)
    if ended.returncode == 0:
        return Outcome(mutant, "")
    failed = [line.split()[1] for line in ended.stdout.splitlines() if line.startswith(("FAILED ", "ERROR "))]
    return Outcome(mutant, failed[0].partition("::")[0] if failed else files[0])


def run(found: list[Mutant], workers: int) -> list[Outcome]:
    """Try all of them; says each as it is known."""
    known, trees = Map(), SimpleQueue[Path]()

    def one(mutant: Mutant) -> Outcome:
        files = known_files[mutant]
        tree = trees.get()
        try:
            outcome = tried(mutant, files, tree) if files else Outcome(mutant, "")
        finally:
            trees.put(tree)
        verdict = outcome.by or ("survives" if files else "no test runs it")
        print(f"{mutant.file}:{mutant.line}  {mutant.new[:60]!r}: {verdict}", flush=True)
        return outcome

    known_files = {mutant: known.files(mutant) for mutant in found}
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(workers) as pool:
        for number in range(workers):
            tree = Path(folder) / str(number)
            shutil.copytree(ROOT / "src", tree / "src", ignore=shutil.ignore_patterns("*.egg-info", "__pycache__"))
            trees.put(tree)
        return list(pool.map(one, found))


def summary(outcomes: list[Outcome]) -> str:
    """The share that was noticed, in all and a package."""
    total, noticed, fast = Counter[str](), Counter[str](), Counter[str]()
    for mutant, by in outcomes:
        for name in (mutant.file.partition("/")[0], "all"):
            total[name] += 1
            noticed[name] += bool(by)
            fast[name] += bool(by) and not by.startswith(SLOW)
    names = [*sorted(total.keys() - {"all"}), "all"]
    rows = [
        f"{name:14} {total[name]:5} {fast[name] / total[name]:6.0%} {noticed[name] / total[name]:6.0%}"
        for name in names
    ]
    return "\n".join([f"{'':14} {'':>5} {'fast':>6} {'all':>6}", *rows])


def main() -> None:
    """Read the command line, and do it."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description="How many changes the tests notice.")
    parser.add_argument("--sample", type=int, default=60, help="how many changes (default 60)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="of files whose path below the package holds this")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--map", action="store_true", help="find anew which files run which line")
    asked = parser.parse_args()
    if asked.sample < 1:
        parser.error(f"--sample {asked.sample}: at least 1 is needed")
    if asked.map or not (KEPT / "seconds.json").is_file():
        make_map(asked.workers)
    print(summary(run(sample(asked.sample, asked.seed, asked.only), asked.workers)))


if __name__ == "__main__":
    main()
