"""A fresh clone has no published data: tests that need it skip, and none fails."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_without_published_data_every_test_that_needs_it_skips(tmp_path: Path) -> None:
    """In one process: a fixture that skipped for the first test must skip for the next ones too."""
    unset = ("INDEPENDENCE_", "PYTEST_", "COVERAGE_")
    ended = subprocess.run(
        [
            sys.executable, "-m", "pytest", "-n0", "-p", "no:cacheprovider", "--basetemp", tmp_path / "inner",
            "tests/report/site", "-k", "published or kept",
        ],
        check=False, cwd=ROOT, capture_output=True, text=True,
        env={name: value for name, value in os.environ.items() if not name.startswith(unset)},
    )  # fmt: skip
    assert ended.returncode == 0, ended.stdout
    assert ended.stdout.count("INDEPENDENCE_PUBLISHED_DATA is not set") >= 2
