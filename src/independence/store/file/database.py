"""Opening the one file: pragmas, the check of its schema, and what SQLite's complaints mean to a person."""

from __future__ import annotations

import functools
import gc
import hashlib
import os
import re
import shutil
import sqlite3
import stat
import struct
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Final

import msgspec

from independence.errors import DiskFull, IndependenceError, StoreError, StoreUnwritable, WriterHangs
from independence.store.file import digests, store_file

BUSY_S = 30.0
_OF_SQLITE = ("sqlite_sequence", "sqlite_stat1", "sqlite_stat4")
_LAYOUT = re.compile(r"--[^\n]*|[\s\"]")
_MAKERS = "`independence demo`, `run` or `import`"
_LONGEST_SHOWN = 80
_ADDRESS = re.compile(r"(?:file|sqlite\d?):")  # SQLite would open another file than the one of that name
_PAGE = 16_384  # bytes: a row with a reply fits one page, and little of it stays empty
_CACHE_KB = 65_536  # at most: boards look for every dialogue in the indices of calls and verdicts
_ONCE_KB = 16_384  # where a store is read once, from end to end
_LONGEST = 2**27  # bytes of one value: a reply has 16 MB at most, a large suite less than this
_SCHEMA_S = 5.0  # for a schema that nobody has looked at yet, and
_SCHEMA_LONGEST = 2**20  # bytes of a value of it
OTHER: Final = (
    "with that version, `independence export DIR --as parquet` writes each edition; `independence import DIR` reads it "
    "here into a new store"
)
_CHECKED = 256 * 2**20  # bytes; a larger store takes longer to check than to read, `doctor` does it


def connect(path: Path, *, filled: bool = False) -> sqlite3.Connection:
    """Open or create a store. Raises StoreError, DiskFull.

    `filled`: an empty one is an error.
    """
    _refuse_odd(path)
    if not path.parent.is_dir():
        raise StoreError(f"{path}: the folder {path.parent} does not exist", "create it or choose another --db")
    store_file.check_log(path)
    with translated(path):
        connection = _open(path, timeout=BUSY_S)
        try:
            blank = not _schema_number(connection, path, filled=filled)
            connection.execute(f"PRAGMA page_size = {_PAGE}")  # of a new file; one that holds something keeps its own
            _use_wal(connection)
            # A reply is paid for: FULL makes a commit survive power loss too; batching keeps it cheap.
            connection.execute("PRAGMA synchronous = FULL")
            if blank:
                _create(connection)
        except BaseException:
            connection.close()
            raise
    return connection


def connect_existing(path: Path, *, checked: bool = False, cache_kb: int = _CACHE_KB) -> sqlite3.Connection:
    """Open a store that must exist: for reading alone where it cannot be written. Raises StoreError, DiskFull.

    `checked`: this process has it open already. `cache_kb`: how much of it stays in memory.
    """
    if not _exists(path):
        raise StoreError(f"{path}: no store here", f"{_MAKERS} makes one, --db names another")
    if not path.stat().st_size:
        raise StoreError(f"{path}: the store is empty", f"{_MAKERS} fills it, --db names another")
    alone = not store_file.log_of(path).exists()  # opening makes one
    connection = connect(path, filled=alone) if _writable(path) else _connect_read_only(path, filled=alone)
    connection.execute(f"PRAGMA cache_size = -{cache_kb}")
    try:
        if not checked:
            with translated(path), snapshot(connection), collecting_seldom():
                small = path.stat().st_size <= _CHECKED
                if small and connection.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
                    raise _damaged(path, "a page of it cannot be read")
                for found in digests.damage(connection):  # what is scored
                    raise _damaged(path, f"{found.table}: {found.what}")
    except BaseException:
        connection.close()
        raise
    return connection


@contextmanager
def collecting_seldom() -> Iterator[None]:
    """Look for cycles among objects less often: of a store's rows next to nothing is one, and there are many."""
    before = gc.get_threshold()
    gc.set_threshold(50_000, 20, 1_000)
    try:
        yield
    finally:
        gc.set_threshold(*before)


