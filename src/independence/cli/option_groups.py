"""How `--help` lays options out: by group, and of a command with many only what a newcomer needs.

An option says where it is declared which group it is of, and whether it is advanced. Options without a group are the
command's own and come first. `--help-all` shows every option with its whole text.
"""

from __future__ import annotations

import re
import sys
from typing import Any, Final

import click

from independence.config.flags import ADVANCED, HELP, ORDER, OWN
from independence.errors import UntrustedAddressError

_FEW, _MANY = 8, 15  # options: up to so many stand in one list; with more than so many the advanced ones are left out
_COLUMN = 30  # signs of the longest name that has its text beside it
_WHOLE: Final = "independence.help-all"  # in a context's meta: every option is to be shown


class Option(click.Option):
    """An option that says where it stands in `--help`."""

    def __init__(self, names: list[str], group: str, *, advanced: bool = False, **rest: Any) -> None:
        super().__init__(names, **rest)
        self.group = group
        self.advanced = advanced or group == ADVANCED


def group_of(one: click.Parameter) -> str:
    """The group of an option; one that names none is its command's own."""
    return one.group if isinstance(one, Option) else OWN


class Command(click.Command):
    """A command with `--help` by groups and `--help-all`."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; where a file of the working directory would send keys somewhere, ask once on a terminal."""
        try:
            return super().invoke(ctx)
        except UntrustedAddressError as error:
            from independence.cli.output import terminal
            from independence.engine import trust

            if not sys.stdin.isatty():
                raise
            for one in error.destinations:
                terminal.note(str(one))
            if not click.confirm("Is that right? The answer is remembered.", err=True):
                raise
            trust.agree(error.destinations)
        return self.invoke(ctx)

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write what the command does; of one with many options the first two paragraphs."""
        whole = self.help
        if self._brief(ctx) and whole:
            self.help = "\n\n".join(whole.split("\n\n")[:2])
        super().format_help_text(ctx, formatter)
        self.help = whole

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """The options, `--help-all` among them."""
        return [*super().get_params(ctx), _HELP_ALL]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options by group: all, or of many those that are not advanced, each with its first sentence."""
        brief, groups = self._brief(ctx), self.grouped(ctx)
        records = {group: [one.get_help_record(ctx) or ("", "") for one in own] for group, own in groups.items()}
        if brief:
            records = {group: [_first_sentence(*row) for row in rows] for group, rows in records.items()}
        width = min(_COLUMN, max(len(name) for rows in records.values() for name, _ in rows))
        for number, (group, rows) in enumerate(records.items()):
            if not (number and brief):
                formatter.write_paragraph()
            formatter.write_heading(group)
            formatter.indent()
            formatter.write_dl([(name.ljust(width), about) for name, about in rows], col_max=_COLUMN)
            formatter.dedent()

    def grouped(self, ctx: click.Context) -> dict[str, list[click.Option]]:
        """The options that `--help` shows, or `--help-all` where the context is of that, by group in their order."""
        brief, whole = self._brief(ctx), bool(ctx.meta.get(_WHOLE))
        shown = [one for one in self.get_params(ctx) if isinstance(one, click.Option) and not one.hidden]
        shown = [one for one in shown if whole or one is not _HELP_ALL]
        groups: dict[str, list[click.Option]] = {name: [] for name in ORDER}
        for one in shown:
            group = group_of(one) if one in self.params else HELP
            if not (brief and (group == HELP or (isinstance(one, Option) and one.advanced))):
                groups[group if len(self.params) > _FEW else OWN].append(one)
        return {group: own for group, own in groups.items() if own}

    def _brief(self, ctx: click.Context) -> bool:
        return len(self.params) > _MANY and not ctx.meta.get(_WHOLE)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples, and where the other options are."""
        super().format_epilog(ctx, formatter)
        if self._brief(ctx):
            formatter.write(f"All options: {ctx.command_path} --help-all\n")


def _first_sentence(names: str, about: str) -> tuple[str, str]:
    """A row of help in short: no older names, no sentence after the first, of what stands in brackets the default."""
    text, _, more = about.partition("  [")
    usual = re.search(r"\bdefault: ([^;\]]+)\]", more)
    sentence = f"{re.split(r'[.;] ', text)[0].rstrip('.')}."
    return re.sub(r"(--[\w-]+)(, --[\w-]+)+", r"\1", names), f"{sentence}  [{usual[1]}]" if usual else sentence


def _show_all(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        ctx.meta[_WHOLE] = True
        click.echo(ctx.get_help())
        ctx.exit()


_HELP_ALL: Final = click.Option(
    ["--help-all"], is_flag=True, is_eager=True, expose_value=False, callback=_show_all, help="Show all options."
)
