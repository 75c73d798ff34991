"""Runs the scripts of `web/` with its packages, which are installed there or, by `make`, in `.venv/web`."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
WEB = ROOT / "web"
COMMITTED = ROOT / "src" / "independence" / "viewer" / "bundle"
BUILT_OF = WEB / "bundle.sha256"  # the digest of the sources that the committed page was built of
_VENV = ROOT / ".venv"
_PACKAGES = "node_modules"
_SOURCES = ("src", "public", "index.html", "vite.config.ts", "tsconfig.json", "package-lock.json")


def folder(scratch: Path) -> Path | None:
    """A copy of the sources in `scratch`, beside the packages; None where these are not installed.

    A copy of its own for everybody: several processes build and test at the same time.
    """
    packages = next((found for place in (WEB, _VENV / "web") if (found := place / _PACKAGES).is_dir()), None)
    if packages is None:
        return None
    own = scratch / "web"
    shutil.copytree(WEB, own, ignore=shutil.ignore_patterns(_PACKAGES))
    (own / _PACKAGES).symlink_to(packages)
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
    for name, folder in (("build", out), ("build:file", out / "file")):
        done = script(where, name, "--outDir", str(folder), "--emptyOutDir")
        assert done.returncode == 0, done.stdout + done.stderr


def digest() -> str:
    """Of everything that the page is built of. `schema.ts` holds types alone, of which nothing is left in it."""
    found = hashlib.sha256()
    for name in _SOURCES:
        for path, content in files(WEB / name) if (WEB / name).is_dir() else [("", (WEB / name).read_bytes())]:
            if path != "schema.ts":
                found.update(f"{name}/{path} {len(content)}\n".encode() + content)
    return found.hexdigest()


def files(where: Path) -> Iterator[tuple[str, bytes]]:
    """Path and content of every file below."""
    for file in sorted(where.rglob("*")):
        if file.is_file():
            yield file.relative_to(where).as_posix(), file.read_bytes()
