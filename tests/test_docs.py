"""The guides are kept true: every command and option is mentioned, every snippet runs."""

from __future__ import annotations

import re
import runpy
import shlex
import tomllib
from pathlib import Path
from typing import Any

import click
import pytest

from independence.clients import dialects
from independence.config import registry
from independence.suites import load
from independence.types import ChatRequest

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"


GENERATED = runpy.run_path(str(DOCS / "generate.py"))


def commands() -> dict[str, click.Command]:
    return dict(GENERATED["commands"]())


def fenced(path: Path, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", path.read_text("utf-8"), re.DOTALL)


@pytest.mark.parametrize("page", GENERATED["PAGES"])
def test_generated_pages_say_what_the_code_says(page: str) -> None:
    assert (DOCS / page).read_text("utf-8") == GENERATED["PAGES"][page](), "run `python docs/generate.py`"


def test_every_command_is_in_a_guide() -> None:
    guides = [path for path in DOCS.glob("*.md") if path.name not in GENERATED["PAGES"]]
    text = "\n".join(path.read_text("utf-8") for path in guides)
    assert [name for name in commands() if f"independence {name}" not in text and f"`{name}" not in text] == []


def test_every_command_line_in_the_guides_parses() -> None:
    lines = [
        line.removeprefix("$ ")
        for path in [ROOT / "README.md", *sorted(DOCS.glob("*.md"))]
        for block in fenced(path, "console")
        for line in block.splitlines()
        if line.startswith("$ independence ")
    ]
    assert len(lines) >= 8
    for line in lines:
        args = shlex.split(line, comments=True)[1:]
        name = args[0]
        command, rest = commands()[name], args[1:]
        if rest and f"{name} {rest[0]}" in commands():
            command, rest = commands()[f"{name} {rest[0]}"], rest[1:]
        known = {flag for option in command.params for flag in option.opts}
        assert {arg for arg in rest if arg.startswith("-")} <= known, line


def test_the_suite_in_the_guide_can_run(tmp_path: Path) -> None:
    (snippet,) = fenced(DOCS / "suites.md", "yaml")
    (tmp_path / "prompts").mkdir()
    (tmp_path / "suite.yaml").write_text(snippet)
    (rubric,) = fenced(DOCS / "suites.md", "text")
    (tmp_path / "prompts" / "plain.md").write_text("You keep a harbour.")
    (tmp_path / "prompts" / "rubric.md").write_text(rubric)
    assert load.load(str(tmp_path)).suite.suite == "harbour"


def test_the_models_file_in_the_guide_parses(tmp_path: Path) -> None:
    (snippet,) = fenced(DOCS / "endpoints.md", "yaml")
    (tmp_path / "models.yaml").write_text(snippet)
    known = registry.load(tmp_path / "models.yaml")
    assert [subject.label for subject in known.subjects][1] == "kimi-k2.5+moonshot"
    assert not known.subjects[2].active
    assert known.subjects[2].endpoint == "lab"


def test_the_dialect_in_the_guide_can_be_used() -> None:
    (snippet,) = fenced(DOCS / "endpoints.md", "python")
    (declared,) = fenced(DOCS / "endpoints.md", "toml")
    group, held = next(iter(tomllib.loads(declared)["project"]["entry-points"].items()))
    assert (group, held["acme"].partition(":")[2]) == (dialects.GROUP, "DIALECT")
    names: dict[str, Any] = {}
    exec(snippet, names)
    request = ChatRequest("m", (), max_tokens=9)
    assert names["DIALECT"].parameters(request, None, frozenset())["max_completion_tokens"] == 9


def test_links_between_the_guides_lead_somewhere() -> None:
    for path in [ROOT / "README.md", *DOCS.glob("*.md")]:
        for target, _, heading in re.findall(r"\]\((?!http)([^)#]*)(#([^)]*))?\)", path.read_text("utf-8")):
            found = path.parent / target if target else path
            assert found.exists(), f"{path.name}: {target}"
            assert not heading or heading in anchors(found), f"{path.name}: {target}#{heading}"


def anchors(path: Path) -> set[str]:
    """The headings of a page as GitHub links to them."""
    titles = re.findall(r"^#+ (.*)$", path.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}
