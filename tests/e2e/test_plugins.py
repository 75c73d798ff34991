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
        ended = command.run(*run, cwd=tmp_path, env=env)
        assert ended.code == 0, ended.err
        assert {request.status for request in served.requests()} == {200}
        absent = command.run(*run, cwd=tmp_path, env=env | {"PYTHONPATH": os.environ.get("PYTHONPATH", "")})
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
    assert command.run(*run, cwd=tmp_path).code == 0
    grade = ("judge", "-j", "toyjudge", "--db", "here.db", "--format", "json")
    graded = command.run(*grade, cwd=tmp_path, env=there)
    assert graded.code == 0, graded.err
    assert graded.board["judge"] == "toyjudge"
    assert all(row["index"] is not None for row in graded.board["rows"])
    shown = command.run("leaderboard", "-j", "toyjudge", "--db", "here.db", "--format", "json", cwd=tmp_path)
    assert shown.board["rows"] == graded.board["rows"]  # without the package it is a judge like any other
    (packages / "toy_judges.py").write_text("import nothing_of_that_name")
    broken = command.run(*grade, cwd=tmp_path, env=there)
    assert broken.code == 2
    assert broken.err.strip().endswith(
        "judge `toyjudge`: toy_judges:KIND cannot be loaded (No module named 'nothing_of_that_name')"
    )
