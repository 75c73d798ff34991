"""Runs the real command on a terminal of a given width and gives back what stood on it."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from tests.e2e.command import environment

_CODES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_ERASED = re.compile(r"[^\n]*\x1b\[2K")


class Screen(NamedTuple):
    """What a command left on its terminal, and all it sent there."""

    code: int
    raw: str

    @property
    def lines(self) -> list[str]:
        """The lines that stayed, without colours; one that was rewritten counts once."""
        text = _CODES.sub("", _ERASED.sub("", self.raw))
        return [line.rsplit("\r", 1)[-1].rstrip() for line in text.replace("\r\n", "\n").split("\n")]

    @property
    def text(self) -> str:
        """The lines as one text."""
        return "\n".join(self.lines)


def run(
    *arguments: str | Path,
    cwd: Path,
    columns: int,
    program: Sequence[str] = (sys.executable, "-m", "independence"),
    env: Mapping[str, str] | None = None,
    typed: str = "",
) -> Screen:
    """The command, from start to end, with stdout and stderr on one terminal; `typed`: what is typed there."""
    ours, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    changed = {name: value for name, value in environment(env).items() if name not in ("COLUMNS", "LINES")}
    process = subprocess.Popen(
        [*program, *map(str, arguments)], cwd=cwd, env=changed | {"TERM": "xterm-256color"}, stdin=its, stdout=its,
        stderr=its, start_new_session=True,
    )  # fmt: skip
    os.close(its)
    os.write(ours, typed.encode())
    sent = bytearray()
    try:
        while part := os.read(ours, 65536):
            sent += part
    except OSError:  # the other end was closed
        pass
    finally:
        os.close(ours)
    return Screen(process.wait(), sent.decode("utf-8", "replace"))
