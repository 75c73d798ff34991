"""The guides are kept true: every command and option is mentioned, every snippet runs."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path
from typing import Any

import click
import pytest

from independence.cli.main import COMMANDS, main
from independence.clients import dialects
from independence.config import registry
from independence.suites import load
from independence.types import ChatRequest

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
CONTEXT = click.Context(main)


def commands() -> dict[str, click.Command]:
    found = {}
    for name in COMMANDS:
        command = main.get_command(CONTEXT, name)
        assert command is not None
        found[name] = command
        for inner, sub in getattr(command, "commands", {}).items():
            found[f"{name} {inner}"] = sub
    return found


def fenced(path: Path, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", path.read_text("utf-8"), re.DOTALL)


@pytest.mark.parametrize("name", commands())
def test_every_command_and_option_is_in_the_guide(name: str) -> None:
    text = (DOCS / "commands.md").read_text("utf-8")
    assert re.search(rf"(## {name.split(maxsplit=1)[0]}$)|`independence {name}", text, re.MULTILINE)
    for option in commands()[name].params:
        if isinstance(option, click.Option):
            assert any(f"`{flag}`" in text or f"`{flag} " in text or f"`{flag}`/" in text for flag in option.opts), (
                option
            )


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
        for target in re.findall(r"\]\((?!http)([^)#]+)\)", path.read_text("utf-8")):
            assert (path.parent / target).exists(), f"{path.name}: {target}"
