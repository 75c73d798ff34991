"""`independence completion`: the script that makes a shell ask for names after Tab, and the names it is told."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click
from click.shell_completion import CompletionItem, get_completion_class

from independence.cli.option_groups import Command
from independence.cli.output import terminal
from independence.errors import IndependenceError

if TYPE_CHECKING:
    from independence.store import tab_names

Offered = Callable[[click.Context, click.Parameter, str], "list[CompletionItem]"]
_PROGRAM: Final = "independence"
_VARIABLE: Final = "_INDEPENDENCE_COMPLETE"
# Bash breaks words at @, : and = too, where labels have them. So the whole line is handed over, as fish does it, and
# what bash takes for words before the last one is cut off each answer.
_BASH: Final = """\
_independence_completion() {
    local line=${COMP_LINE:0:COMP_POINT} type value
    local current=${line##*[[:space:]]}
    local cut=${current%"$2"}
    COMPREPLY=()
    while IFS=, read -r type value; do
        value=${value%%$'\\t'*}
        case $type in
            plain)
                value=${value#"$cut"}
                [[ $value == *[^[:alnum:]_.,:/@+=-]* ]] && printf -v value %q "$value"
                COMPREPLY+=("$value") ;;
            dir) compopt -o dirnames ;;
            file) compopt -o default ;;
        esac
    done < <(_INDEPENDENCE_COMPLETE=fish_complete COMP_WORDS=$line COMP_CWORD=$current "$1" 2>/dev/null)
}
complete -o nosort -F _independence_completion independence
"""


@click.command("completion", cls=Command)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """Print the script that completes commands, options, subjects, suites, scenarios and variants in SHELL.

    Load it where the shell starts. bash: `eval "$(independence completion bash)"` in ~/.bashrc; zsh: the same with zsh
    in ~/.zshrc, after compinit; fish: `independence completion fish > ~/.config/fish/completions/independence.fish`.
    """
    if shell == "bash":
        click.echo(_BASH, nl=False)
        return
    made = get_completion_class(shell)
    assert made is not None
    click.echo(made(ctx.find_root().command, {}, _PROGRAM, _VARIABLE).source())


def stored(kind: tab_names.Kind) -> Offered:
    """Names of the store that the line names, or of that which the command takes by default."""

    def offered(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        from independence.store import tab_names

        path = ctx.params.get("db") or os.environ.get("INDEPENDENCE_DB") or terminal.usual_store()
        return _matching(tab_names.names(Path(path), kind), incomplete)

    return offered


def askable(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Configurations of the models file, and simulated subjects."""
    from independence.config import registry
    from independence.testing.sim import panel

    try:
        listed = [one.label for one in registry.load(Path(ctx.params.get("models_file") or "models.yaml")).subjects]
    except (IndependenceError, OSError):
        listed = []
    return _matching([*listed, *(f"sim/{name}" for name in panel.PANEL)], incomplete)


def suites(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Built-in suites, or folders."""
    from independence.suites import load

    return _matching(load.built_in(), incomplete) or [CompletionItem(incomplete, type="dir")]


def variants(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """System prompt variants of the suite that is asked, or files."""
    from independence.suites import load

    try:
        listed = list(load.load(ctx.params.get("suite") or "v2").suite.variants)
    except (IndependenceError, OSError):
        listed = []
    return _matching(listed, incomplete) or [CompletionItem(incomplete, type="file")]


def _matching(names: Iterable[str], incomplete: str) -> list[CompletionItem]:
    """Names that go on from what is typed, after the last comma of a list."""
    before, comma, last = incomplete.rpartition(",")
    return [CompletionItem(f"{before}{comma}{name}") for name in names if name.startswith(last)]


# What `offers` of an option or an argument may name.
OFFERED: Final[dict[str, Offered]] = {
    "askable": askable,
    "suites": suites,
    "variants": variants,
    "subjects": stored("subjects"),
    "scenarios": stored("scenarios"),
    "stored suites": stored("suites"),
    "stored variants": stored("variants"),
}
