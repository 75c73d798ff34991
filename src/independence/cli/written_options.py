"""Which options somebody wrote, as against those that stand at their default."""

from __future__ import annotations

import click
from click.core import ParameterSource


def written_options() -> list[str]:
    """The options of the running command that were written, by their first names."""
    context = click.get_current_context()
    return [
        option.opts[0]
        for option in context.command.params
        if option.name and context.get_parameter_source(option.name) is ParameterSource.COMMANDLINE
    ]
