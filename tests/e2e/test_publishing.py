"""The steps of the workflow that publishes a site, run as they are written there."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.e2e import command, suites

ROOT = Path(__file__).parent.parent.parent


def steps() -> list[str]:
    """What the workflow runs once the package is installed, up to where it pushes the site."""
    found = yaml.safe_load((ROOT / ".github" / "workflows" / "site.yml").read_text("utf-8"))
    runs = [step["run"] for step in found["jobs"]["site"]["steps"] if "run" in step]
    assert (runs[0], "--push site" in runs[-1]) == ("python -m pip install .", True)
    return runs[1:-1]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder in which the command is found."""
    script = tmp_path / "bin" / "independence"
    script.parent.mkdir()
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m independence "$@"\n')
    script.chmod(0o755)
    return tmp_path


def publish(folder: Path, source: str) -> set[str]:
    """Run the steps; returns the suites of the boards that the site shows."""
    path = os.pathsep.join([str(folder / "bin"), os.environ["PATH"]])
    for step in steps():
        done = subprocess.run(
            ["bash", "-e", "-c", step], cwd=folder, env=command.environment({"PATH": path, "SOURCE": source}),
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
    page = (folder / "site" / "index.html").read_text("utf-8")
    assert '"served":false' in page
    return {part.split('"')[0] for part in page.split('"suite":"')[1:]}


def test_a_store_is_published(folder: Path) -> None:
    suites.write(folder / "harbour", suites.harbour())
    line = "run --suite harbour -m sim/half -j cues --runs 1 --db mine.db --quiet"
    command.ok(*line.split(), cwd=folder)
    assert publish(folder, "mine.db") == {"harbour"}


@pytest.mark.deep
def test_the_demo_is_published_where_no_source_is_named_and_a_published_result_set_where_it_is(
    folder: Path, published_data: Path
) -> None:
    assert publish(folder, "") == {"v2"}
    shutil.copy(published_data / "published-v2-part.tar.xz", folder)
    assert publish(folder, "published-v2-part.tar.xz") == {"v2"}
