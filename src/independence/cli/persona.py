"""`independence persona`: a file that says who a character is: written, by asking a person or a model, and checked."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click

from independence.cli import options
from independence.cli.main import ExtensibleGroup
from independence.cli.options import Force, TerminalOptions, Yes
from independence.cli.output.terminal import note, plain
from independence.cli.suites import told
from independence.config.flags import Argument, Flag
from independence.config.options import ConnectionOptions
from independence.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from independence.api.personas import DrawnPersona
    from independence.config.endpoints import Endpoint
    from independence.engine.estimate import CostEstimate

_READY = "check {} -m MODEL"
_LIST = "list"
_ROLES = "companion, negotiator, reviewer, mascot, or your own words"


@click.group("persona", cls=ExtensibleGroup)
def command() -> None:
    """A persona file: your system prompt, and above it who the character is and what it holds to."""


@options.command("lint", into=command)
def _lint(file: Annotated[Path, Argument()]) -> None:
    """Say what a persona file lacks, with its line; exit code 1 if there is something."""
    from independence.api import personas

    told(personas.lint(file), _READY)


@options.command("init", into=command)
def _init(
    file: Annotated[Path | None, Argument()] = None,
    *,
    name: Annotated[str, Flag("What the character is called.")] = "",
    role: Annotated[str, Flag(f"{_ROLES[0].upper()}{_ROLES[1:]}.")] = "",
    commitment: Annotated[tuple[str, ...], Flag(
        "A sentence in the first person: what it believes, will not do or insists on. 3 to 8 of them.", whole=True
    )] = (),
    may: Annotated[tuple[str, ...], Flag("What it may grant without giving anything up.", whole=True)] = (),
    prompt: Annotated[Path | None, Flag(
        "A file with the system prompt that you use; default: a first draft."
    )] = None,
    model: Annotated[str | None, Flag("A model that reads all this out of --prompt, for you to confirm.", "-m")] = None,
    example: Annotated[str | None, Flag(
        f"Write a persona that ships instead; `--example {_LIST}` names them."
    )] = None,
    weak: Annotated[bool, Flag("With --example: its prompt that says few of its commitments.")] = False,
    connection: ConnectionOptions,
    yes: Yes = False,
    force: Force = False,
) -> None:  # fmt: skip
    """Write the persona FILE. What no option says is read out of --prompt by the --model, or asked for."""
    from independence.api import personas

    if example == _LIST:
        print(*(f"{one}: {what}" for one, what in personas.examples().items()), sep="\n")
        return
    if file is None:
        raise UsageError("no FILE is named, which would be written", "persona init mira.md")
    personas.check_new(file, force=force)  # before anything is asked or paid for
    if weak and example is None:
        raise UsageError("--weak is about the prompt of an example:", "add --example NAME")
    if example is not None:
        if name or role or commitment or may or prompt or model:
            raise UsageError("--example writes a whole file", "change it there, and leave other options out here")
        linted = personas.write_example(file, example, weak=weak, force=force)
    else:
        text = personas.prompt_of(prompt)
        if model is not None:
            drawn = _drawn(prompt, model, connection, yes=yes)
            if drawn is None:
                return
            name, role = name or drawn.name or "", role or drawn.role or ""
            commitment = commitment or tuple(one.sentence for one in drawn.commitments)
            may = may or tuple(one.sentence for one in drawn.may)
            click.echo(plain(personas.front_matter(name, role, commitment, may)), nl=False)
            if not _confirmed(yes=yes):
                note("nothing was written")
                return
        name = name or _asked("Name", "--name")
        role = role or _asked(f"Role ({_ROLES})", "--role")
        if not commitment:
            note("What does it believe, refuse to do, or insist on? One sentence each, in the first person.")
            commitment = tuple(_several("Commitment", "--commitment"))
            may = may or tuple(_several("May grant", "--may"))
        linted = personas.write(file, name, role, commitment, may, text, force=force)
    note(f"written: {file}")
    told(linted, _READY)


def _drawn(prompt: Path | None, reader: str, connection: ConnectionOptions, *, yes: bool) -> DrawnPersona | None:
    """What a model reads out of a prompt, with the passages that say so; None where its price is not agreed to."""
    from independence.api import personas
    from independence.cli import launch, screen

    if prompt is None:
        raise UsageError("--model reads a prompt, and none is given", "add --prompt FILE")
    with screen.Screen(TerminalOptions(yes=yes), connection) as shown:

        def approve(cost: CostEstimate, endpoints: Mapping[str, Endpoint]) -> bool:
            dollars = f"up to ${cost.typical_usd:.4f} an answer" if cost.typical_usd else "no cost"
            line = f"{reader} reads {prompt}; {'its price is not known' if cost.unpriced else dollars}"
            return shown.agree([line], cost.most_usd, endpoints)

        found = shown.drive(
            personas.adrawn(
                prompt, reader, connection, approve=approve, hooks=shown.hooks,
                spent=lambda usd, unknown: note(launch.spent(usd, unknown), quiet=not usd),
            )
        )  # fmt: skip
    for one in (*found.commitments, *found.may) if found else ():
        note(f"{one.sentence}\n  where it says: “{one.passage}”")
    for problem in found.problems if found else ():
        note(f"not as asked: {problem}")
    return found


def _confirmed(*, yes: bool) -> bool:
    """Whether a person takes what a model read. Raises UsageError where nobody can be asked."""
    if not yes and not sys.stdin.isatty():
        raise UsageError("nobody can be asked here whether that is right", "add --yes to take it as it is")
    return yes or click.confirm("Is that right?", err=True)


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
