"""The `independence` command. Commands load when used, so `--help` stays fast."""

from __future__ import annotations

import errno
import functools
import importlib
import os
import sys
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import LazyLoader
from types import ModuleType
from typing import Any

import click

from independence import __version__
from independence.errors import DiskFull, IndependenceError, Interrupted, UsageError

_LONGEST = 80  # signs of a file's name in a sentence

# name -> (module in this package, one line for --help)
COMMANDS = {
    "demo": ("demo", "See it work: simulated subjects, no key, no network."),
    "run": ("run", "Run a suite on models, grade all, print the board."),
    "rerun": ("rerun", "More runs of stored subjects."),
    "judge": ("judge", "Grade stored replies with another judge."),
    "validate-judges": ("validate_judges", "How far judges agree, whom they favour, what they cost."),
    "train-judge": ("train_judge", "Train an offline judge on stored verdicts."),
    "leaderboard": ("leaderboard", "Print the board of a store."),
    "show": ("show", "Print a dialogue as it was sent, with verdicts and reasons."),
    "extract-names": ("extract_names", "The names that subjects chose for themselves."),
    "compare": ("compare", "Test how two subjects, conditions or judges differ."),
    "estimate-cost": ("estimate_cost", "What a run would cost: tokens, dollars, range."),
    "clear-cache": ("clear_cache", "Delete stored results, after listing them."),
    "generate-report": ("generate_report", "Write the whole report: Markdown or one HTML file."),
    "import": ("import_", "Import published results, or scores that people gave."),
    "label-sample": ("label_sample", "Write a balanced sample of dialogues for people to score."),
    "export": ("export", "Write the content of a store as files for other tools."),
    "suites": ("suites", "List the built-in suites, or check your own."),
    "models": ("models", "List configurations, or search an endpoint's catalogue."),
    "doctor": ("doctor", "Check key, endpoint, model and store, and say what to fix."),
    "endpoint": ("endpoint", "Serve the simulated models over HTTP on this machine."),
}

EXIT_CODES = {
    0: "complete",
    1: "a gate failed (`--fail-under`, `suites lint`, `doctor`), or an unexpected error",
    2: "bad usage or configuration, an empty store, no match",
    3: "incomplete: a model could not be asked any more, credit ran out, the disk is full, a verdict was unreadable",
    4: "stopped by `--max-cost`",
    130: "interrupted; the same command resumes",
}


class _LateFinder:
    """Finds modules of ours that are executed when something of them is first used."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        """The module's spec; packages, which hold next to nothing, are executed at once."""
        spec = (
            PathFinder.find_spec(name, path, target) if name.startswith(f"{__package__.partition('.')[0]}.") else None
        )
        if spec is not None and spec.loader is not None and spec.submodule_search_locations is None:
            spec.loader = LazyLoader(spec.loader)
        return spec


@functools.cache
def _loaded(name: str) -> click.Command:
    """The command of a module. What the module names as `from package import module` waits until the command runs, so
    that `--help` and a mistyped option need none of it.
    """
    finder = _LateFinder()
    sys.meta_path.insert(0, finder)
    try:
        command: click.Command = importlib.import_module(f"independence.cli.{name}").command
    finally:
        sys.meta_path.remove(finder)
    for one in (command, *getattr(command, "commands", {}).values()):
        one.callback = one.callback and _complete(one.callback)
    return command


def _complete(callback: Callable[..., Any]) -> Callable[..., Any]:
    """The same function with every module that still waits executed before it, in one thread."""

    @functools.wraps(callback)
    def whole(*args: Any, **values: Any) -> Any:
        for module in list(sys.modules.values()):
            if type(module).__name__ == "_LazyModule":
                _ = module.__name__  # any attribute will do
        return callback(*args, **values)

    return whole


