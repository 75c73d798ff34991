"""The page's own checks, and that what is committed is what its sources give."""

from __future__ import annotations

from pathlib import Path

import pytest

from . import building


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Path:
    where = building.folder(tmp_path_factory.mktemp("page"))
    if where is None:
        pytest.skip("the packages of web/ are not installed; `make web` does it")
    return where


def test_the_committed_page_is_what_its_sources_give(web: Path, tmp_path: Path) -> None:
    building.build(web, tmp_path / "bundle")
    made, committed = dict(building.files(tmp_path / "bundle")), dict(building.files(building.COMMITTED))
    assert sorted(made) == sorted(committed)
    assert [name for name in made if made[name] != committed[name]] == [], "run `make web`"


@pytest.mark.parametrize("name", ["lint", "test"])
def test_the_page_passes_its_own_checks(web: Path, name: str) -> None:
    done = building.script(web, name)
    assert done.returncode == 0, done.stdout + done.stderr
