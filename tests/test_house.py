"""The house's own rules that no linter knows: sizes, names, signatures, and what must not be in any file."""

from __future__ import annotations

import ast
import re
import statistics
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "independence"
MODULES = sorted(SOURCE.rglob("*.py"))

LARGEST_FILE, MEDIAN_FILE, LARGEST_FUNCTION = 500, 157, 45
FORBIDDEN_NAMES = {"utils", "helpers", "common", "misc", "util", "helper"}

# Where JSON of any shape comes in or goes out, and so has no type of its own.
EDGES = {
    "types.py": "a JSON schema on its way to the wire",
    "judge/schema.py": "JSON schemas, and what a judge wrote",
}
EDGE_ROOMS = ("clients/", "exchange/", "testing/")


def named(path: Path) -> str:
    return path.relative_to(SOURCE).as_posix()


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def lines(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def test_a_file_can_be_read_in_one_go() -> None:
    assert {named(path): lines(path) for path in MODULES if lines(path) > LARGEST_FILE} == {}


def test_most_files_are_short() -> None:
    assert statistics.median(lines(path) for path in MODULES if path.name != "__init__.py") <= MEDIAN_FILE


def test_a_function_fits_on_a_screen() -> None:
    lengths = {
        f"{named(path)}:{node.lineno} {node.name}": (node.end_lineno or 0) - node.lineno + 1
        for path in MODULES
        for node in functions(parsed(path))
    }
    assert {name: length for name, length in lengths.items() if length > LARGEST_FUNCTION} == {}


def test_a_module_is_named_after_what_it_holds() -> None:
    assert [named(path) for path in MODULES if {path.stem, path.parent.name} & FORBIDDEN_NAMES] == []


def annotations(tree: ast.Module) -> Iterator[ast.expr]:
    """Annotations of public functions, methods and fields."""
    bodies = [tree.body]
    for body in bodies:
        for node in body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                bodies.append(node.body)
            elif isinstance(node, ast.AnnAssign) and not ast.unparse(node.target).startswith("_"):
                yield node.annotation
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith("_"):
                arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
                yield from filter(None, [*(argument.annotation for argument in arguments), node.returns])


def untyped(path: Path) -> int:
    """How many public values are a mapping of anything."""
    anything = re.compile(r"(dict|Mapping)\[str, Any\]")
    return sum(bool(anything.search(ast.unparse(annotation))) for annotation in annotations(parsed(path)))


def test_values_have_types_of_their_own() -> None:
    inside = [path for path in MODULES if not named(path).startswith(EDGE_ROOMS)]
    assert {named(path) for path in inside if untyped(path)} == EDGES.keys()


def ignored() -> set[str]:
    """Patterns of the paths and names that git does not track."""
    entries = (ROOT / ".gitignore").read_text(encoding="utf-8").split()
    return {entry.rstrip("/") for entry in entries} | {".git"}


def tracked() -> Iterator[Path]:
    """Every file of the repository."""
    patterns = ignored()
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


def texts() -> Iterator[tuple[str, str]]:
    """Every text file outside the tests, by its name."""
    for path in tracked():
        name = path.relative_to(ROOT).as_posix()
        if not name.startswith("tests/"):
            try:
                yield name, path.read_text(encoding="utf-8")
            except UnicodeDecodeError:
                continue


@pytest.mark.parametrize(
    ("what", "pattern"),
    [
        ("a path of some machine", r"(?<![\w.:/*-])/(work|root|tmp|home/\w+)/\w"),
        ("the address of a package registry", r"pypi\.org|files\.pythonhosted|registry\.(npmjs|yarnpkg)"),
        ("a mark of unfinished work", r"\b(TODO|FIXME|XXX)\b"),
        ("a key", r"\bsk-or-v1-[0-9a-f]{8}"),
    ],
)
def test_no_file_holds(what: str, pattern: str) -> None:
    found = [(name, match[0]) for name, text in texts() if (match := re.search(pattern, text))]
    assert found == [], what


def test_nothing_lies_at_the_root_that_is_not_known() -> None:
    """Scratch files and downloaded data were committed from there before."""
    files = {
        ".dockerignore", ".env.example", ".gitattributes", ".gitignore", ".pre-commit-config.yaml", "CHANGELOG.md",
        "CITATION.cff", "CONTRIBUTING.md", "Dockerfile", "LICENSE", "MANIFEST.in", "Makefile", "README.md",
        "RELEASING.md", "action.yml", "mkdocs.yml", "pyproject.toml",
    }  # fmt: skip
    folders = {".ci", ".github", "benchmarks", "docs", "src", "tests", "web"}
    assert {path.relative_to(ROOT).parts[0] for path in tracked()} - {".git"} == files | folders


def test_the_walk_sees_the_repository_and_nothing_else() -> None:
    names = {path.relative_to(ROOT).as_posix() for path in tracked()}
    assert {"pyproject.toml", "src/independence/types.py", "tests/test_house.py"} <= names
    assert not [name for name in names if name.endswith(".pyc") or name.startswith((".venv/", ".git/"))]
