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
from independence.config.options import VAR, ConnectionOptions, values_of
from independence.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from independence.api.personas import DrawnPersona, FrontMatter, PromptSource
    from independence.config.endpoints import Endpoint
    from independence.engine.estimate import CostEstimate

_READY = "check {} -m MODEL"
_WANTED = "What does it believe, refuse to do, or insist on? One sentence each, in the first person."
_ASKS = "“{}” Two to four requests that ask it for just the opposite, as somebody would put them:"
_LIST = "list"
_ROLES = "companion, negotiator, reviewer, mascot, or your own words"


@click.group("persona", cls=ExtensibleGroup)
def command() -> None:
    """A persona file: your system prompt, and above it who the character is and what it holds to."""


@options.command("lint", into=command)
def _lint(file: Annotated[Path, Argument()], var: Annotated[tuple[str, ...], VAR] = ()) -> None:
    """Say what a persona file lacks, with its line; exit code 1 if there is something."""
    from independence.api import personas

    told(personas.lint(file, values_of(var)), _READY)


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
    from_: Annotated[Path | None, Flag(
        "The file with the system prompt that you use: text, an agent's file (SKILL.md), a character card or an OpenAI "
        "assistant (JSON); default: a first draft."
    )] = None,
    var: Annotated[tuple[str, ...], VAR] = (),
    model: Annotated[str | None, Flag("A model that reads all this out of --from, for you to confirm.", "-m")] = None,
    example: Annotated[str | None, Flag(
        f"Write a persona that ships instead; `--example {_LIST}` names them."
    )] = None,
    weak: Annotated[bool, Flag("With --example: its prompt that says few of its commitments.")] = False,
    connection: ConnectionOptions,
    yes: Yes = False,
    force: Force = False,
) -> None:  # fmt: skip
    """Write the persona FILE. What no option says is read out of --from by the --model, or asked for."""
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
        if name or role or commitment or may or from_ or var or model:
            raise UsageError("--example writes a whole file", "change it there, and leave other options out here")
        linted = personas.write_example(file, example, weak=weak, force=force)
    else:
        source = personas.source(from_, values_of(var))
        note(f"not used of {from_}: {', '.join(source.unused)}", quiet=not source.unused)
        name = name or source.name
        given = personas.front_matter(name, role, commitment, may)
        found = _read(source, given, model, connection, yes=yes) if model is not None else given
        if found is None:
            return
        linted = personas.write(file, _completed(found), source.prompt, force=force)
    note(f"written: {file}")
    told(linted, _READY)


def _read(
    source: PromptSource, given: FrontMatter, model: str, connection: ConnectionOptions, *, yes: bool
) -> FrontMatter | None:
    """What options say and a model reads beside it, shown and confirmed; None where that was not agreed to."""
    from independence.api import personas

    drawn = _drawn(source, model, connection, yes=yes)
    if drawn is None:
        return None
    found = personas.front_matter(
        given.name or drawn.name or "",
        given.role or drawn.role or "",
        given.commitments or [one.commitment for one in drawn.commitments],
        given.may or [one.sentence for one in drawn.may],
        drawn.ordinary,
    )
    click.echo(plain(personas.written_head(found)), nl=False)
    return found if _confirmed(yes=yes) else None


def _completed(found: FrontMatter) -> FrontMatter:
    """With what is lacking, which a person is asked for."""
    from independence.api import personas

    name = found.name or _asked("Name", "--name")
    role = found.role or _asked(f"Role ({_ROLES})", "--role")
    if found.commitments:
        return personas.front_matter(name, role, found.commitments, found.may, found.ordinary)
    sentences = _several("Commitment", "--commitment", _WANTED)
    kept = [personas.as_commitment(one, _several("Request", "tempts", _ASKS.format(one))) for one in sentences]
    return personas.front_matter(name, role, kept, found.may or _several("May grant", "--may"))


def _drawn(prompt: PromptSource, reader: str, connection: ConnectionOptions, *, yes: bool) -> DrawnPersona | None:
    """What a model reads out of a prompt, with the passages that say so; None where its price is not agreed to."""
    from independence.api import personas
    from independence.cli import launch, screen

    if not prompt.prompt:
        raise UsageError("--model reads a prompt, and none is given", "add --from FILE")
    with screen.Screen(TerminalOptions(yes=yes), connection) as shown:

        def approve(cost: CostEstimate, endpoints: Mapping[str, Endpoint]) -> bool:
            dollars = f"up to ${cost.typical_usd:.4f} an answer" if cost.typical_usd else "no cost"
            line = f"{reader} reads the prompt; {'its price is not known' if cost.unpriced else dollars}"
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
    """Whether a person takes what a model read; else nothing is written. Raises UsageError where nobody can say."""
    if not yes and not sys.stdin.isatty():
        raise UsageError("nobody can be asked here whether that is right", "add --yes to take it as it is")
    confirmed = yes or click.confirm("Is that right?", err=True)
    note("nothing was written", quiet=confirmed)
    return confirmed


def _asked(what: str, option: str) -> str:
    if not sys.stdin.isatty():
        raise UsageError(
            f"{what.partition(' (')[0].lower()} is not given, and nobody can be asked here", f"add {option}"
        )
    return str(click.prompt(what, err=True)).strip()


def _several(what: str, option: str, wanted: str = "") -> list[str]:
    """Lines up to an empty one; `wanted` says what they are to be."""
    found: list[str] = []
    if not sys.stdin.isatty():
        raise UsageError(f"no {what.lower()} is given, and nobody can be asked here", f"add {option}")
    note(wanted, quiet=not wanted)
    while said := click.prompt(f"{what} {len(found) + 1} (empty: no more)", default="", show_default=False, err=True):
        found.append(said.strip())
    return found
