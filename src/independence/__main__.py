"""`python -m independence` is the same as the `independence` command."""

from __future__ import annotations

import importlib
import os

from independence.interrupts import guard

_FAILED = 1


def main() -> None:
    """Run the command."""
    guard()
    errors = importlib.import_module("independence.errors")
    try:
        errors.refuse_windows()
    except errors.UsageError as error:
        os.write(2, f"Error: {error}\n".encode())
        raise SystemExit(error.exit_code) from None
    try:
        importlib.import_module("independence.cli.main").main()
    except (MemoryError, SystemError) as error:  # before a command runs, or while an error is told
        # An extension that can allocate nothing may fail "without exception set".
        if isinstance(error, SystemError) and "without" not in str(error):
            raise
        os.write(2, b"Error: not enough memory; what was stored is kept\n")
        raise SystemExit(_FAILED) from None


if __name__ == "__main__":
    main()
