"""`python -m independence` is the same as the `independence` command."""

from __future__ import annotations

import errno
import os
import sys

_PROGRAM, _INTERRUPTED = 70, 130  # as in `errors`, which may not be there; 1 would be the verdict of a gate
_BUG = b"Error: this is an error of the program; what was stored is kept. Please report it with the lines above\n"


def main() -> None:
    """Run the command."""
    try:
        _run()
    except KeyboardInterrupt:  # before a command runs: nothing is held yet
        os.write(2, b"Error: interrupted\n")
        raise SystemExit(_INTERRUPTED) from None
    except Exception as error:  # noqa: BLE001 - or Python would end with 1
        # Before a command runs, or while an error is told; an extension that can allocate nothing may fail so too.
        failed_so = isinstance(error, SystemError) and "without exception" in str(error)
        if isinstance(error, MemoryError) or failed_so or (isinstance(error, OSError) and error.errno == errno.ENOMEM):
            os.write(2, b"Error: not enough memory; what was stored is kept\n")
        else:
            sys.excepthook(type(error), error, error.__traceback__)
            os.write(2, _BUG)
        raise SystemExit(_PROGRAM) from None


def _run() -> None:
    # Threads of numpy's linear algebra wait by turning for 2^N cycles, by default 26, as soon as it is imported: that
    # took a third of the start of commands that never use them.
    os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")
    from independence.errors import UsageError, refuse_little_memory, refuse_windows

    try:
        refuse_windows()
        refuse_little_memory()
    except UsageError as error:
        os.write(2, f"Error: {error}\n".encode())
        raise SystemExit(error.exit_code) from None
    from independence.cli.main import main as command

    command()


if __name__ == "__main__":
    main()
