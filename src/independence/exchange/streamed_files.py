"""Files of the user that are read part by part: packed or not, and line by line."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Final, cast

from independence.config import user_files
from independence.errors import DocumentError, UsageError

_LOOKED_AT: Final = 4096  # bytes, for the encoding
_UNPACKING: Final[dict[bytes, Callable[[Path], IO[bytes]]]] = {
    b"\x1f\x8b": cast("Callable[[Path], IO[bytes]]", gzip.open),
    b"BZh": bz2.open,
    b"\xfd7zXZ": lzma.open,
}
# What an archive may unpack to, of whatever kind: a set of all published results has a third of the bytes.
WHOLE: Final = 2**28  # bytes
MEMBERS: Final = 100_000
DAMAGE: Final = (EOFError, lzma.LZMAError, zlib.error, OSError)  # what reading an unpacked file may raise


def kind_of_file(path: Path) -> tuple[str, str] | None:
    """As `user_files.kind_of`, of a file on disk; what `unpacked` unpacks is none."""
    ends = user_files.ends(path)
    return None if ends.startswith(tuple(_UNPACKING)) else user_files.kind_of(ends)


def over_budget(path: Path) -> UsageError:
    """The error for an archive of more bytes or files than `WHOLE` and `MEMBERS`."""
    what = f"{path}: more than {WHOLE // 2**20} MB or {MEMBERS:,} files when unpacked"
    return UsageError(what, "import fewer results at a time")


def unpacked(path: Path) -> IO[bytes]:
    """A file as `opened`, unpacked where it is gzip, bzip2 or xz. Reading it may raise errors of `DAMAGE`."""
    with user_files.opened(path) as file:
        head = file.read(6)
    unpack = next((unpack for start, unpack in _UNPACKING.items() if head.startswith(start)), None)
    return unpack(path) if unpack else user_files.opened(path)


def lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """The lines of a file that are not blank, from 1, whatever ends them, read one by one and unpacked if need be.

    Raises UsageError where it cannot be read to its end.
    """
    number, wide = 0, False
    try:
        with unpacked(path) as source:
            wide = user_files.encoding_of(source.read(_LOOKED_AT)) == "utf-16"
            source.seek(0)
            kept = "utf-8" if wide else "latin-1"  # bytes as they are, of which each line is judged by itself
            with io.TextIOWrapper(source, "utf-16" if wide else kept) as text:
                while line := text.readline(user_files.LARGEST + 1):
                    number += 1
                    if len(line) > user_files.LARGEST:
                        raise user_files.too_large(path, f"line {number} is larger")
                    if line.strip():
                        yield number, line.rstrip("\n").encode(kept)
    except UnicodeError as error:
        what = "cannot be read as UTF-16 to its end"
        raise DocumentError(str(path), number + 1, what, user_files.AS_UTF8) from error
    except DAMAGE as error:
        raise UsageError(f"{path}: cannot be read to its end ({error})", "get a complete copy") from error