@contextmanager
def reading_once(connection: sqlite3.Connection) -> Iterator[None]:
    """Read a store from end to end as it is now, whatever others write meanwhile.

    Few of its pages are kept in memory, and its rows are no cycles.
    """
    (before,) = connection.execute("PRAGMA cache_size").fetchone()
    connection.execute(f"PRAGMA cache_size = -{_ONCE_KB}")
    try:
        with snapshot(connection), collecting_seldom():
            yield
    finally:
        connection.execute(f"PRAGMA cache_size = {before}")


@contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection]:
    """A store that must exist, for the length of a command that reads it. Raises StoreError, DiskFull."""
    with closing(connect_existing(path)) as connection, collecting_seldom(), translated(path):
        connection.execute("PRAGMA query_only = ON")
        yield connection


@contextmanager
def writing(path: Path, *, new: bool | None) -> Iterator[sqlite3.Connection]:
    """A store to write to; `new` None: to read, if there is one. One that is made here and left empty leaves no trace.

    Raises StoreError, DiskFull.
    """
    there = path.exists()
    fresh = not there and new is not False
    connection = connect(path) if fresh or new else connect_existing(path)
    unused = hangs = False
    try:
        with translated(path):
            if new is not None and _writable(path):
                store_file.renew_id(connection)
            try:
                yield connection
            except StoreUnwritable as error:
                fresh, hangs = False, isinstance(error, WriterHangs)
                raise
            finally:
                kept = "SELECT 1 FROM editions UNION ALL SELECT 1 FROM trials LIMIT 1"  # or what a judge was shown
                unused = fresh and connection.execute(kept).fetchone() is None
    finally:
        if not hangs:  # else closing it would hang as well
            connection.close()
        # Of a refused or mistyped run; while another process has the store open, it stays.
        if unused and not store_file.log_of(path).exists():
            path.unlink(missing_ok=True)


def _exists(path: Path) -> bool:
    """Raises StoreError for what cannot be a store."""
    _refuse_odd(path)
    try:
        return path.is_file()
    except OSError as error:
        raise StoreError(f"{path}: cannot be read ({error.strerror})", "name another file with --db") from error


def _refuse_odd(path: Path) -> None:
    """Raises StoreError for a name or a kind of file that SQLite would make something unexpected of."""
    if str(path) == ":memory:":
        raise StoreError("--db :memory: keeps nothing", "name a file")
    if _ADDRESS.match(str(path)):
        raise StoreError(f"--db {path}: this is an address and no file", "give the path of the file alone")
    try:
        kind = path.stat().st_mode
    except FileNotFoundError:
        return
    except OSError as error:
        raise StoreError(f"{_short(path)}: cannot be used ({error.strerror})", "name another file with --db") from error
    if not stat.S_ISREG(kind) and not stat.S_ISDIR(kind):
        raise StoreError(f"{path}: a device or a pipe, which cannot be a store", "name a file with --db")


def _short(path: Path) -> str:
    """A path in a sentence: a name can be so long that it is refused for that."""
    text = str(path)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}…"


def _writable(path: Path) -> bool:
    return os.access(path, os.W_OK) and os.access(path.resolve().parent, os.W_OK)


def _connect_read_only(path: Path, *, filled: bool) -> sqlite3.Connection:
    """Open without a file beside it. What waits in its WAL is read too."""
    log = store_file.log_of(path)
    try:
        with translated(path):
            if not log.is_file() or not log.stat().st_size:
                address = f"{path.resolve().as_uri()}?mode=ro&immutable=1"  # nobody can be writing: there is no WAL
                connection = _open(address, uri=True)
                _schema_number(connection, path, filled=filled)
                return connection
            store_file.check_log(path)
            # SQLite reads a WAL only where it can write an index of it: here that is a copy.
            with tempfile.TemporaryDirectory() as folder:
                copy = Path(folder, "copy.db")
                shutil.copyfile(path, copy)
                shutil.copyfile(log, copy.with_name("copy.db-wal"))
                memory = _open(":memory:")
                with closing(_open(copy)) as connection:
                    _schema_number(connection, path)
                    connection.backup(memory)
                return memory
    except OSError as error:
        raise StoreError(f"{path}: cannot be read ({error.strerror})", "name another file with --db") from error


