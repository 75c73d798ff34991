"""Commands that we print for people to run: as this one was started, and about the store that it is about.

Sentences everywhere name commands in back-ticks, as `independence leaderboard`. Whoever prints a sentence for a
terminal passes it through `runnable`.
"""

from __future__ import annotations

import re
import shlex
import shutil
import sys
from pathlib import Path
from typing import Any

import click

NAME = "independence"
OF_STORE = frozenset({
    "run", "rerun", "judge", "validate-judges", "show", "label-sample", "leaderboard", "extract-names", "compare",
    "estimate-cost", "clear-cache", "generate-report", "import", "export", "doctor",
})  # fmt: skip
_STORE = f"{NAME}.store"  # in the context's meta: the store, where a new command would not find it by itself
_COMMAND = re.compile(rf"`{NAME}((?: [^`]*)?)`")


def remember(ctx: click.Context, _: click.Parameter, value: Path) -> Path:
    """Keep which store this command is about, where that is neither the usual one nor set in the environment."""
    named = ctx.get_parameter_source("db") is not click.core.ParameterSource.ENVIRONMENT
    if named and str(value) != f"{NAME}.db":
        ctx.meta[_STORE] = str(value)
    return value


def runnable(text: str) -> str:
    """The text with every command in back-ticks as it runs here."""
    return _COMMAND.sub(lambda match: f"`{command(match[1].strip())}`", text)


def command(arguments: str) -> str:
    """`independence ARGUMENTS` as it runs here."""
    verb, *others = arguments.split(" ")
    context: Any = click.get_current_context(silent=True)
    store = context.meta.get(_STORE) if context is not None else None
    if store and verb in OF_STORE and "--db" not in others:
        others += ["--db", shlex.quote(store)]
    return " ".join([program(), *filter(None, [verb, *others])])


def program() -> str:
    """How this process was started; `independence` alone where that means the same."""
    started = Path(sys.argv[0])
    if started.name == "__main__.py":
        return f"{_shell_name(Path(sys.executable))} -m {NAME}"
    return _shell_name(started) if started.stem == NAME else NAME


def _shell_name(file: Path) -> str:
    """The shortest name by which a shell finds a file."""
    on_path = shutil.which(file.name)
    if on_path and Path(on_path).absolute() == file.absolute():
        return file.stem if file.suffix == ".exe" else file.name
    here = file.absolute().is_relative_to(Path.cwd())
    return shlex.quote(str(file.absolute().relative_to(Path.cwd()) if here else file.absolute()))
