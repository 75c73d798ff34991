"""Files of the user: how they are read, and what an output option may write over.

Texts are UTF-8, with a byte order mark or without, or UTF-16 with one. No other encoding is guessed, since a wrong
letter in a prompt would change what is measured. Written over are files that the same
command wrote before, and never a store. That is known by its content, so that a symbolic or hard link to one is refused
as well, whatever its name.
"""

from __future__ import annotations

import codecs
import errno
import os
import stat
import time
from pathlib import Path, PurePath
from typing import IO, Final

from independence.errors import DiskFull, DocumentError, UsageError

FULL: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)  # of a disk that takes no more
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
        # A pipe without a reader would make us wait for ever.
        try:
            os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))
        except OSError as error:
            if error.errno == errno.ENXIO:
                raise UsageError(f"{option} {path}: a pipe without a reader", "choose another file") from None
    if not stat.S_ISREG(kind):
        return
    refuse_store(path, option)
    if force or not path.stat().st_size or mark in ends(path):
        return
    advice = "choose another, or write over it with --force" if forcible else "choose another"
    raise UsageError(f"{option} {path}: this file was not written by this command", advice)


def check_new(path: Path, option: str, *, force: bool) -> None:
    """Raise UsageError where `path` is a store, or any other file unless `force`."""
    refuse_store(path, option)
    if path.exists() and not force:
        raise UsageError(f"{path}: is there already", "name another file, or --force")


def write_new(path: Path, content: bytes, option: str, *, force: bool) -> None:
    """Write a file. Raises UsageError like `check_new`, or where it cannot be written; DiskFull."""
    check_new(path, option, force=force)
    write(path, content)


def write(path: Path, content: bytes, option: str = "") -> None:
    """Write a file; a part of it that fills the disk is removed, so that the same command can write it later.

    `option`: which named it. Raises UsageError where it cannot be written, DiskFull.
    """
    try:
        path.write_bytes(content)
    except OSError as error:
        what = f"{option} {path}".strip() + f": cannot be written ({error.strerror})"
        if error.errno not in FULL:
            raise UsageError(what, "name another file") from error
        if path.is_file():
            path.unlink()
        raise DiskFull(what, "free space and run the command again") from error


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


def ends(file: Path) -> bytes:
    """The first and the last bytes of a file; none where it cannot be read."""
    try:
        with file.open("rb") as opened:
            head = opened.read(_LOOKED_AT)
            opened.seek(max(0, file.stat().st_size - _LOOKED_AT))
            return head + b"\n" + opened.read(_LOOKED_AT)
    except OSError:
        return b""


LARGEST: Final = 64 * 2**20  # bytes of a file that is read whole, or of one line
_PATIENCE_S: Final = 3.0  # with a pipe that says nothing
_BLOCK: Final = 2**20
AS_UTF8: Final = "save it as UTF-8"
# How files begin that are no text: what they are, and what to do.
_NO_TEXT: Final = (
    (_DATABASE, "a SQLite file, such as a store", "a store is named with --db"),
    (b"PK\x03\x04", "a ZIP archive", "unpack it and name what was in it"),
    (b"\x1f\x8b", "a gzip archive", "unpack it"),
    (b"\xfd7zXZ\x00", "an xz archive", "unpack it"),
    (b"\x28\xb5\x2f\xfd", "a zstd archive", "unpack it"),
    (b"\xd0\xcf\x11\xe0", "an Excel or Word file of the old kind", "save it as CSV or plain text, in UTF-8"),
    (b"%PDF-", "a PDF", "name a text file"),
    (b"\x89PNG", "a picture", "name a text file"),
)
_WORKBOOK: Final = (b"xl/", b"opendocument.spreadsheet")
_DOCUMENT: Final = (b"word/", b"opendocument.text")


def read_text(path: Path) -> str:
    """The text of a file, or of a pipe that somebody writes to. Raises UsageError."""
    return text_of(read_bytes(path), path)


def text_of(content: bytes, path: PurePath, line: int = 1) -> str:
    """The text that a file holds, or a part of it that begins in `line`, without a byte order mark; lines end in LF.

    Raises DocumentError, UsageError for what is known to be no text.
    """
    if kind := kind_of(content):
        raise UsageError(f"{path}: this is {kind[0]}, not a text", kind[1])
    encoding = encoding_of(content)
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError as error:
        line += line_of(content[: error.start].decode(encoding, "replace")) - 1
        what = f"cannot be read as {encoding.upper()} (byte 0x{content[error.start]:02x})"
        raise DocumentError(str(path), line, what, AS_UTF8) from None
    before, null, _ = text.partition("\0")
    if null:
        raise DocumentError(str(path), line + line_of(before) - 1, "a NUL byte, so this is no text", AS_UTF8)
    return _with_line_ends(text.lstrip("\ufeff"))  # tools that add a mark do not look whether there is one


def kind_of(content: bytes) -> tuple[str, str] | None:
    """What a file that begins and ends so is, and what to do, where it is known to be no text."""
    if content.startswith(b"PK\x03\x04"):
        if any(part in content for part in _WORKBOOK):
            return "an Excel or LibreOffice workbook", "save the sheet as CSV UTF-8"
        if any(part in content for part in _DOCUMENT):
            return "a Word or LibreOffice document", "save it as plain text in UTF-8"
    return next(((what, fix) for start, what, fix in _NO_TEXT if content.startswith(start)), None)


def encoding_of(content: bytes) -> str:
    """`utf-16` for a text that begins with its byte order mark, else `utf-8`."""
    wide = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return "utf-16" if wide and not content.startswith(codecs.BOM_UTF32_LE) else "utf-8"


def line_of(before: str) -> int:
    """The number of the line that some text ends in, whatever ends a line."""
    return _with_line_ends(before).count("\n") + 1


def _with_line_ends(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_bytes(path: Path) -> bytes:
    """What a file holds, or what is written to a pipe. Raises UsageError."""
    try:
        if stat.S_ISFIFO(path.stat().st_mode):
            content = _drained(path)
        else:
            with opened(path) as file:
                content = file.read(LARGEST + 1)
    except OSError as error:
        raise _unreadable(path, error) from error
    if len(content) > LARGEST:
        raise too_large(path, "larger")
    return content


def opened(path: Path) -> IO[bytes]:
    """A file, open for reading. Raises UsageError for what is none, or cannot be read."""
    try:
        kind = path.stat().st_mode
        if stat.S_ISDIR(kind):
            raise UsageError(f"{path}: this is a folder", "name a file")
        if not stat.S_ISREG(kind):
            what = "a pipe" if stat.S_ISFIFO(kind) else "a device"
            raise UsageError(f"{path}: this is {what}, not a file", "name a file")
        return path.open("rb")
    except OSError as error:
        raise _unreadable(path, error) from error


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
        return begun + pipe.read(LARGEST + 1 - len(begun))


def _unreadable(path: Path, error: OSError) -> UsageError:
    return UsageError(f"{path}: cannot be read ({error.strerror})")


def too_large(path: Path, what: str) -> UsageError:
    """The error for a file, or a line of it, that is `larger`."""
    return UsageError(f"{path}: {what} than {LARGEST // 2**20} MB, the most that is read")
