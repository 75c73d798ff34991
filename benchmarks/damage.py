"""Stores of which a bit flips, a few bytes are overwritten, or the end is cut off: the same boards, or a refusal.

`python -m benchmarks damage`. Half of the places are drawn from the whole file and half from its bytes that are not 0.
"""

from __future__ import annotations

import random
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from tests import toy
from tests.e2e import command

from benchmarks.figure import Figure, Result
from independence.api.reading import Store
from independence.errors import DiskFull, StoreError
from independence.store import scopes

FLIPS, CUTS = 2_000, 200
SAME, REFUSED, OTHER = "same", "refused", "other"


class Harm(NamedTuple):
    """What is done to a file, and how it is called where that is not told from any damage."""

    name: str
    content: bytes


def harms(content: bytes, flips: int, cuts: int, seed: int) -> Iterator[Harm]:
    """So many flipped bits or overwritten bytes, and so many cuts; every fifth of the former 20 random bytes."""
    rng = random.Random(seed)
    used = [at for at, byte in enumerate(content) if byte]
    for number in range(flips):
        at = rng.randrange(len(content)) if number % 2 else rng.choice(used)
        changed = bytearray(content)
        if number % 5:
            changed[at] ^= 1 << rng.randrange(8)
        else:
            changed[at : at + 20] = rng.randbytes(min(20, len(content) - at))
        yield Harm(f"{number} at {at}", bytes(changed))
    for number in range(cuts):
        length = rng.randrange(len(content))
        yield Harm(f"cut {number} to {length}", content[:length])


def boards(path: Path) -> dict[str, str]:
    """The JSON of every board of a store."""
    with Store(path) as store, store.reading() as connection:
        places = [one for info in store.editions() for one in scopes.conditions(connection, info.where.edition_name)]
        return {
            str(one.where): store.board(
                one.where.edition_name, variant=one.condition.variant, mode=one.condition.mode
            ).to_json()
            for one in places
        }


def outcomes(path: Path, flips: int, cuts: int, seed: int = 0) -> tuple[Counter[str], list[str]]:
    """How many ended how, and the names of those that gave another board or anything but a refusal."""
    due, content = boards(path), path.read_bytes()
    counts: Counter[str] = Counter()
    wrong: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "copy.db")
        for harm in harms(content, flips, cuts, seed):
            for file in Path(folder).iterdir():
                file.unlink()
            copy.write_bytes(harm.content)
            counts[ended := _ended(copy, due)] += 1
            if ended not in (SAME, REFUSED):
                wrong.append(f"{harm.name}: {ended}")
    return counts, wrong


def _ended(path: Path, due: Mapping[str, str]) -> str:
    try:
        return SAME if boards(path) == due else OTHER
    except (StoreError, DiskFull):
        return REFUSED
    except Exception as error:  # noqa: BLE001  (a crash is counted as one)
        return f"{OTHER}: {type(error).__name__}"


def many_judges(folder: Path) -> None:
    """Two judges and two conditions; dialogues that lack an answer or a verdict."""
    toy.write(folder / "toy")
    line = "run --suite toy -m sim/half,sim/never -j cues -j sim/judge --variants plain,firm --runs 3 --quiet"
    command.run(*line.split(), "--db", "store.db", cwd=folder)
    with command.opened(folder / "store.db") as connection:
        connection.execute("DELETE FROM verdicts WHERE rowid % 11 = 0")
        connection.execute("DELETE FROM calls WHERE rowid % 13 = 0")
        connection.execute("UPDATE calls SET cost_usd = rowid / 3.0")


def sides(folder: Path) -> None:
    """Another analysis than an index."""
    line = "run --suite sides -m sim/pleaser,sim/fair -j cues --runs 2 --limit 12 --quiet --db store.db"
    command.ok(*line.split(), cwd=folder)


KINDS: Mapping[str, Callable[[Path], None]] = {"many judges": many_judges, "sides": sides}


def made(kind: str, folder: Path) -> Path:
    """A store of that kind, in one file."""
    KINDS[kind](folder)
    path = folder / "store.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
        connection.execute("VACUUM")
        connection.execute("PRAGMA journal_mode = WAL")
    return path


def measure() -> list[Result]:
    """A line for each kind of store."""
    out: list[Result] = []
    for kind in KINDS:
        with tempfile.TemporaryDirectory() as folder:
            counts, wrong = outcomes(made(kind, Path(folder)), FLIPS, CUTS)
        detail = f"same {counts[SAME]}, refused {counts[REFUSED]}{''.join(f'; {one}' for one in wrong[:5])}"
        out.append(Figure(f"damage that gave another board: {kind}", len(wrong), "stores", 0.0, detail=detail))
    return out
