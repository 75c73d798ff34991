"""Text for the terminal: escaped, whatever a model or a file wrote, and with commands that run as they are printed.

Sentences everywhere name commands in back-ticks, as `independence leaderboard`. Whoever prints a sentence for a
terminal passes it through `runnable`.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

_USUAL = 80  # columns
_CONTROL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e0fff]"
    # A joiner is part of an emoji and of nothing else that is printed here.
    "|(?<![\U0001f000-\U0001faff\u2600-\u27bf\ufe0f])\u200d"
)


def plain(text: str) -> str:
    """The text with every control, invisible and lone surrogate character spelled out."""
    return _CONTROL.sub(lambda match: _spelled(ord(match[0])), text)


def one_line(text: str) -> str:
    """A text for one cell of a table: no name of a model begins another row."""
    return plain(text).replace("\n", "\\u000a").replace("\t", "\\u0009")


def _spelled(code: int) -> str:
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def width() -> int:
    """Columns of the terminal that stderr is; 80 where that is unknown."""
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or _USUAL
    except (OSError, ValueError, AttributeError):
        return _USUAL


def note(text: str, quiet: bool = False) -> None:
    """Lines on stderr; on a terminal they are broken between words, into a pipe or a file they go whole."""
    if quiet or sys.stderr is None:
        return
    safe = plain(runnable(text))
    print(folded(safe, width()) if sys.stderr.isatty() else safe, file=sys.stderr, flush=True)


def folded(text: str, columns: int) -> str:
    """Every line in as many as it needs; what follows the first is indented a little further than that one."""
    return "\n".join(part for line in text.split("\n") for part in _folded(line, columns) or [""])


def _folded(line: str, columns: int) -> list[str]:
    further = " " * (len(line) - len(line.lstrip()) + 2)
    return textwrap.wrap(line, columns, subsequent_indent=further, break_on_hyphens=False)


NAME = "independence"
STORE, DEMO_STORE = Path(f"{NAME}.db"), Path(f"{NAME}-demo.db")
# They take no --db, or not ours.
WITHOUT_STORE = frozenset({"", "completion", "demo", "endpoint", "models", "persona", "published", "schema", "suites"})
_NAMED = f"{NAME}.store"  # in the context's meta: the store, where a new command would not find it by itself
# A name of the user's is quoted for the shell, and can hold anything, a back-tick too.
_COMMAND = re.compile(rf"`{NAME}((?: (?:'[^']*'|\"[^\"]*\"|[^'\"`])*)?)`")


def remember(ctx: click.Context, _: click.Parameter, value: Path) -> Path:
    """Keep which store this command is about, where that is neither the usual one nor set in the environment."""
    named = ctx.get_parameter_source("db") is not click.core.ParameterSource.ENVIRONMENT
    if named and value != STORE:
        ctx.meta[_NAMED] = str(value)
    return value


def usual_store() -> Path:
    """The store to read where none is named: that of the demo where it is the only one here."""
    return DEMO_STORE if DEMO_STORE.is_file() and not STORE.exists() else STORE


def find_store(ctx: click.Context, option: click.Parameter, value: Path) -> Path:
    """The store of a command that reads, remembered; the demo's is taken, and named, where there is no other."""
    usual = ctx.get_parameter_source("db") is click.core.ParameterSource.DEFAULT
    if usual and usual_store() == DEMO_STORE and not ctx.params.get("site"):
        silent = ctx.resilient_parsing or ctx.params.get("quiet", False)  # a shell completes, or a person asked for it
        note(f"reading {DEMO_STORE}, the store of the demo", silent)
        value = DEMO_STORE
    return remember(ctx, option, value)


def runnable(text: str) -> str:
    """The text with every command in back-ticks as it runs here."""
    return _COMMAND.sub(lambda match: f"`{command_line(match[1].strip())}`", text)


def command_line(arguments: str) -> str:
    """`independence ARGUMENTS` as it runs here."""
    verb, *others = shlex.split(arguments)
    context: Any = click.get_current_context(silent=True)
    store = context.meta.get(_NAMED) if context is not None else None
    named = "--db" in others or (verb == "view" and "--site" in others)
    if store and verb not in WITHOUT_STORE and not named:
        arguments += f" --db {shlex.quote(store)}"
    return f"{program()} {arguments}"


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


def next_steps(steps: Sequence[tuple[str, str]]) -> str:
    """Commands and what each is good for, laid out for stderr as it is."""
    room = width() if sys.stderr is not None and sys.stderr.isatty() else None
    return "\n".join(["What to do next:", *laid_out(steps, room)])


def laid_out(steps: Sequence[tuple[str, str]], room: int | None) -> list[str]:
    """Commands and what each is good for, in lines of at most `room` signs; None: of any length."""
    lines = []
    for line, why in steps:
        if room is None or len(line) + len(why) + 7 <= room:
            lines.append(f"  {line}   # {why}")
        else:
            lines += [folded(f"  # {why}", room), *_continued(line, room)]
    return lines


def _continued(line: str, room: int) -> list[str]:
    """A command on as many lines as it needs, all but the last of which end in a backslash."""
    lines = textwrap.wrap(line, room - 4, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
    return [f"  {part} \\" for part in lines[:-1]] + [f"  {lines[-1]}"]