def as_it_is(path: Path) -> sqlite3.Connection:
    """Open a store to read what is left of it, unchecked. Raises StoreError."""
    if not _exists(path):
        raise StoreError(f"{path}: no store here", "name the damaged one with --db")
    store_file.check_log(path)
    connection = _open(f"{path.resolve().as_uri()}?mode=ro", BUSY_S, uri=True)
    _schema_number(connection, path)
    return connection


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """What reading or writing rows of a store raises, for people. Raises StoreError, DiskFull."""
    try:
        yield
    except sqlite3.Error as error:
        raise translate(error, path) from error
    # The only documents that are read so are rows; SQLite's own complaint may hold bytes of a damaged one.
    except (msgspec.MsgspecError, struct.error, UnicodeDecodeError) as error:
        raise _damaged(path, f"a row of it cannot be read: {error}") from error


def translate(error: sqlite3.Error, path: Path) -> IndependenceError:
    """What a SQLite error means to a person."""
    text = str(error)
    if isinstance(error, sqlite3.OperationalError) and ("full" in text or "disk I/O" in text):
        what = f"{path}: the disk is full or cannot be written ({text})"
        return DiskFull(what, "free space and run the command again")
    if isinstance(error, sqlite3.DatabaseError) and "not a database" in text:
        return StoreError(f"{path}: not a store of this program ({text})", "name another file with --db")
    if "malformed" in text or "decode to UTF-8" in text:
        return _damaged(path, text)
    unopened, folder = "unable to open" in text, path.resolve().parent
    if "readonly" in text or (unopened and folder.is_dir() and not os.access(folder, os.W_OK)):
        what = f"{path}: the store cannot be written here: it, its folder or the mount is read-only"
        return StoreError(what, "copy it to a folder that can be written, or name another with --db")
    if "interrupted" in text or "too big" in text:
        return StoreError(f"{path}: its schema is too large to be one of this program", "use a store that you trust")
    if "locked" in text:
        return StoreError(f"{path}: another process has kept the store locked for {BUSY_S:.0f} s", "try again")
    if unopened and not _handles_left():
        return StoreError(f"{path}: too many open files for this process", "raise the limit (ulimit -n 1024)")
    return StoreError(f"{path}: the store cannot be used ({text})")


def _handles_left() -> bool:
    """Whether as many files can be opened as a store needs: itself, its log and the index of that, their folder."""
    try:
        with ExitStack() as stack:
            for _ in range(4):
                stack.enter_context(Path(os.devnull).open("rb"))
    except OSError:
        return False
    return True


def _damaged(path: Path, what: str) -> StoreError:
    return StoreError(f"{path}: the store is damaged ({what})", digests.REMEDY)


def _open(address: Path | str, timeout: float = 0.0, *, uri: bool = False) -> sqlite3.Connection:
    """A connection that trusts nothing of what a file says of itself."""
    connection = sqlite3.connect(address, timeout=timeout, uri=uri, isolation_level=None, check_same_thread=False)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST)
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA cell_size_check = ON")
    digests.offer(connection)
    return connection


def opened_unread(address: str, path: Path, timeout: float) -> tuple[sqlite3.Connection, int]:
    """A store to look at, and the number of its schema: 0 of an empty file. Of one that is not OURS nothing else may be
    read.

    Raises StoreError for a file that is none of ours or was changed, and sqlite3.Error.
    """
    connection = _open(address, timeout, uri=True)
    try:
        return connection, _schema_number(connection, path, any_=True)
    except BaseException:
        connection.close()
        raise


