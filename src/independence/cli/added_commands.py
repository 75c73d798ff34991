"""Commands that packages add, ours in `independence.extensions` among them, by entry points `independence.commands`.

The entry point `NAME` is `independence NAME`, and `suites.NAME` is `independence suites NAME`.
"""

from __future__ import annotations

import click

from independence.config import plugins


def added(name: str) -> click.Command | None:
    """The command of that name; None where no package has one. Raises UsageError where it cannot be loaded."""
    return plugins.find(plugins.COMMANDS, name, click.Command) if plugins.declared(plugins.COMMANDS, name) else None


class ExtensibleGroup(click.Group):
    """A group that packages add commands to."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """A command of the group, or of another package."""
        return super().get_command(ctx, cmd_name) or added(f"{self.name}.{cmd_name}")

    def add_ours(self) -> None:
        """Add the commands of our own extensions, so that `--help` lists them."""
        for name in plugins.ours(plugins.COMMANDS):
            group, _, own = name.partition(".")
            if group == self.name:
                self.add_command(plugins.find(plugins.COMMANDS, name, click.Command), own)
