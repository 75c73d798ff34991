"""Runs the scripts of `web/` where its packages are installed: there itself, or in `.venv/web` as `make` does it."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
WEB = ROOT / "web"
COMMITTED = ROOT / "src" / "independence" / "viewer" / "bundle"
_VENV = ROOT / ".venv"
_PACKAGES = "node_modules"


def folder() -> Path | None:
    """Where the scripts can run, with the sources as they are now; None where nothing is installed."""
    if (WEB / _PACKAGES).is_dir():
        return WEB
    own = _VENV / "web"
    if not (own / _PACKAGES).is_dir():
        return None
    for there in own.iterdir():
        if there.name != _PACKAGES:
            shutil.rmtree(there) if there.is_dir() else there.unlink()
    shutil.copytree(WEB, own, dirs_exist_ok=True, ignore=shutil.ignore_patterns(_PACKAGES))
    return own


def script(where: Path, name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """`npm run NAME`, with the Node of `.venv` before that of the system."""
    path = os.pathsep.join([str(_VENV / "bin"), os.environ["PATH"]])
    return subprocess.run(
        ["npm", "run", "--silent", name, *(["--", *arguments] if arguments else [])],
        cwd=where,
        env={**os.environ, "PATH": path, "NO_COLOR": "1", "CI": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


def build(where: Path, out: Path) -> None:
    """Build the page into `out`. Raises AssertionError with what was said where that fails."""
    done = script(where, "build", "--outDir", str(out), "--emptyOutDir")
    assert done.returncode == 0, done.stdout + done.stderr


def files(where: Path) -> Iterator[tuple[str, bytes]]:
    """Path and content of every file below."""
    for file in sorted(where.rglob("*")):
        if file.is_file():
            yield file.relative_to(where).as_posix(), file.read_bytes()
