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
