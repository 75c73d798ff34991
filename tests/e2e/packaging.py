"""Builds wheel and source archive of a copy of the tree, and installs the wheel where no checkout can be seen."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).parents[2]
# What a checkout has beside its files: environments, caches, what was built before.
_CACHES = shutil.ignore_patterns(".*", "__pycache__", "*.egg-info", "node_modules", "*.db")
_OUTPUTS = {"build", "dist", "site"}
_NEEDED = 77  # version of setuptools, as pyproject.toml says


def copy(into: Path) -> None:
    """The files of the tree without what only a checkout has."""

    def left_out(folder: str, names: list[str]) -> set[str]:
        return _CACHES(folder, names) | (_OUTPUTS if Path(folder) == ROOT else set())

    shutil.copytree(ROOT, into, ignore=left_out)


def build(into: Path) -> None:
    """`direct/`: wheel and source archive of the tree; `again/`: the wheel of the unpacked source archive."""
    tree, unpacked = into / "tree", into / "unpacked"
    copy(tree)
    _build(tree, into / "direct", "--sdist", "--wheel")
    with tarfile.open(next((into / "direct").glob("*.tar.gz"))) as archive:
        archive.extractall(unpacked, filter="data")
    _build(next(unpacked.iterdir()), into / "again", "--wheel")


def _build(tree: Path, into: Path, *what: str) -> None:
    # Without a new enough setuptools here, the build takes one from the package index.
    apart = [] if int(metadata.version("setuptools").partition(".")[0]) < _NEEDED else ["--no-isolation"]
    run(sys.executable, "-m", "build", *what, *apart, "--outdir", into, tree, cwd=tree)


def environment(changes: Mapping[str, str] | None = None) -> dict[str, str]:
    """Next to nothing of this process's environment, so that nothing of the checkout is found."""
    kept = ("SYSTEMROOT", "TMPDIR", "SSL_CERT_FILE", "PIP_CERT", "HTTPS_PROXY", "https_proxy", "LANG")
    return {name: os.environ[name] for name in kept if name in os.environ} | {"PATH": os.defpath} | dict(changes or {})


def run(*arguments: str | Path, cwd: Path, env: Mapping[str, str] | None = None) -> str:
    """What a program prints on stdout; it must end well."""
    ended = subprocess.run(
        list(map(str, arguments)), check=False, capture_output=True, text=True, cwd=cwd, env=environment(env)
    )
    assert ended.returncode == 0, f"{arguments}\n{ended.stdout[-3000:]}\n{ended.stderr[-3000:]}"
    return ended.stdout


def install(wheel: Path, into: Path) -> None:
    """A virtual environment with the wheel; what the wheel depends on is read from the running one."""
    venv.create(into, symlinks=True)
    paths = {"base": str(into), "platbase": str(into)}
    own = Path(sysconfig.get_path("purelib", "venv", paths))
    seen = [path for path in sys.path if Path(path).name == "site-packages"]
    (own / "dependencies.pth").write_text("\n".join(seen))
    pip = [sys.executable, "-m", "pip", "--python", into / "bin" / "python", "install", "--quiet"]
    run(*pip, "--no-deps", "--no-index", wheel, cwd=into)
