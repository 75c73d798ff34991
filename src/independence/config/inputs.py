"""Reading a text file that a person names: bounded, in UTF-8, and never waiting for ever on what is no file."""

from __future__ import annotations

import os
import select
import stat
import time
from pathlib import Path
from typing import Final

from independence.errors import UsageError

LARGEST: Final = 64 * 2**20
_PATIENCE_S: Final = 3.0  # with a pipe that says nothing
_BLOCK: Final = 2**20
_UTF16: Final = (b"\xff\xfe", b"\xfe\xff")


def read_text(path: Path) -> str:
    """The text of a file, or of a pipe that somebody writes to. Raises UsageError."""
    try:
        content = _read(path)
    except OSError as error:
        raise UsageError(f"{path}: cannot be read ({error.strerror})") from error
    if content.startswith(_UTF16):
        raise UsageError(f"{path}: cannot be read: this is UTF-16", "save it as UTF-8")
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        byte = f"line {line} holds the byte 0x{content[error.start]:02x}"
        raise UsageError(f"{path}: cannot be read as UTF-8 ({byte})", "save it as UTF-8") from None


def _read(path: Path) -> bytes:
    kind = path.stat().st_mode
    if stat.S_ISDIR(kind):
        raise UsageError(f"{path}: this is a folder", "name a file")
    if stat.S_ISFIFO(kind):
        return _drained(path)
    if not stat.S_ISREG(kind):
        raise UsageError(f"{path}: this is a device, not a file")
    with path.open("rb") as file:
        return _bounded(path, file.read(LARGEST + 1))


def _drained(path: Path) -> bytes:
    """What is written to a pipe until its last writer leaves. A writer has to come within some seconds."""
    out, begun = bytearray(), time.monotonic()
    opened = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        while len(out) <= LARGEST:
            ready, _, _ = select.select([opened], [], [], _PATIENCE_S)
            part = os.read(opened, _BLOCK) if ready else None
            if part:
                out += part
            elif part == b"" and (out or time.monotonic() - begun > _PATIENCE_S):
                break  # the last writer has left
            elif part is None:
                break
            else:
                time.sleep(0.01)  # nobody has opened it for writing yet
    finally:
        os.close(opened)
    if not out:
        raise UsageError(f"{path}: nothing is written to this pipe")
    return _bounded(path, bytes(out))


def _bounded(path: Path, content: bytes) -> bytes:
    if len(content) > LARGEST:
        raise UsageError(f"{path}: larger than {LARGEST // 2**20} MB; that is none of ours")
    return content
