"""The Dockerfile: linted, and its lines carried out in a clean environment. No engine is needed, and none is used."""

from __future__ import annotations

import fnmatch
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.e2e import packaging

ROOT = packaging.ROOT


def instructions(text: str) -> list[tuple[str, str]]:
    """Each instruction: its name, and the rest of its line. Lines that go on are joined, comments left out."""
    lines = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))
    joined = (line.strip() for line in re.sub(r"\\\n\s*", "", lines).splitlines())
    return [(name.upper(), rest) for name, _, rest in (line.partition(" ") for line in joined if line)]


INSTRUCTIONS = instructions((ROOT / "Dockerfile").read_text("utf-8"))


def rests(name: str) -> list[str]:
    return [rest for found, rest in INSTRUCTIONS if found == name]


def filled(text: str, values: Mapping[str, str]) -> str:
    """The text with `$NAME` and `${NAME}` replaced; a name without a value is empty, as in Docker."""
    return re.sub(r"\$(?:\{(\w+)\}|(\w+))", lambda found: values.get(found[1] or found[2], ""), text)


def sent() -> Iterator[Path]:
    """The files of the checkout that `.dockerignore` lets through: the last line that fits decides."""
    ignored = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    rules = [line for line in ignored if line and not line.startswith("#")]
    for path in ROOT.rglob("*"):
        name, kept = path.relative_to(ROOT).as_posix(), True
        for rule in rules:
            pattern = rule.removeprefix("!").removeprefix("**/")
            tails = [name, *(name.split("/", at)[at] for at in range(1, name.count("/") + 1))]
            deep = tails if "**/" in rule else [name]
            if any(fnmatch.fnmatch(tail, pattern) or tail.startswith(f"{pattern}/") for tail in deep):
                kept = rule.startswith("!")
        if kept and path.is_file():
            yield path


def test_hadolint_finds_nothing() -> None:
    found = shutil.which("hadolint", path=f"{sysconfig.get_path('scripts')}{os.pathsep}{os.environ['PATH']}")
    if found is None:
        pytest.skip("hadolint is not installed")
    ended = subprocess.run([found, ROOT / "Dockerfile"], check=False, capture_output=True, text=True)
    assert (ended.returncode, ended.stdout) == (0, "")


def test_the_image_is_small_pinned_and_runs_as_nobody_in_particular() -> None:
    known = {key: value for key, _, value in (rest.partition("=") for rest in rests("ARG"))}
    bases = [filled(rest, known).split()[0] for rest in rests("FROM")]
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
    names = {path.relative_to(ROOT).as_posix() for path in sent()}
    assert "src/independence/__init__.py" in names
    others = sorted(name for name in names if not name.startswith("src/independence/"))
    assert others == ["LICENSE", "docs/package.md", "pyproject.toml"]
    assert not [name for name in names if "__pycache__" in name or name.endswith((".db", ".env"))]


class Image(NamedTuple):
    """What the instructions leave: environment, folder to start in, and the words of USER, ENTRYPOINT and CMD."""

    environment: dict[str, str]
    folder: Path
    words: dict[str, list[str]]


def build(root: Path, arguments: Mapping[str, str], base: Mapping[str, str]) -> Image:
    """Do all instructions below `root`, each stage in a folder of its own, in which absolute paths begin.

    `arguments` are those of `docker build --build-arg`; paths that the image needs at one place on disk (an environment
    of Python cannot be moved) are given as paths within `root` by them. `base`: the environment of every stage.
    """
    stage, defaults, values, folder = 0, dict[str, str](), dict[str, str](), root
    words = {"USER": ["0:0"]}
    for name, line in INSTRUCTIONS:
        rest = filled(line, values)
        match name:
            case "ARG":
                key, _, default = line.partition("=")
                values[key] = arguments.get(key, default or defaults.get(key, ""))
            case "FROM":
                stage, defaults, values = stage + 1, defaults if stage else values, dict(base)
                folder = root / f"stage{stage}"
                folder.mkdir()
            case "WORKDIR":
                folder = Path(rest) if rest.startswith(f"{root}/") else root / f"stage{stage}" / rest.lstrip("/")
                folder.mkdir(parents=True, exist_ok=True)
            case "ENV":
                values.update(pair.split("=", 1) for pair in rest.split())
            case "RUN":
                ended = subprocess.run(
                    ["/bin/sh", "-c", line], check=False, capture_output=True, text=True, cwd=folder, env=values
                )
                assert ended.returncode == 0, f"RUN {line}\n{ended.stdout[-2000:]}\n{ended.stderr[-3000:]}"
            case "COPY":
                *sources, target = [word for word in rest.split() if not word.startswith("--")]
                if "--from=" in rest:
                    assert sources == [target], "a path that stages share stays where it is"
                    assert any(Path(target).iterdir())
                else:
                    copy([ROOT / source for source in sources], folder / target)
            case "USER" | "ENTRYPOINT" | "CMD":
                words[name] = json.loads(rest) if rest.startswith("[") else rest.split()
            case other:
                assert other in ("VOLUME", "STOPSIGNAL"), f"{other} is not known here"
    return Image(values, folder, words)


def copy(sources: Iterable[Path], target: Path) -> None:
    """Copy what is sent of files and folders of the checkout."""
    let_through = list(sent())
    for source in sources:
        files = [path for path in let_through if path == source or source in path.parents]
        assert files, f"COPY {source}: nothing of it is sent"
        for path in files:
            place = target / (path.relative_to(source) if path != source else path.name)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, place)


@pytest.fixture
def root() -> Iterator[Path]:
    """A folder that any user can enter, as the user of the image has to."""
    folder = Path(tempfile.mkdtemp(prefix="image-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.mark.deep
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
    paths = {"PATH": f"{programs}:/usr/bin:/bin", "HOME": str(home)}
    image = build(root, arguments, packaging.environment(paths | index))
    assert list(home.iterdir()) == []
    assert image.folder == root / "data"
    assert (image.folder.stat().st_uid, image.folder.stat().st_gid) == (1000, 1000)
    assert not (root / "prefix" / "bin" / "pip").exists()

    # The entry point works for the image's user, and writes to the volume alone.
    before = set((root / "prefix").rglob("*"))
    user, group = map(int, image.words["USER"][0].split(":"))
    program = shutil.which(image.words["ENTRYPOINT"][0], path=image.environment["PATH"])
    assert program == str(root / "prefix" / "bin" / "independence")
    # Where the interpreter of this machine belongs to root alone, the user of the image cannot start it.
    open_to_all = all(folder.stat().st_mode & 0o001 for folder in Path(program).with_name("python").resolve().parents)
    who = {"user": user, "group": group} if open_to_all else {}
    assert image.words["CMD"] == ["--help"]
    for line in ("run -m sim/half -j cues --runs 1 --exp stability --quiet", "generate-report --html"):
        subprocess.run(
            [program, *line.split()], check=True, capture_output=True, cwd=image.folder, env=image.environment, **who
        )
    assert {path.name for path in image.folder.iterdir()} == {"independence.db", "report.html"}
    assert set((root / "prefix").rglob("*")) == before
