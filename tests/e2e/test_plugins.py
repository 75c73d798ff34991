"""Kinds of things that another installed package brings, used by the real command."""

from __future__ import annotations

import csv
import os
import tomllib
from pathlib import Path

from independence.config import plugins
from tests import plugin
from tests.e2e import command, endpoint, suites
from tests.e2e.command import Ended

TOY = """
from independence.clients.dialects import Dialect


class Toy(Dialect):
    def headers(self, endpoint):
        return super().headers(endpoint) | {"Authorization": f"Bearer toy-{endpoint.api_key}"}


DIALECT = Toy()
"""


JUDGE = """
from independence.judge.kinds import JudgeKind
from independence.judge.protocol import Judge
from independence.types import Verdict


class LongAnswers(Judge, frozen=True):
    @property
    def settings(self):
        return '{"judge":"toyjudge"}'

    async def grade(self, dialogue, client=None):
        at = 1 if len(dialogue.turns[-1].answer) > 40 else 0
        ends = {name: field.range or (False, True) for name, field in dialogue.rubric.fields.items()}
        return Verdict({name: bool(at) if field.type == "boolean" else ends[name][at]
                        for name, field in dialogue.rubric.fields.items()})


KIND = JudgeKind(word="toyjudge", configure=lambda name, sources: LongAnswers(name))
"""


SHARES = """
from independence.report.analysis import Analysis, one_table
from independence.report.board import board_data, rows
from independence.report.files.table import Column
from independence.stats.estimates import Estimate


class Held(Analysis):
    def board(self, connection, scope, options):
        data = board_data.read_verdicts(connection, scope, options.judge)
        made = []
        for config, planned in data.planned.items():
            share = 100 * sum(one.values is not None for one in planned) / len(planned)
            made.append(rows.of_subject(data, config, {}, estimates={"share": Estimate(share)}))
        return one_table(data, "Held", made, [Column("share", "Held", "number")])

    def check(self, suite):
        if suite.index is not None:
            yield "$.index", "`held` reads no index"


HELD = Held()
"""


EXECUTOR = """
from contextlib import asynccontextmanager, contextmanager

from independence.engine.executors.local import LocalExecutor
from independence.engine.executors.protocol import ExecutorKind


class OneByOne(LocalExecutor):
    @asynccontextmanager
    async def trials(self, context, shares):
        async with super().trials(context, shares) as carry_out:

            async def one_by_one(todo):
                print(f"dealt {len(todo)}")
                return sum([await carry_out([item]) for item in todo])

            yield one_by_one


@contextmanager
def opened(options):
    print("opened")
    yield OneByOne()
    print("closed")


KIND = ExecutorKind(opened)
"""


RUN = ("run", "--suite", "harbour", "--runs", "1", "--db", "here.db")
HELD_SUITE = suites.harbour() | {"analysis": "held"}


