"""`python -m independence` is the same as the `independence` command."""

from __future__ import annotations

import importlib

from independence.interrupts import guard


def main() -> None:
    """Run the command."""
    guard()
    importlib.import_module("independence.cli.main").main()


if __name__ == "__main__":
    main()
