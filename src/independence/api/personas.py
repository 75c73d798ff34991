"""Persona files: whether one says all that is needed, and a new one from answers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from independence.api.linting import LintedSuite
from independence.config import user_files
from independence.errors import UsageError
from independence.suites import persona_file
from independence.suites.persona_file import FrontMatter


def lint(path: Path) -> LintedSuite:
    """Every problem of a persona file."""
    found = persona_file.problems(path)
    return LintedSuite(path, found, () if found else tuple(persona_file.notes(path)))


def prompt_of(path: Path | None) -> str:
    """The prompt in a file, without its front matter; "" for no file. Raises UsageError."""
    return "" if path is None else persona_file.read(path).text


def write(
    out: Path, name: str, role: str, commitments: Sequence[str], may: Sequence[str], prompt: str, *, force: bool
) -> LintedSuite:
    """Write a persona file, with a first draft of a prompt where there is none (""), and say what is wrong with it.

    Raises UsageError where there is a file already, unless `force`.
    """
    found = FrontMatter(name=name, role=role, commitments=tuple(commitments), may=tuple(may))
    text = persona_file.written(found, prompt or persona_file.drafted(found))
    if out.suffix != ".md":
        raise UsageError(f"{out}: a persona is a .md file", f"name it {out.with_suffix('.md').name}")
    user_files.write_new(out, text.encode(), "FILE", force=force)
    return lint(out)