class Installed:
    """Commands in processes of their own that find these packages."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._packages: list[str] = []

    def add(self, name: str, source: str, **declared: str) -> Path:
        """Install a package; returns its module."""
        found = plugin.install(self._folder / "packages" / name, name, source, **declared)
        self._packages.append(str(found))
        return found / f"{name}.py"

    def run(self, *arguments: str, code: int = 0) -> Ended:
        path = os.pathsep.join([*self._packages, *filter(None, [os.environ.get("PYTHONPATH")])])
        env = {"LOOP_KEY": "secret", "PYTHONPATH": path, "COLUMNS": "80"}
        ended = command.apart(*arguments, cwd=self._folder, env=env)
        assert ended.code == code, ended.err
        return ended


def unknown(folder: Path, *arguments: str) -> str:
    """How a command ends that finds no such package."""
    ended = command.run(*arguments, cwd=folder, env={"LOOP_KEY": "secret"})
    assert ended.code == 2
    return ended.err.strip()


def test_an_endpoint_speaks_a_dialect_and_a_suite_is_read_by_an_analysis_of_other_packages(tmp_path: Path) -> None:
    installed = Installed(tmp_path)
    installed.add("toy_package", TOY, dialects="toy = toy_package:DIALECT")
    installed.add("held_package", SHARES, analyses="held = held_package:HELD")
    suites.write(tmp_path / "harbour", HELD_SUITE)
    assert "`held` reads no index" in installed.run("suites", "lint", "harbour", code=1).out
    suites.write(tmp_path / "harbour", {key: value for key, value in HELD_SUITE.items() if key != "index"})
    run = (*RUN, "-m", "loop/half", "-j", "cues")
    with endpoint.serving(tmp_path, "--key", "toy-secret") as served:
        file = endpoint.models_file(tmp_path, served.base_url)
        file.write_text(file.read_text().replace("openrouter", "toy"))
        assert "Held" in installed.run(*run).out
        assert {request.status for request in served.requests()} == {200}
    shown = csv.DictReader(installed.run("leaderboard", "--db", "here.db", "--format", "csv").out.splitlines())
    assert [row["share"] for row in shown] == ["100.0"]
    installed.run("generate-report", "--db", "here.db")
    assert "| Subject | Held |" in (tmp_path / "report.md").read_text()
    assert "which has none" in installed.run("leaderboard", "--db", "here.db", "--scoring", "v2", code=2).err
    assert unknown(tmp_path, "run", "--suite", "lite", "-m", "loop/half", "-j", "cues").endswith(
        "models.yaml:2: no dialect `toy`; there are local, openai, openrouter, python; a package adds one by an entry "
        "point of group `independence.dialects`"
    )
    file.unlink()
    assert unknown(tmp_path, *RUN, "-m", "sim/half", "-j", "cues").endswith(
        "no analysis `held`; there are index, paired_sides, persona, reasons, ladder, stance_csv; "
        "a package adds one by an entry point "
        "of group `independence.analyses`"
    )


def test_a_judge_of_another_package_grades_what_is_stored(tmp_path: Path) -> None:
    installed = Installed(tmp_path)
    module = installed.add("toy_judges", JUDGE, judges="toyjudge = toy_judges:KIND")
    suites.write(tmp_path / "harbour", suites.harbour())
    command.ok(*RUN, "-m", "sim/half", "-j", "cues", cwd=tmp_path)
    grade = ("judge", "-j", "toyjudge", "--db", "here.db", "--format", "json")
    graded = installed.run(*grade).board
    assert graded["judge"] == "toyjudge"
    assert all(row["index"] is not None for row in graded["rows"])
    shown = command.run("leaderboard", "-j", "toyjudge", "--db", "here.db", "--format", "json", cwd=tmp_path)
    assert shown.board["rows"] == graded["rows"]  # without the package it is a judge like any other
    module.write_text("import nothing_of_that_name")
    assert (
        installed.run(*grade, code=2)
        .err.strip()
        .endswith("judge `toyjudge`: toy_judges:KIND cannot be loaded (No module named 'nothing_of_that_name')")
    )


def test_a_run_is_carried_out_by_an_executor_of_another_package(tmp_path: Path) -> None:
    installed = Installed(tmp_path)
    installed.add("toy_executors", EXECUTOR, executors="one-by-one = toy_executors:KIND")
    suites.write(tmp_path / "harbour", suites.harbour())
    run = (*RUN, "-m", "sim/half", "-j", "cues", "--executor", "one-by-one")
    assert installed.run(*run).out.split()[:4] == ["opened", "dealt", "3", "closed"]
    assert "0 calls and 0 verdicts to go" in command.ok(*RUN, "-m", "sim/half", "-j", "cues", cwd=tmp_path).err
    assert unknown(tmp_path, *run).endswith(
        "no executor `one-by-one`; there are local, ray; a package adds one by an entry point of group "
        "`independence.executors`"
    )


def test_our_own_extensions_are_declared_as_those_of_other_packages_are() -> None:
    declared = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]["entry-points"]
    assert {group: dict(names) for group, names in plugins.OURS.items()} == {
        group: names for group, names in declared.items() if group.startswith("independence.")
    }
