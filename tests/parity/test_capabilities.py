"""What the published projects can do can be had here, or the migration page says why not: `capabilities.yaml`."""

from __future__ import annotations

import ast
import functools
import re
import shlex
from pathlib import Path

import pytest
import yaml

from tests import test_docs
from tests.parity import lines
from tests.parity.lines import STORE, Workplace

ROOT = Path(__file__).parents[2]
TABLE: dict[str, list[dict[str, str]]] = yaml.safe_load(
    Path(__file__).with_name("capabilities.yaml").read_text("utf-8")
)
ROWS = [row for rows in TABLE.values() for row in rows]
KINDS = ("command", "test", "page", "viewer", "missing")
MAY_HAVE = {
    "command": {"shows", "store"},
    "page": {"says"},
    "viewer": {"shows", "store"},
    "missing": {"until"},
    "test": set(),
}
MIGRATING = (ROOT / "docs" / "migrating.md").read_text("utf-8")
WRITTEN = (".md", ".json", ".jsonl", ".csv")


def of(kind: str) -> list[dict[str, str]]:
    """The rows of one kind."""
    return [row for row in ROWS if kind in row]


def plain(text: str) -> str:
    """A text in one line of single blanks."""
    return " ".join(text.split())


def ran() -> dict[tuple[str, str], list[str]]:
    """Store and line -> what it has to show."""
    found: dict[tuple[str, str], list[str]] = {}
    for row in of("command"):
        if "shows" in row:
            found.setdefault((row.get("store", STORE), row["command"]), []).append(row["shows"])
    return found


def test_every_row_has_one_kind_of_proof() -> None:
    assert len(ROWS) >= 200
    for row in ROWS:
        (kind,) = [kind for kind in KINDS if kind in row]
        assert row.keys() - {"what", "there", kind} <= MAY_HAVE[kind], row
    assert [row for row in of("page") if "says" not in row] + [row for row in of("viewer") if "shows" not in row] == []


def test_every_command_parses() -> None:
    assert len(of("command")) > 80
    for row in of("command"):
        lines.parsed(row["command"])


@pytest.mark.parametrize(("store", "line"), ran(), ids=[" ".join(key) for key in ran()])
def test_a_command_shows_what_its_rows_say(store: str, line: str, place: Workplace, tmp_path: Path) -> None:
    folder = tmp_path / "here"
    ended = place.run(line, folder, store)
    assert ended.code == 0, ended.err
    before = {path.relative_to(place.made) for path in place.made.rglob("*")}
    new = [path for path in folder.rglob("*") if path.relative_to(folder) not in before and path.suffix in WRITTEN]
    seen = plain(" ".join([ended.out, ended.err, *(path.read_text("utf-8") for path in new)]))
    assert [text for text in ran()[store, line] if text not in seen] == []


@functools.cache
def names_in(file: str) -> set[str]:
    """The names of a file's tests."""
    tree = ast.parse((ROOT / file).read_text("utf-8"))
    found = {one.name for one in ast.walk(tree) if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)}
    return {name for name in found if name.startswith("test_")}


def test_every_test_that_is_named_is_there() -> None:
    named = [row["test"].partition("::") for row in of("test")]
    assert len(named) > 100
    assert [
        f"{file}::{name}" for file, _, name in named if not name.startswith("test_") or name not in names_in(file)
    ] == []


def test_every_page_that_is_named_says_so() -> None:
    for row in of("page"):
        file, _, _ = row["page"].partition("#")
        assert test_docs.leads_somewhere(ROOT / "README.md", row["page"]), row
        assert row["says"] in plain((ROOT / file).read_text("utf-8")), row


def test_the_migration_page_names_what_the_originals_have() -> None:
    codes = set(re.findall(r"`([^`\n]+)`", MIGRATING))
    named = [row["there"] for row in ROWS if "there" in row]
    assert len(named) > 100
    assert [name for name in named if not any(name in code for code in codes) and name not in MIGRATING] == []


def test_the_migration_page_says_why_something_is_missing_and_names_nothing_else() -> None:
    (section,) = re.findall(r"^## What is not here$(.*)\Z", MIGRATING, re.MULTILINE | re.DOTALL)
    said = [plain(item) for item in re.findall(r"^- (.*(?:\n  .*)*)", section, re.MULTILINE)]
    assert sorted(said) == sorted(plain(row["missing"]) for row in of("missing"))


@pytest.mark.parametrize("line", [row["until"] for row in of("missing") if "until" in row])
def test_what_is_missing_is_still_refused(line: str, place: Workplace, tmp_path: Path) -> None:
    """Where this fails, the line has come to work: give its row the command, and the page too."""
    assert shlex.split(line)[0] == "independence"
    assert place.run(line, tmp_path / "here").code == 2
