"""`python -m independence` is the same as the `independence` command."""

from independence.cli.main import main

if __name__ == "__main__":
    main()
