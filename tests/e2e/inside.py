"""The command run within this process, in a clean environment: for tests of many small calls."""

from __future__ import annotations

import os
from collections.abc import Mapping

from click.testing import CliRunner

from independence.cli.main import main
from tests.e2e import command
from tests.e2e.command import Ended


def run(*arguments: str, env: Mapping[str, str] | None = None) -> Ended:
    """From start to end, in the working directory as it is."""
    kept = command.environment(env)
    cleared: dict[str, str | None] = {name: None for name in os.environ if name not in kept}
    result = CliRunner().invoke(main, arguments, env=cleared | kept)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return Ended(result.exit_code, result.stdout, result.stderr)