def _schema_number(connection: sqlite3.Connection, path: Path, *, filled: bool = False, any_: bool = False) -> int:
    """The number of a file's schema, 0 of an empty file. Refuses what is not ours before anything else of it is read.

    A schema can be of any size, and SQLite reads it before the first statement: it gets little time and memory.
    `any_`: that of another version is told, and no error.
    """
    until = time.monotonic() + _SCHEMA_S
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _SCHEMA_LONGEST)
    connection.set_progress_handler(lambda: time.monotonic() > until, 1000)
    try:
        # One statement, so that another process creating the store is seen before or after, never in between.
        number, tables, own = connection.execute(
            "SELECT (SELECT user_version FROM pragma_user_version), (SELECT count(*) FROM sqlite_master), "
            "(SELECT count(*) FROM sqlite_master WHERE name IN ('editions', 'subjects', 'trials', 'calls', 'verdicts'))"
        ).fetchone()
        if number < 0 or ((number or tables) and own < 5):
            raise StoreError(f"{path}: a SQLite file of another program", "name another file with --db")
        if filled and not number:
            what = f"{path}: the store is empty, or a copy of one in use that lacks the file {path.name}-wal"
            raise StoreError(what, "copy both files, or end the run before you copy")
        if number == ours():
            _refuse_foreign(connection, path)
        elif number and not any_:
            raise StoreError(f"{path}: written by another version of this program", OTHER)
        return int(number)
    finally:
        connection.set_progress_handler(None, 0)
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST)


def _refuse_foreign(connection: sqlite3.Connection, path: Path) -> None:
    """Raise StoreError for a file whose schema is not ours: SQLite would run what its triggers and views say."""
    found, own = _schema(connection), _blank_schema()
    for (kind, name), sql in found.items():
        if (kind, name) not in own:
            what = f"{path}: its {kind} `{_short(Path(name))}` is not of this program, and may change what is read"
            raise StoreError(what, f"use a store that you trust; `DROP {kind.upper()}` removes what you added yourself")
        if own[kind, name] != sql:
            what = f"{path}: its {kind} `{name}` is not as this program makes it, by damage or on purpose"
            raise StoreError(what, "restore a copy that you trust")
    for kind, name in sorted(own.keys() - found.keys()):
        raise _damaged(path, f"its {kind} `{name}` is gone")


def _schema(connection: sqlite3.Connection) -> dict[tuple[str, str], str]:
    """What defines each table, index, trigger and view, without what versions of SQLite write differently."""
    found = connection.execute("SELECT type, name, sql FROM sqlite_master")
    return {
        (str(kind), str(name)): _LAYOUT.sub("", str(sql or ""))  # in a damaged one they can be anything
        for kind, name, sql in found
        if not (kind == "table" and name in _OF_SQLITE) and not (kind == "index" and sql is None)
    }


@functools.cache
def _blank_schema() -> dict[tuple[str, str], str]:
    with closing(_open(":memory:")) as connection:
        _create(connection)
        return _schema(connection)


@functools.cache
def _definition() -> str:
    return Path(__file__).with_name("schema.sql").read_text("utf-8")


@functools.cache
def ours() -> int:
    """The number of the schema, 1 to 2^31 - 1: of what `schema.sql` defines, and of what digests of rows are made."""
    defined = [_LAYOUT.sub("", _definition()), sorted(digests.CHECKED.items())]
    return int.from_bytes(hashlib.sha256(msgspec.json.encode(defined)).digest()[:4], "big") >> 1 or 1


def _use_wal(connection: sqlite3.Connection) -> None:
    """Switch a file to WAL. Where another process does the same, SQLite gives up at once, so this waits itself."""
    until = time.monotonic() + BUSY_S
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > until:
                raise
            time.sleep(0.01)
        else:
            return


def _create(connection: sqlite3.Connection) -> None:
    connection.execute("BEGIN IMMEDIATE")
    # Another process may have done so while this one waited for the lock.
    if not connection.execute("PRAGMA user_version").fetchone()[0]:
        statement = ""  # one by one: `executescript` would commit the transaction
        for line in _definition().splitlines(keepends=True):
            statement += line
            if sqlite3.complete_statement(statement):
                connection.execute(statement)
                statement = ""
        digests.install(connection)
        connection.execute(f"PRAGMA user_version = {ours()}")
    connection.execute("COMMIT")


@contextmanager
def snapshot(connection: sqlite3.Connection) -> Iterator[None]:
    """Read a store as it is at the first look at it, whatever others write meanwhile."""
    connection.execute("BEGIN")
    try:
        yield
    finally:
        connection.execute("ROLLBACK")


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Write everything of the block, or, where it fails, nothing."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")
