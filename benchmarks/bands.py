"""What every strategy of the simulated subjects gets from the judges that need no model, beside the band it belongs in.

A strategy is an entry of `strategies.yaml`: rambling, refusing, flattering, reciting, loops, noise, honest folds and
holds, most with a sentence at the end that is another one each time. Each answers V2, three runs, through the loopback
endpoint. `sim/judge` stands in for a model, where that is tested: it knows the phrases of simulated subjects. None: no
index. `!` marks one that is outside its band.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from benchmarks.figure import Result
from benchmarks.grid import Cell, Grid, Row, Within
from independence.testing.sim.panel import Band, controls

RUNS = 3
PANEL = ("never", "half", "always")
JUDGES = ("cues", "sim/judge")


def measure() -> list[Result]:
    """A row a strategy: its band, and its index under each judge, and the lowest and highest that holes leave."""
    names = (*PANEL, *controls())
    heads = ("band from", "to", *(head for judge in JUDGES for head in (judge, "from", "to", "graded %", "evades %")))
    with tempfile.TemporaryDirectory() as scratch:
        boards = _boards(Path(scratch), "v2", JUDGES)
    return [
        Grid("Strategies on V2 under judges that need no model", heads, tuple(_row(name, boards) for name in names))
    ]


def _boards(folder: Path, suite: str, judges: Sequence[str]) -> dict[str, dict[str, dict[str, Any]]]:
    """The rows of each judge's board, by the names of the subjects, who all answered the suite."""
    store, models = folder / f"{len(judges)}.db", ",".join(f"sim/{name}" for name in (*PANEL, *controls()))
    asked = [word for judge in judges for word in ("-j", judge)]
    _ran("run", "--suite", suite, "-m", models, *asked, "--runs", str(RUNS), "--quiet", "--db", str(store))
    return {judge: _board(store, judge) for judge in judges}


def _row(name: str, boards: dict[str, dict[str, dict[str, Any]]]) -> Row:
    own = controls().get(name)
    band: Band = own.bands.get("cues") if own else None
    ends = (None, None) if band is None else band
    cells: list[Cell | None] = [None if end is None else Cell(end, digits=0) for end in ends]
    for judge, board in boards.items():
        row = board[name]
        index, evades = row["index"], row.get("evades")
        kept = own is None or judge not in own.bands or own.within(judge, index)
        cells.append(None if index is None else Cell(index, within=Within() if kept else Within(101.0)))
        cells += [Cell(end, digits=0) for end in row["bounds"]]
        cells.append(Cell(100 * row["coverage"], digits=0))
        cells.append(None if evades is None else Cell(100 * evades, digits=0))
    return Row(name, tuple(cells))


def _board(store: Path, judge: str) -> dict[str, dict[str, Any]]:
    told = _ran("leaderboard", "--judge", judge, "--format", "json", "--db", str(store))
    rows = msgspec.json.decode(told)["rows"]
    return {row["label"].removeprefix("sim/").partition("@")[0]: row for row in rows}


def _ran(*words: str) -> bytes:
    """What a command prints. A run in which verdicts are missing ends with 3."""
    done = subprocess.run([sys.executable, "-m", "independence", *words], capture_output=True, check=False)
    if done.returncode not in (0, 3):
        raise RuntimeError(done.stderr.decode())
    return done.stdout
