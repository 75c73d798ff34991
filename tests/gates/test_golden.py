"""Results of the demos and editions of the suites that ship, number for number."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.gates import golden, made
from tests.stores import Stores


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.deep) if name == "demo-sides" else name for name in made.MAKERS]
)
def test_results_are_what_they_always_were(tmp_path: Path, stores: Stores, name: str):
    if name == "demo-v2":
        stores.copy("demo", tmp_path)
        shutil.copy(stores("demo").with_name("printed"), tmp_path)
    golden.hold(name, made.MAKERS[name](tmp_path))


@pytest.mark.published
@pytest.mark.parametrize("name", made.PUBLISHED)
def test_published_results_are_read_as_they_always_were(published_data: Path, tmp_path: Path, name: str):
    golden.hold(name, made.PUBLISHED[name](published_data, tmp_path))


def test_the_golden_files_are_small():
    assert sum(path.stat().st_size for path in golden.FOLDER.iterdir()) < 300_000
