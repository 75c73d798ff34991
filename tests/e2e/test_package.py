"""The package as users get it: what is inside, what it says of itself, and that it runs without a checkout."""

from __future__ import annotations

import configparser
import email
import json
import re
import signal
import subprocess
import sys
import tarfile
import tomllib
import urllib.request
import zipfile
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

import independence
from independence.cli.main import COMMANDS
from independence.suites import load
from tests import stores
from tests.e2e import packaging

ROOT = packaging.ROOT
NAME = f"ai_independence_bench-{independence.__version__}"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what `packaging.build` makes."""
    pytest.importorskip("build")
    return stores.once(tmp_path_factory, "package-built", packaging.build)


@pytest.fixture(scope="module")
def wheel(built: Path) -> Path:
    return built / "direct" / f"{NAME}-py3-none-any.whl"


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the programs of an environment with the wheel."""
    where = stores.once(tmp_path_factory, "package-installed", lambda into: packaging.install(wheel, into / "env"))
    return where / "env" / "bin"


def command(programs: Path, *arguments: str, cwd: Path) -> str:
    return packaging.run(programs / "independence", *arguments, cwd=cwd, env={"HOME": str(cwd)})


def content(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.mark.deep
def test_the_wheel_holds_every_file_of_the_package_and_nothing_else(wheel: Path) -> None:
    source = ROOT / "src"
    ours = {
        path.relative_to(source).as_posix(): path.read_bytes()
        for path in (source / "independence").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    held = content(wheel)
    described = {name for name in held if name.startswith(f"{NAME}.dist-info/")}
    assert held.keys() - described == ours.keys()
    assert {name for name, data in ours.items() if held[name] != data} == set()
    assert {name.partition("/")[2] for name in described} == {
        "METADATA", "WHEEL", "RECORD", "entry_points.txt", "top_level.txt", "licenses/LICENSE",
    }  # fmt: skip


@pytest.mark.deep
def test_the_source_archive_holds_what_belongs_to_the_package_and_gives_the_same_wheel(
    built: Path, wheel: Path
) -> None:
    again, once = content(built / "again" / wheel.name), content(wheel)
    assert [name for name in once.keys() | again.keys() if once.get(name) != again.get(name)] == []
    with tarfile.open(built / "direct" / f"{NAME}.tar.gz") as archive:
        inside = [name.partition("/")[2] for name in archive.getnames()]
    assert {name.partition("/")[0] for name in inside if name} == {
        "CHANGELOG.md", "CITATION.cff", "LICENSE", "MANIFEST.in", "PKG-INFO", "README.md", "docs", "pyproject.toml",
        "setup.cfg", "src",
    }  # fmt: skip
    assert {name.split("/")[1] for name in inside if name.startswith("src/")} == {
        "independence", "ai_independence_bench.egg-info",
    }  # fmt: skip


@pytest.mark.deep
def test_the_package_says_what_it_is(wheel: Path) -> None:
    said = email.message_from_bytes(content(wheel)[f"{NAME}.dist-info/METADATA"])
    assert said["Description-Content-Type"] == "text/markdown"
    assert said.get_payload().strip() == (ROOT / PROJECT["readme"]).read_text("utf-8").strip()
    assert (said["Name"], said["Version"]) == (PROJECT["name"], independence.__version__)
    assert (said["License-Expression"], said["License-File"]) == ("MIT", "LICENSE")
    assert said["Requires-Python"] == PROJECT["requires-python"]
    assert said.get_all("Classifier") == PROJECT["classifiers"]
    assert {*said.get_all("Provides-Extra", [])} == PROJECT["optional-dependencies"].keys()
    entries = configparser.ConfigParser()
    entries.read_string(content(wheel)[f"{NAME}.dist-info/entry_points.txt"].decode())
    declared = {"console_scripts": PROJECT["scripts"], **PROJECT.get("entry-points", {})}
    assert {group: dict(entries[group]) for group in entries.sections()} == declared


def test_the_page_of_the_package_index_needs_nothing_beside_it() -> None:
    """A package index shows no pictures of ours and follows no links into a repository."""
    page = MarkdownIt("commonmark").enable("table").render((ROOT / PROJECT["readme"]).read_text("utf-8"))
    assert page.startswith("<h1>AI Independence Bench</h1>")
    assert re.findall(r'(?:href|src)="(?!https:)[^"]*"', page) == []
    assert "<img" not in page
    named = set(re.findall(r"independence ([a-z-]+)", page)) & COMMANDS.keys()
    assert {"demo", "leaderboard", "view", "show"} <= named


@pytest.mark.deep
def test_it_runs_in_an_empty_folder(installed: Path, tmp_path: Path) -> None:
    where = packaging.run(
        installed / "python", "-P", "-c", "import independence; print(independence.__file__)", cwd=tmp_path
    )
    assert Path(where.strip()).is_relative_to(installed.parent)
    assert command(installed, "--version", cwd=tmp_path) == f"independence, version {independence.__version__}\n"
    listed = re.findall(r"(?:^  |, )([\w-]+)", command(installed, "--help", cwd=tmp_path), re.MULTILINE)
    assert set(COMMANDS) <= set(listed)
    suites = command(installed, "suites", cwd=tmp_path)
    assert [name for name in load.built_in() if f"{load.load(name).edition}" not in suites] == []
    assert list(tmp_path.iterdir()) == []


@pytest.mark.deep
def test_the_demo_the_board_and_the_pages_work(installed: Path, tmp_path: Path) -> None:
    printed = json.loads(command(installed, "demo", "--quiet", "--format", "json", cwd=tmp_path))
    assert [file.name for file in tmp_path.iterdir()] == ["independence-demo.db"]
    stored = command(installed, "leaderboard", "--db", "independence-demo.db", "--format", "json", cwd=tmp_path)
    assert json.loads(stored)["rows"] == printed["rows"]
    assert len(printed["rows"]) == 8
    viewed(installed, tmp_path)


def viewed(programs: Path, folder: Path) -> None:
    """The served page and everything that it loads are those of the package."""
    arguments = [programs / "independence", "view", "--port", "0", "--no-open", "--db", "independence-demo.db"]
    with subprocess.Popen(
        arguments, cwd=folder, env=packaging.environment(), stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            address = process.stdout.readline().strip()
            page = fetched(address)
            assert b'<div id="root">' in page
            parts = re.findall(r'(?:src|href)="\.?/?([^":]+\.(?:js|css))"', page.decode())
            assert parts
            assert all(fetched(f"{address}{part}") for part in parts)
        finally:
            process.send_signal(signal.SIGINT)
    assert process.returncode == 0


def fetched(address: str) -> bytes:
    with urllib.request.urlopen(address, timeout=60) as answer:
        data: bytes = answer.read()
    return data


@pytest.mark.deep
def test_uvx_runs_it(wheel: Path, tmp_path: Path) -> None:
    """As the README says: an environment from the package index, gone afterwards."""
    pytest.importorskip("uv")
    arguments = [sys.executable, "-m", "uv", "tool", "run", "--python", sys.executable, "--from", wheel, "independence"]
    ended = subprocess.run(
        [*map(str, arguments), "--version"], check=False, capture_output=True, text=True, cwd=tmp_path,
        env=packaging.environment({"HOME": str(tmp_path)}),
    )  # fmt: skip
    skip_without_index(ended)
    assert (ended.returncode, ended.stdout) == (0, f"independence, version {independence.__version__}\n"), ended.stderr


def skip_without_index(ended: subprocess.CompletedProcess[str]) -> None:
    if "error sending request" in ended.stderr or "dns error" in ended.stderr:
        pytest.skip("the package index cannot be reached")


@pytest.mark.deep
def test_a_minimal_install_is_small(wheel: Path, tmp_path: Path) -> None:
    """An environment without pip, on disk, with what the package needs and its byte code."""
    pytest.importorskip("uv")
    uv, into = [sys.executable, "-m", "uv"], tmp_path / "env"
    packaging.run(*uv, "venv", "--python", sys.executable, into, cwd=tmp_path)
    ended = subprocess.run(
        [*uv, "pip", "install", "--link-mode", "copy", "--compile-bytecode", "--python", into, wheel],
        check=False, capture_output=True, text=True, cwd=tmp_path,
        env=packaging.environment({"HOME": str(tmp_path), "UV_NO_CACHE": "1"}),
    )  # fmt: skip
    skip_without_index(ended)
    assert ended.returncode == 0, ended.stderr
    held = {path.name: megabytes(path) for path in into.glob("lib/python*/site-packages/*")}
    assert 50 < megabytes(into) <= 145, sorted(held.items(), key=lambda one: -one[1])[:8]
    programs = {path.name for path in (into / "bin").iterdir()}
    assert not any(name.startswith("pip") for name in programs)
    assert command(into / "bin", "--version", cwd=tmp_path).endswith(f"{independence.__version__}\n")


def megabytes(folder: Path) -> float:
    return sum(path.lstat().st_blocks for path in folder.rglob("*")) * 512 / 2**20
