"""Kinds of things that another installed package brings, used by the real command."""

from __future__ import annotations

import os
from pathlib import Path

from tests import plugin
from tests.e2e import command, endpoint, suites

TOY = """
from independence.clients.dialects import Dialect


class Toy(Dialect):
    def headers(self, endpoint):
        return super().headers(endpoint) | {"Authorization": f"Bearer toy-{endpoint.api_key}"}


DIALECT = Toy()
"""


def test_an_endpoint_speaks_a_dialect_of_another_package(tmp_path: Path) -> None:
    packages = plugin.install(tmp_path / "packages", "toy_package", TOY, dialects="toy = toy_package:DIALECT")
    path = os.pathsep.join([str(packages), *filter(None, [os.environ.get("PYTHONPATH")])])
    env = {"LOOP_KEY": "secret", "PYTHONPATH": path}
    suites.write(tmp_path / "harbour", suites.harbour())
    run = ("run", "--suite", "harbour", "-m", "loop/half", "-j", "cues", "--runs", "1", "--db", "here.db")
    with endpoint.serving(tmp_path, "--key", "toy-secret") as served:
        file = endpoint.models_file(tmp_path, served.base_url)
        file.write_text(file.read_text().replace("openrouter", "toy"))
        ended = command.apart(*run, cwd=tmp_path, env=env)
        assert ended.code == 0, ended.err
        assert {request.status for request in served.requests()} == {200}
        absent = command.apart(*run, cwd=tmp_path, env=env | {"PYTHONPATH": os.environ.get("PYTHONPATH", "")})
    assert absent.code == 2
    assert absent.err.strip().endswith(
        "models.yaml:2: no dialect `toy`; there are local, openrouter; a package adds one by an entry point of group "
        "`independence.dialects`"
    )


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


def test_a_judge_of_another_package_grades_what_is_stored(tmp_path: Path) -> None:
    packages = plugin.install(tmp_path / "packages", "toy_judges", JUDGE, judges="toyjudge = toy_judges:KIND")
    own = os.environ.get("PYTHONPATH", "")
    there = {"PYTHONPATH": os.pathsep.join(filter(None, [str(packages), own]))}
    suites.write(tmp_path / "harbour", suites.harbour())
    run = ("run", "--suite", "harbour", "-m", "sim/half", "-j", "cues", "--runs", "1", "--db", "here.db")
    assert command.apart(*run, cwd=tmp_path).code == 0
    grade = ("judge", "-j", "toyjudge", "--db", "here.db", "--format", "json")
    graded = command.apart(*grade, cwd=tmp_path, env=there)
    assert graded.code == 0, graded.err
    assert graded.board["judge"] == "toyjudge"
    assert all(row["index"] is not None for row in graded.board["rows"])
    shown = command.apart("leaderboard", "-j", "toyjudge", "--db", "here.db", "--format", "json", cwd=tmp_path)
    assert shown.board["rows"] == graded.board["rows"]  # without the package it is a judge like any other
    (packages / "toy_judges.py").write_text("import nothing_of_that_name")
    broken = command.apart(*grade, cwd=tmp_path, env=there)
    assert broken.code == 2
    assert broken.err.strip().endswith(
        "judge `toyjudge`: toy_judges:KIND cannot be loaded (No module named 'nothing_of_that_name')"
    )


SHARES = """
import msgspec

from independence.report import planned_verdicts
from independence.report.analysis import Analysis, GatedValue, RenderedBoard
from independence.report.table import Column, Table


class Row(msgspec.Struct):
    config: str
    share: float


class Document(msgspec.Struct):
    suite: str
    rows: list[Row]


class Held(Analysis):
    flags = ("--fail-under",)

    def board(self, connection, scope, options):
        found = {}
        for one in planned_verdicts.planned_verdicts(connection, scope, options.judge).planned:
            found.setdefault(one.config_dir, []).append(one.values is not None)
        rows = [Row(config, 100 * sum(own) / len(own)) for config, own in found.items()]
        columns = (Column("config", "Subject"), Column("share", "Held", "number"))
        table = Table("board", "Held", columns, tuple((row.config, row.share) for row in rows))
        return RenderedBoard(
            document=Document(scope.suite.suite, rows), record=table, tables=[table], narrow=[table],
            gated=[GatedValue(row.config, row.config, row.share) for row in rows],
        )

    def check(self, suite):
        if suite.index is not None:
            yield "$.index", "`held` reads no index"


HELD = Held()
"""


def test_a_suite_is_read_by_an_analysis_of_another_package(tmp_path: Path) -> None:
    packages = plugin.install(tmp_path / "packages", "held_package", SHARES, analyses="held = held_package:HELD")
    path = os.pathsep.join([str(packages), *filter(None, [os.environ.get("PYTHONPATH")])])
    env = {"PYTHONPATH": path, "COLUMNS": "80"}
    suites.write(tmp_path / "harbour", {**suites.harbour(), "analysis": "held"})
    refused = command.apart("suites", "lint", "harbour", cwd=tmp_path, env=env)
    assert refused.code == 1
    assert "`held` reads no index" in refused.out
    document = {key: value for key, value in suites.harbour().items() if key != "index"}
    suites.write(tmp_path / "harbour", {**document, "analysis": "held"})
    run = ("run", "--suite", "harbour", "-m", "sim/half", "-j", "cues", "--runs", "1", "--db", "here.db")
    ended = command.apart(*run, "--fail-under", "100", cwd=tmp_path, env=env)
    assert ended.code == 0, ended.err
    assert "Held" in ended.out
    board = command.apart("leaderboard", "--db", "here.db", "--format", "json", cwd=tmp_path, env=env).board
    assert [row["share"] for row in board["rows"]] == [100]
    shown = command.apart("leaderboard", "--db", "here.db", "--format", "csv", cwd=tmp_path, env=env)
    assert shown.out.splitlines()[0] == "config,share"
    report = command.apart("generate-report", "--db", "here.db", cwd=tmp_path, env=env)
    assert report.code == 0, report.err
    assert "| Subject | Held |" in (tmp_path / "report.md").read_text()
    flag = command.apart("leaderboard", "--db", "here.db", "--scoring", "v2", cwd=tmp_path, env=env)
    assert (flag.code, "which has none" in flag.err) == (2, True)
    absent = command.apart(*run, cwd=tmp_path)
    assert absent.code == 2
    assert absent.err.strip().endswith(
        "no analysis `held`; there are index, paired_sides, stance_csv; a package adds one by an entry point of group "
        "`independence.analyses`"
    )
