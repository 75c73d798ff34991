"""The Dockerfile: linted, and its lines carried out in a clean environment. No engine is needed, and none is used."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e import dockerfile, packaging

ROOT = packaging.ROOT
TEXT = (ROOT / "Dockerfile").read_text("utf-8")
INSTRUCTIONS = dockerfile.read(TEXT)


def rests(name: str) -> list[str]:
    return [rest for found, rest in INSTRUCTIONS if found == name]


def test_hadolint_finds_nothing() -> None:
    found = shutil.which("hadolint", path=f"{sysconfig.get_path('scripts')}{os.pathsep}{os.environ['PATH']}")
    if found is None:
        pytest.skip("hadolint is not installed")
    ended = subprocess.run([found, ROOT / "Dockerfile"], check=False, capture_output=True, text=True)
    assert (ended.returncode, ended.stdout) == (0, "")


def test_the_image_is_small_pinned_and_runs_as_nobody_in_particular() -> None:
    known = {key: value for key, _, value in (rest.partition("=") for rest in rests("ARG"))}
    bases = [dockerfile.filled(rest, known).split()[0] for rest in rests("FROM")]
    assert all(tag.count(".") == 2 and "-slim" in tag for _, _, tag in (base.partition(":") for base in bases)), bases
    assert [name for name, _ in INSTRUCTIONS if name in ("ADD", "MAINTAINER", "SHELL")] == []
    assert [rest for rest in rests("RUN") if "pip" in rest and "--no-cache-dir" not in rest] == []
    last = INSTRUCTIONS[max(at for at, (name, _) in enumerate(INSTRUCTIONS) if name == "FROM") :]
    assert [rest for name, rest in last if name == "USER"] == ["1000:1000"]
    names = [name for name, _ in last]
    assert names.index("USER") > max(at for at, name in enumerate(names) if name in ("RUN", "COPY"))
    assert rests("ENTRYPOINT") == ['["independence"]']
    assert rests("VOLUME") == ["${DATA}"]


def test_next_to_nothing_is_sent_to_the_engine() -> None:
    sent = {
        path.relative_to(ROOT).as_posix() for path in dockerfile.sent(ROOT, (ROOT / ".dockerignore").read_text("utf-8"))
    }
    assert {"pyproject.toml", "LICENSE", "docs/package.md", "src/independence/__init__.py"} <= sent
    assert [name for name in sent if not name.startswith("src/independence/")].sort() == [
        "LICENSE", "docs/package.md", "pyproject.toml",
    ].sort()  # fmt: skip
    assert not [name for name in sent if "__pycache__" in name or name.endswith((".db", ".env"))]


@pytest.fixture
def root() -> Iterator[Path]:
    """A folder that any user can enter, as the user of the image has to."""
    folder = Path(tempfile.mkdtemp(prefix="image-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


def test_its_lines_make_a_command_that_runs(root: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("`chown` of the volume's folder needs root, as the engine has it")
    home, programs = root / "home", root / "programs"
    home.mkdir()
    programs.mkdir()
    # What the base image has.
    base = Path(sys.base_prefix) / "bin" / f"python3.{sys.version_info.minor}"
    for name, calls in (("python", base), ("pip", f"{sys.executable} -m pip")):
        (programs / name).write_text(f'#!/bin/sh\nexec {calls} "$@"\n')
        (programs / name).chmod(0o755)
    # How the package index is reached here; and what is only for speed is left out.
    index = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
    index |= {"PIP_NO_COMPILE": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    arguments = {"PREFIX": str(root / "prefix"), "DATA": str(root / "data")}
    builder = dockerfile.Builder(
        ROOT, root, arguments, packaging.environment({"PATH": f"{programs}:/usr/bin:/bin", "HOME": str(home)} | index)
    )
    image = builder.build(INSTRUCTIONS)
    assert builder.ran == rests("RUN")
    assert list(home.iterdir()) == []
    assert image.folder == root / "data"
    assert (image.folder.stat().st_uid, image.folder.stat().st_gid) == (1000, 1000)
    assert not (root / "prefix" / "bin" / "pip").exists()
    runs_as_its_user(image, root)


def runs_as_its_user(image: dockerfile.Built, root: Path) -> None:
    """The entry point works for the image's user, and writes to the volume alone."""
    before = set((root / "prefix").rglob("*"))
    user, group = map(int, image.user[0].split(":"))
    program = shutil.which(image.entrypoint[0], path=image.environment["PATH"])
    assert program == str(root / "prefix" / "bin" / "independence")
    # Where the interpreter of this machine belongs to root alone, the user of the image cannot start it.
    open_to_all = all(folder.stat().st_mode & 0o001 for folder in Path(program).with_name("python").resolve().parents)
    who = {"user": user, "group": group} if open_to_all else {}

    def run(*arguments: str) -> str:
        return subprocess.run(
            [program, *arguments], check=True, capture_output=True, text=True, cwd=image.folder, env=image.environment,
            **who,
        ).stdout  # fmt: skip

    assert image.cmd == ["--help"]
    run("run", "-m", "sim/half", "-j", "cues", "--runs", "1", "--exp", "stability", "--quiet")
    run("generate-report", "--html")
    assert {path.name for path in image.folder.iterdir()} == {"independence.db", "report.html"}
    assert set((root / "prefix").rglob("*")) == before
