"""`independence persona`: a file that says who a character is, written by asking, and checked."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from independence.cli import options
from independence.cli.main import ExtensibleGroup
from independence.cli.suites import told
from independence.cli.terminal import note
from independence.errors import UsageError

_OPTION = "--system-prompt"
_FILE = click.Path(dir_okay=False, path_type=Path)
_ROLES = "companion, negotiator, reviewer, mascot, or your own words"


@click.group("persona", cls=ExtensibleGroup)
def command() -> None:
    """A persona file: your system prompt, and above it who the character is and what it holds to."""


@command.command("lint")
@click.argument("file", type=_FILE)
def _lint(file: Path) -> None:
    """Say what a persona file lacks, with its line; exit code 1 if there is something."""
    from independence.api import personas

    told(personas.lint(file), _OPTION)


@command.command("init")
@click.argument("file", type=_FILE)
@click.option("--name", help="What the character is called.")
@click.option("--role", help=f"{_ROLES[0].upper()}{_ROLES[1:]}.")
@click.option(
    "--commitment",
    "commitments",
    multiple=True,
    help="A sentence in the first person: what it believes, will not do or insists on. 3 to 8 of them.",
)
@click.option("--may", multiple=True, help="What it may grant without giving anything up.")
@click.option("--prompt", type=_FILE, help="A file with the system prompt that you use; default: a first draft.")
@options.FORCE
def _init(
    file: Path, name: str | None, role: str | None, commitments: tuple[str, ...], may: tuple[str, ...],
    prompt: Path | None, force: bool,
) -> None:  # fmt: skip
    """Write the persona FILE. What no option says is asked for."""
    from independence.api import personas

    text = personas.prompt_of(prompt)
    name = name or _asked("Name", "--name")
    role = role or _asked(f"Role ({_ROLES})", "--role")
    if not commitments:
        click.echo(
            "What does it believe, refuse to do, or insist on? One sentence each, in the first person.", err=True
        )
        commitments = tuple(_several("Commitment", "--commitment"))
        may = may or tuple(_several("May grant", "--may"))
    linted = personas.write(file, name, role, commitments, may, text, force=force)
    note(f"written: {file}")
    told(linted, _OPTION)


def _asked(what: str, option: str) -> str:
    if not sys.stdin.isatty():
        raise UsageError(
            f"{what.partition(' (')[0].lower()} is not given, and nobody can be asked here", f"add {option}"
        )
    return str(click.prompt(what, err=True)).strip()


def _several(what: str, option: str) -> list[str]:
    """Lines up to an empty one."""
    found: list[str] = []
    if not sys.stdin.isatty():
        raise UsageError(f"no {what.lower()} is given, and nobody can be asked here", f"add {option}")
    while said := click.prompt(f"{what} {len(found) + 1} (empty: no more)", default="", show_default=False, err=True):
        found.append(said.strip())
    return found
