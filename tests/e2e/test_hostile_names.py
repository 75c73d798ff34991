"""Names of models that would break a table, a file or a path."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.e2e import command, hostile_server, suites

NAMES = ["a\nb", "x" * 300, "../../up", "<script>x</script>", "q\"uote'", "l\u202eeft", "👩\u200d🚀", "=cmd", "a|b"]


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("names")
    document = suites.harbour()
    document["scenarios"] = document["scenarios"][:1]
    suites.write(folder / "harbour", document)
    with pytest.MonkeyPatch.context() as patch, hostile_server.serving() as url:
        patch.chdir(folder)
        for name in NAMES:
            words = "run --suite harbour -j cues --runs 1 --db here.db --quiet --local-url"
            ended = command.run(*words.split(), f"{url}/any-names/v1", "-m", f"local/{name}")
            assert ended.code == 0, ended.err
    return folder


def test_every_name_is_one_row_of_the_board(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(here)
    ended = command.run("leaderboard", "--db", "here.db", env={"COLUMNS": "250"})
    assert ended.code == 0
    assert r"a\u000ab" in ended.out
    assert "👩\u200d🚀" in ended.out
    assert "\u202e" not in ended.out
    assert len(re.findall(r"^\S* *\S* local/", ended.out, re.MULTILINE)) <= len(NAMES) + 3  # a long one takes lines


def test_every_name_reaches_report_tables_and_export(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(here)
    for _ in range(2):
        ended = command.run("generate-report", "-o", "out/r.md", "--tables", "out/tables", "--db", "here.db")
        assert ended.code == 0, ended.err
    assert command.run("export", "out/data", "--db", "here.db").code == 0
    assert {path.name for path in here.parent.iterdir() if path.name.startswith("up")} == set()
    assert max(len(path.name) for path in here.rglob("*")) < 150
