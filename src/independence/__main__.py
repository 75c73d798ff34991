"""`python -m independence` is the same as the `independence` command."""

from __future__ import annotations


def main() -> None:
    """Run the command."""
    from independence.cli import early_interrupt

    early_interrupt.guard()
    from independence.cli.main import main as command

    command()


if __name__ == "__main__":
    main()
