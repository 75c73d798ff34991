"""`independence schema`: the JSON Schema of a file that users write, for their editors."""

from __future__ import annotations

import click

from independence.cli.option_groups import Command
from independence.config import documents


@click.command("schema", cls=Command)
@click.argument("name", type=click.Choice(documents.SCHEMAS))
def command(name: str) -> None:
    """Print the JSON Schema of models.yaml, suite.yaml or the front matter of a persona file.

    An editor completes and checks a file by it. Write it beside models.yaml as models.schema.json; the first line of
    models.yaml is then `# yaml-language-server: $schema=models.schema.json`.
    """
    click.echo(documents.schema(name), nl=False)
