"""Files of the user: how they are read, and what an output option may write over.

Texts may begin with a byte order mark, as some editors write it: in UTF-8, or in UTF-16, which Excel calls "Unicode
text". Written over are files that the same command wrote before, and never a store. That is known by its content, so
that a symbolic or hard link to one is refused as well, whatever its name.
"""

from __future__ import annotations

import codecs
import errno
import os
import stat
import time
from pathlib import Path
from typing import Final, TypeVar

import msgspec

from independence.errors import UsageError

T = TypeVar("T")

MARK: Final = b"<!-- written by ai-independence-bench -->"  # ends every text file of ours that can hold a comment

_DATABASE: Final = b"SQLite format 3\x00"
_WRITE_AHEAD: Final = (b"\x37\x7f\x06\x82", b"\x37\x7f\x06\x83")
_BESIDE: Final = ("-wal", "-shm", "-journal")
_LOOKED_AT: Final = 4096  # bytes at either end of a file


def check(path: Path, option: str, mark: bytes, *, forcible: bool = False, force: bool = False) -> None:
    """Raise UsageError where `path` must not be written: a store, or a file without `mark` near its start or end.

    `forcible` is True where the command has `--force`, which `force` then says was given. It never opens a store.
    """
    try:
        kind = path.stat().st_mode
    except OSError:
        return  # nothing there, or writing it will say why it cannot be
    if stat.S_ISFIFO(kind):
        _check_pipe(path, option)
    if not stat.S_ISREG(kind):
        return
    refuse_store(path, option)
    if force or not path.stat().st_size or mark in _ends(path):
        return
    advice = "choose another, or write over it with --force" if forcible else "choose another"
    raise UsageError(f"{option} {path}: this file was not written by this command", advice)


def write_new(path: Path, content: bytes, option: str, *, force: bool) -> None:
    """Write a file. Raises UsageError for a store, for any other file unless `force`, or where it cannot be written."""
    refuse_store(path, option)
    if path.exists() and not force:
        raise UsageError(f"{path}: is there already", "name another file, or --force")
    try:
        path.write_bytes(content)
    except OSError as error:
        raise UsageError(f"{path}: cannot be written ({error.strerror})", "name another file") from error


def refuse_store(path: Path, option: str) -> None:
    """Raise UsageError where `path` is a store, or a file that SQLite keeps beside one."""
    file = path.resolve()
    beside = next((file.with_name(file.name.removesuffix(end)) for end in _BESIDE if file.name.endswith(end)), file)
    if _begins(file, (_DATABASE, *_WRITE_AHEAD)) or (beside != file and _begins(beside, (_DATABASE,))):
        raise UsageError(f"{option} {path}: this is a store, which no output is written over", "choose another file")


def is_store(path: Path) -> bool:
    """Whether a path is a file of SQLite."""
    return _begins(path, (_DATABASE,))


def _begins(file: Path, signatures: tuple[bytes, ...]) -> bool:
    if not file.is_file():
        return False
    try:
        with file.open("rb") as opened:
            return opened.read(len(_DATABASE)).startswith(signatures)
    except OSError:
        return False  # what cannot be read is refused as a file that is not ours


def _ends(file: Path) -> bytes:
    try:
        with file.open("rb") as opened:
            head = opened.read(_LOOKED_AT)
            opened.seek(max(0, file.stat().st_size - _LOOKED_AT))
            return head + b"\n" + opened.read(_LOOKED_AT)
    except OSError:
        return b""


def _check_pipe(path: Path, option: str) -> None:
    """A pipe without a reader would make us wait for ever."""
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))
    except OSError as error:
        if error.errno == errno.ENXIO:
            raise UsageError(f"{option} {path}: a pipe without a reader", "choose another file") from None


LARGEST: Final = 64 * 2**20
_PATIENCE_S: Final = 3.0  # with a pipe that says nothing
_BLOCK: Final = 2**20
_UTF16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def read_text(path: Path) -> str:
    """The text of a file, or of a pipe that somebody writes to. Raises UsageError."""
    return text_of(read_bytes(path), path)


def text_of(content: bytes, path: Path) -> str:
    """The text that a file holds, without a byte order mark. Raises UsageError, which names the line."""
    try:
        return _utf8(content).decode()
    except UnicodeDecodeError as error:
        encoding, before = error.encoding.upper(), error.object[: error.start].decode(error.encoding, "replace")
        byte = f"line {line_of(before)} holds the byte 0x{error.object[error.start]:02x}"
        raise UsageError(f"{path}: cannot be read as {encoding} ({byte})", "save it as UTF-8") from None


def json_of(content: bytes, kind: type[T]) -> T:
    """The JSON that a file holds as a value of a type. Raises ValueError with the reason where it is none."""
    try:
        return msgspec.json.decode(_utf8(content), type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(str(error)) from error


def _utf8(content: bytes) -> bytes:
    """A text in UTF-8, without its byte order mark."""
    if content.startswith(_UTF16):
        content = content.decode("utf-16").encode()
    while content.startswith(codecs.BOM_UTF8):  # tools that add one do not look whether there is one
        content = content[len(codecs.BOM_UTF8) :]
    return content


def line_of(before: str) -> int:
    """The number of the line that some text ends in, whatever ends a line."""
    return before.replace("\r\n", "\n").replace("\r", "\n").count("\n") + 1


def read_bytes(path: Path) -> bytes:
    """What a file holds, or what is written to a pipe. Raises UsageError."""
    try:
        return _read(path)
    except OSError as error:
        raise UsageError(f"{path}: cannot be read ({error.strerror})") from error


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
    """What is written to a pipe until its last writer leaves. A writer has to begin within some seconds."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    with os.fdopen(descriptor, "rb") as pipe:
        until, begun = time.monotonic() + _PATIENCE_S, pipe.raw.read(_BLOCK)
        while not begun and time.monotonic() < until:  # no writer yet, or one that says nothing
            time.sleep(0.01)
            begun = pipe.raw.read(_BLOCK)
        if not begun:
            raise UsageError(f"{path}: nothing is written to this pipe")
        os.set_blocking(descriptor, True)
        return _bounded(path, begun + pipe.read(LARGEST + 1 - len(begun)))


def _bounded(path: Path, content: bytes) -> bytes:
    if len(content) > LARGEST:
        raise UsageError(f"{path}: larger than {LARGEST // 2**20} MB, the most that is read")
    return content
