"""Every option of every command changes an outcome: what is printed, written, stored, sent, or the exit code.

`options.yaml` has, of each command, a line that works, and of each of its options what is added to that line and a text
that the outcome shows then and does not show without (`lacks`: the reverse). `elsewhere` names the file of another test
of it; `unseen` says why there is none. Where no small run shows an effect, as that of `-pt`, the outcome
is that a senseless one is refused.
"""

from __future__ import annotations

import json
import shlex
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import click
import pytest
import yaml

from independence.cli.main import COMMANDS, main
from independence.testing import Endpoint
from tests import toy
from tests.e2e import command, suites
from tests.stores import once

ROOT = Path(__file__).parents[2]
TABLE: dict[str, dict[str, Any]] = yaml.safe_load(Path(__file__).with_name("options.yaml").read_text("utf-8"))
KEY = "sk-or-v1-5f0c1e7a9d3b4268e2e2e2e2e2e2e2e2"
_ROWS = (
    "SELECT p.suite, p.variant, p.mode, p.config_dir, p.scenario, p.run, (SELECT group_concat(judge) FROM (SELECT "
    "DISTINCT judge FROM verdicts v WHERE v.trial = p.trial ORDER BY 1)), (SELECT count(*) FROM calls c WHERE "
    "c.trial = p.trial AND c.missing IS NULL) FROM planned p ORDER BY 1, 2, 3, 4, 5, 6"
)
_SAID = "SELECT trial, turn, text FROM calls ORDER BY 1, 2"


def options() -> dict[str, list[str]]:
    """The options of every command, each by its longest name, and arguments."""
    context = click.Context(main)
    found: dict[str, list[str]] = {}

    def walk(name: str, one: click.Command) -> None:
        found[name] = [max(own.opts, key=len) for own in one.params if own.name != "help"]
        if isinstance(one, click.Group):
            for sub in one.list_commands(context):
                inner = one.get_command(context, sub)
                assert inner is not None
                walk(f"{name} {sub}", inner)

    for name in COMMANDS:
        one = main.get_command(context, name)
        assert one is not None
        walk(name, one)
    return found


def make(folder: Path) -> None:
    """A folder with stores of two suites under several conditions and judges, and files to name in options."""
    toy.write(folder / "toy")
    suites.write(folder / "harbour", suites.harbour())
    (folder / "persona.md").write_text("You keep a lighthouse.\n")
    (folder / "taken").mkdir()
    (folder / "taken" / "subjects.jsonl").write_text("somebody else's\n")
    for line in TABLE["made"]["lines"]:
        command.ok(*shlex.split(line), cwd=folder)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return once(tmp_path_factory, "options", make)


class Served(NamedTuple):
    """Two endpoints: what the first one lists is so dear that a command asks before; the second lists no price."""

    dear: Endpoint
    free: Endpoint


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    with Endpoint(price="90000/90000") as dear, Endpoint(ways="no-listing") as free:
        yield Served(dear, free)


def outcome(line: str, made: Path, folder: Path, served: Served) -> str:
    """Everything that a command line leaves behind, as text."""
    shutil.copytree(made, folder)
    (folder / "models.yaml").write_text(TABLE["made"]["models"].format(url=served.dear.url))
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    for one in served:
        one.log.bodies.clear()
    words = [word.format(url=served.dear.url, free=served.free.url) for word in shlex.split(line)]
    # No line reaches another server than these two.
    env = {"LOOP_KEY": KEY, "OPENROUTER_API_KEY": KEY, "OPENROUTER_BASE_URL": served.dear.url, "COLUMNS": "200"}
    ended = command.run(*words, cwd=folder, env=env)
    new = (path for path in sorted(folder.rglob("*")) if path.stat().st_mtime_ns != before.get(path))
    left = [f"{path.relative_to(folder)}:\n{written(path)}" for path in new if path.is_file()]
    sent = sorted(json.dumps(body, sort_keys=True) for one in served for body in one.bodies)
    parts = [f"code {ended.code}", ended.out, ended.err, *left, *sent]
    return "\n".join(parts).replace(str(folder), "HERE")


def written(path: Path) -> str:
    """A file as text: of a store, what is planned, answered and graded."""
    content = path.read_bytes()
    if not content.startswith(b"SQLite format 3"):
        return content.decode("utf-8", "replace")
    with closing(sqlite3.connect(path)) as connection:
        rows = [*connection.execute(_ROWS), *connection.execute(_SAID)]
        return "\n".join(" ".join(map(str, row)) for row in rows)


def test_every_option_has_a_case() -> None:
    cases = {name: sorted(rows.keys() - {"line"}) for name, rows in TABLE.items() if name != "made"}
    assert cases == {name: sorted(found) for name, found in options().items()}


@pytest.mark.parametrize("name", [name for name in TABLE if name != "made"])
def test_every_option_of_a_command_changes_its_outcome(name: str, made: Path, served: Served, tmp_path: Path) -> None:
    known: dict[str, str] = {}
    wrong: dict[str, str] = {}
    for option, case in TABLE[name].items():
        if option == "line" or "unseen" in case:
            continue
        if "elsewhere" in case:
            if option not in (ROOT / case["elsewhere"]).read_text("utf-8"):
                wrong[option] = f"{case['elsewhere']} has none of it"
            continue
        base = case.get("line", TABLE[name]["line"])
        if base not in known:
            known[base] = outcome(base, made, tmp_path / f"base{len(known)}", served)
        found = outcome(f"{base} {case['add']}", made, tmp_path / option.strip("-"), served)
        text, shown = case.get("shows") or case["lacks"], "shows" in case
        if [text in found, text in known[base]] != [shown, not shown]:
            wrong[option] = f"{text!r} with it: {text in found}, without it: {text in known[base]}"
    assert wrong == {}