class LazyGroup(click.Group):
    """A group that imports a command's module only when that command is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names in the order of `COMMANDS`."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name."""
        if cmd_name not in COMMANDS:
            return None
        command = _loaded(COMMANDS[cmd_name][0])
        examples = importlib.import_module("independence.cli.examples")
        command.epilog = command.epilog or examples.epilog(cmd_name)
        for inner, sub in getattr(command, "commands", {}).items():
            sub.epilog = sub.epilog or examples.epilog(f"{cmd_name} {inner}")
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Suggest a near name for an unknown command."""
        if args and args[0] not in COMMANDS:
            import difflib

            near = difflib.get_close_matches(args[0], COMMANDS, n=1)
            hint = f"did you mean `{near[0]}`?" if near else f"commands: {', '.join(COMMANDS)}"
            ctx.fail(f"no command `{args[0]}`; {hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List commands from the table, importing none of them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, about) for name, (_, about) in COMMANDS.items()])

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; what a person can mend becomes one line on stderr and the right exit code."""
        from independence.cli import early_interrupt, streams

        streams.prepare()
        guarded = early_interrupt.release()
        try:
            try:
                return super().invoke(ctx)
            finally:
                sys.stdout.flush()  # what cannot be written must fail here, not when the interpreter goes
        except IndependenceError as error:
            from independence.cli.terminal import note

            note(f"Error: {error}")
            sys.exit(error.exit_code)
        except (KeyboardInterrupt, click.Abort):
            click.echo("Error: interrupted; what was stored is kept, the same command continues", err=True)
            sys.exit(Interrupted.exit_code)
        except OSError as error:
            sys.exit(_system(error))
        except (MemoryError, RecursionError, ImportError) as error:
            sys.exit(_exhausted(error))
        except _of_sqlite() as error:
            what = f"the store cannot be used ({error}); `independence doctor` says what is wrong with it"
            click.echo(f"Error: {what}", err=True)
            sys.exit(UsageError.exit_code)
        finally:
            if guarded:
                early_interrupt.guard()


def _exhausted(error: MemoryError | RecursionError | ImportError) -> int:
    """Exit code where memory or the stack ran out. Raises an import error of any other cause."""
    # A library that does not fit into the memory that is left fails while it is being loaded.
    if isinstance(error, ImportError) and "failed to map segment" not in str(error):
        raise error
    what = "something is nested too deep to be read" if isinstance(error, RecursionError) else "not enough memory"
    click.echo(f"Error: {what}; what was stored is kept", err=True)
    return IndependenceError.exit_code


def _system(error: OSError) -> int:
    """Exit code of what the system refused: to print any more, or a file. Raises any other error."""
    if error.filename is None and error.errno in (errno.EPIPE, errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return _unwritten(error)
    if error.errno in (errno.EMFILE, errno.ENFILE):
        click.echo("Error: too many open files for this process; raise the limit (ulimit -n 1024)", err=True)
    elif error.errno in (errno.ENAMETOOLONG, errno.ELOOP, errno.EACCES, errno.EROFS, errno.EPERM) and error.filename:
        from independence.cli.terminal import plain

        click.echo(f"Error: {plain(str(error.filename)[:_LONGEST])}: {error.strerror}; name another file", err=True)
    else:
        raise error
    return UsageError.exit_code


def _unwritten(error: OSError) -> int:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or the interpreter would try once more
    if error.errno == errno.EPIPE:
        return 0
    click.echo(
        f"Error: the output cannot be written ({error.strerror}); free space and run the command again", err=True
    )
    return DiskFull.exit_code


def _of_sqlite() -> tuple[type[Exception], ...]:
    """The errors of SQLite, where a command has loaded it."""
    sqlite3 = sys.modules.get("sqlite3")
    return (sqlite3.Error,) if sqlite3 else ()


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="independence")
def main() -> None:
    """Does a language model keep its identity, boundaries and preferences when someone presses it?

    Start with `independence demo`: no key, no network. Exit codes: 0 complete, 1 a gate failed, 2 bad usage or
    configuration, 3 incomplete, 4 stopped by --max-cost, 130 interrupted (run again to resume).
    """
