"""What a release has to agree on: versions, the citation, the changelog, and a checklist whose commands are there."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import independence

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
# Keys of the Citation File Format 1.2.0 that this project has a use for; any other would be an error there too.
CITATION_KEYS = {
    "cff-version", "message", "type", "title", "abstract", "authors", "version", "date-released", "license", "keywords",
    "repository-code", "url", "doi",
}  # fmt: skip
RELEASED = re.sub(r"\.dev\d+$", "", independence.__version__)


# Files from which a user learns how to install something. RELEASING.md is about what is on the index by then.
TOLD = [
    path
    for pattern in (
        "src/independence/**/*.py", "src/independence/**/*.yaml", "src/independence/**/*.md", "docs/**/*.md",
        "web/src/**/*.ts*", ".github/**/*.yml", "README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md",
        "action.yml", "Dockerfile", "Makefile",
    )
    for path in ROOT.glob(pattern)
]  # fmt: skip
# `install "NAME==1"`, `uvx NAME`, `upgrade NAME`; not the path of a file that is called so.
BY_NAME = re.compile(r"(?:install|uvx|upgrade)\b[^\n`]*(?<![\w./-])ai[-_]independence[-_]bench", re.IGNORECASE)


def test_nothing_installs_what_is_not_on_the_package_index_by_its_name() -> None:
    assert len(TOLD) > 500
    found = {str(path.relative_to(ROOT)): BY_NAME.findall(path.read_text("utf-8")) for path in TOLD}
    assert {path: lines for path, lines in found.items() if lines} == {}
    assert BY_NAME.search("python -m pip install 'ai-independence-bench[parquet]'")


def test_the_version_is_set_in_one_place() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+(\.dev\d+)?", independence.__version__)
    assert PROJECT["project"]["dynamic"] == ["version"]
    assert PROJECT["tool"]["setuptools"]["dynamic"] == {"version": {"attr": "independence.__version__"}}


def test_the_citation_is_valid_and_of_this_version() -> None:
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert {"cff-version", "message", "title", "authors"} <= cited.keys() <= CITATION_KEYS
    assert (cited["cff-version"], cited["type"]) == ("1.2.0", "software")
    assert all(author.keys() <= {"name", "given-names", "family-names", "orcid"} for author in cited["authors"])
    assert cited["license"] == PROJECT["project"]["license"]
    assert [{"name": author["name"]} for author in cited["authors"]] == PROJECT["project"]["authors"]
    assert cited["version"] == RELEASED or independence.__version__ != RELEASED
    assert ("date-released" in cited) == (f"## {RELEASED} — unreleased" not in changelog())


def changelog() -> str:
    return (ROOT / "CHANGELOG.md").read_text("utf-8")


def test_the_changelog_begins_with_this_version() -> None:
    versions = re.findall(r"^## (.*)$", changelog(), re.MULTILINE)
    found = [re.fullmatch(r"(\d+\.\d+\.\d+) — (unreleased|\d{4}-\d\d-\d\d)", version) for version in versions]
    assert all(found), versions
    assert next(one[1] for one in found if one) == RELEASED
    assert [one[2] for one in found[1:] if one and one[2] == "unreleased"] == []


def test_every_entry_of_the_changelog_stands_below_a_part_of_the_product() -> None:
    for version in changelog().split("\n## ")[1:]:
        before, *parts = version.split("\n### ")
        assert not re.search(r"^- ", before, re.MULTILINE), before
        names = [part.partition("\n")[0] for part in parts]
        assert len(names) == len(set(names)), names
        assert [name for name, part in zip(names, parts, strict=True) if "\n- " not in part and name != "Before"] == []
        assert not re.search(r"^[A-Z][\w ]*\n- ", version, re.MULTILINE), "a heading of a part begins with ###"


def test_the_commands_of_the_checklist_are_there() -> None:
    text = (ROOT / "RELEASING.md").read_text("utf-8")
    lines = re.findall(r"^ *\$ (.*?)(?: +#.*)?$", text, re.MULTILINE)
    assert len(lines) >= 10
    targets = set(re.findall(r"^([a-z-]+):.*## ", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    for line in lines:
        program, *words = line.split()
        if program == "make":
            assert words[0] in targets
        elif program.startswith("."):
            assert (ROOT / program).is_file()
        elif program in ("uv", "uvx"):
            assert any(one.startswith("uv>=") for one in PROJECT["project"]["optional-dependencies"]["dev"])
        else:
            assert program in ("git", "docker") or re.match(r"\w+=\$\(", line)
    named = set(re.findall(r"`((?:tests|src|docs)/[\w/.]+|[A-Z]+\.(?:md|cff)|pyproject\.toml)`", text))
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_every_package_that_ci_installs_is_named_with_a_version_within_its_bounds_and_hashes_and_no_host() -> None:
    text = (ROOT / "requirements" / "dev.txt").read_text("utf-8")
    project = PROJECT["project"]
    extras = [name for name in project["optional-dependencies"] if name not in ("train", "bench")]  # parts of others
    wanted = [*project["dependencies"], *(one for name in extras for one in project["optional-dependencies"][name])]
    pinned: dict[str, list[str]] = {}
    for name, version, rest in re.findall(r"^([a-z0-9][a-z0-9.-]*)==(\S+)((?:[^\n]*\\\n)+[^\n]*)", text, re.MULTILINE):
        assert re.search(r"--hash=sha256:[0-9a-f]{64}\b", rest), name
        pinned.setdefault(name, []).append(version)
    assert len(re.findall(r"^[a-z0-9]", text, re.MULTILINE)) == sum(map(len, pinned.values())), "a line of another kind"
    for one in map(Requirement, wanted):
        assert [own for own in pinned[canonicalize_name(one.name)] if own not in one.specifier] == [], one
    assert not re.search(r"://|^-|\bfile:|@ ", text, re.MULTILINE)
