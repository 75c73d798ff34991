"""The exported site: its sizes for the published part, and the documents of a large store, read one by one.

The large store holds the published part many times over, under other names; its words are real ones.
"""

from __future__ import annotations

import gzip
import json
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

from benchmarks import published
from benchmarks.figure import Figure, Result, Skipped, spread
from independence.report.pages import paths
from independence.store import context, dialogue_rows
from independence.store.file import database, digests

DIALOGUES = 100_000
PEAK, SECONDS = "peak memory of 100,000 dialogues", "their documents"
PEAK_BOUND_MB = 1_000.0
EXPORT, RAW, BLOCK, INDEX = "site of the published part", "its files", "its largest block, packed", "its board, packed"
EXPORT_BOUND_S, RAW_BOUND_MB, BLOCK_BOUND_KB, INDEX_BOUND_KB = 20.0, 25.0, 100.0, 25.0

# Every row once more, its key and all that is derived from it with the copy's name at the end.
_COPIES = """
INSERT INTO subjects (suite, edition, config_dir, label, model_id, simulated, config)
SELECT suite, edition, config_dir || ?1, label || ?1, model_id, simulated, config FROM subjects WHERE {own};

INSERT INTO trials (key, parent, turns, shape) SELECT key || ?1, parent || ?1, turns, shape FROM trials t
WHERE EXISTS (SELECT 1 FROM planned WHERE trial = t.key AND {own});

INSERT INTO calls SELECT c.trial || ?1, c.turn, c.version, c.turn_id, CASE WHEN c.turn = 0 AND t.parent IS NOT NULL
THEN begin(t.key || ?1, (SELECT after FROM calls p WHERE p.trial = t.parent ORDER BY turn DESC LIMIT 1) || ?1)
ELSE c.context || ?1 END, c.after || ?1, {rest} FROM calls c JOIN trials t ON t.key = c.trial
WHERE EXISTS (SELECT 1 FROM planned WHERE trial = t.key AND {own});

INSERT INTO verdicts SELECT v.key || ?1, v.trial || ?1, v.judge, v.pass, v.rubric, v.context || ?1, {graded}
FROM verdicts v WHERE EXISTS (SELECT 1 FROM planned WHERE trial = v.trial AND {own});

INSERT INTO planned (suite, edition, variant, mode, config_dir, scenario, run, experiment, trial, planned_at, turns,
parent) SELECT suite, edition, variant, mode, config_dir || ?1, scenario, run, experiment, trial || ?1, planned_at,
turns, parent || ?1 FROM planned WHERE {own}
"""
_OWN = "config_dir NOT LIKE '%~%'"


def measure() -> list[Result]:
    """In a process of its own; skipped where the data is not there."""
    folder = published.found()
    if isinstance(folder, str):
        return [Skipped(name, folder) for name in (EXPORT, RAW, BLOCK, INDEX, PEAK, SECONDS)]
    with tempfile.TemporaryDirectory() as scratch:
        store = Path(scratch) / "store.db"
        published.make(folder, store)
        sizes = _sizes(store, Path(scratch) / "site")
        dialogues = multiply(store, DIALOGUES)
        command = [sys.executable, "-m", "benchmarks.site", str(store)]
        found = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
    detail = f"{dialogues:,} dialogues, {found['files']:,} documents, {found['bytes'] / 1e6:,.0f} MB"
    parts = ", ".join(f"{name} {seconds:.0f} s" for name, seconds in found["seconds"].items())
    return [
        *sizes,
        Figure(PEAK, found["peak_mb"], "MB", PEAK_BOUND_MB, detail=detail),
        Figure(SECONDS, sum(found["seconds"].values()), "s", detail=parts),
    ]


def _sizes(store: Path, site: Path) -> list[Result]:
    """Export a store."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "independence", "export", str(site), "--site", "--db", str(store)]
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    held = [file for file in site.rglob("*") if file.is_file()]
    raw = sum(file.stat().st_size for file in held) / 1e6
    blocks, index = _packed_kb(site.glob("data/*/*/text/*/*.json")), _packed_kb(site.glob("data/*/*/index.*.json"))
    return [
        Figure(EXPORT, spent, "s", EXPORT_BOUND_S, detail="CPU of the whole command"),
        Figure(RAW, raw, "MB", RAW_BOUND_MB, detail=f"{len(held)} files"),
        Figure(BLOCK, max(blocks), "KB", BLOCK_BOUND_KB, detail=spread(blocks, "KB", 1)),
        Figure(INDEX, max(index), "KB", INDEX_BOUND_KB),
    ]


def _packed_kb(files: Iterable[Path]) -> list[float]:
    return [len(gzip.compress(file.read_bytes(), 6)) / 1000 for file in files]


def multiply(store: Path, wanted: int) -> int:
    """Copy the dialogues of a store until it holds so many; returns how many there are."""
    with closing(database.connect(store)) as connection:
        connection.create_function("begin", 2, context.begin, deterministic=True)
        rest = _columns(connection, "calls", "c", behind="after")
        graded = _columns(connection, "verdicts", "v", behind="context")
        (held,) = connection.execute("SELECT count(*) FROM planned").fetchone()
        copies = -(-wanted // held) - 1
        with database.transaction(connection):
            for copy in range(1, copies + 1):
                for sql in _COPIES.split(";"):
                    connection.execute(sql.format(own=_OWN, rest=rest, graded=graded), (f"~{copy}",))
            dialogue_rows.write(connection)
            digests.renew(connection)
    return int(held * (copies + 1))


def _columns(connection: sqlite3.Connection, table: str, alias: str, behind: str) -> str:
    """The columns that come behind one, in their order."""
    names = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
    return ", ".join(f"{alias}.{name}" for name in names[names.index(behind) + 1 :])


def read(store: Path) -> dict[str, object]:
    """Read every document and keep none."""
    seconds: defaultdict[str, float] = defaultdict(float)
    size, files = 0, 0
    with database.reading(store) as connection, paths.reading(connection) as site:
        began = time.process_time()
        for path in site.paths():
            kind = (path.split("/")[1] if "/" in path else path).split(".")[0]
            size += len(site.document(path))
            files += 1
            seconds[kind] += time.process_time() - began
            began = time.process_time()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"files": files, "bytes": size, "peak_mb": peak, "seconds": seconds}


if __name__ == "__main__":
    print(json.dumps(read(Path(sys.argv[1]))))
