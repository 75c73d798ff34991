"""Importing a published result set and printing its board, each as the whole process."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from benchmarks.figure import Figure, Result, Skipped, spread

IMPORT, BOARD = "import of the published part", "its board"
IMPORT_BOUND_S, BOARD_BOUND_S = 10.0, 1.0
IMPORTS, BOARDS = 3, 7
VARIABLE = "INDEPENDENCE_PUBLISHED_DATA"
ARCHIVE, MODELS = "published-v2-part.tar.xz", "published-v2-part.models.yaml"


def measure() -> list[Result]:
    """Median seconds of both; skipped where the data is not there."""
    folder = found()
    if isinstance(folder, str):
        return [Skipped(name, folder) for name in (IMPORT, BOARD)]
    with tempfile.TemporaryDirectory() as scratch:
        stores = [Path(scratch) / f"{number}.db" for number in range(IMPORTS)]
        imports = [_seconds(_import(folder, store)) for store in stores]
        boards = [_seconds(["leaderboard", "--db", str(stores[-1])]) for _ in range(BOARDS)]
    return [
        Figure(IMPORT, median(imports), "s", IMPORT_BOUND_S, detail=spread(imports, "s")),
        Figure(BOARD, median(boards), "s", BOARD_BOUND_S, detail=spread(boards, "s")),
    ]


def found() -> Path | str:
    """The folder that holds the published part, or why there is none."""
    folder = os.environ.get(VARIABLE, "")
    if not folder or not (Path(folder) / ARCHIVE).is_file():
        return f"{VARIABLE} does not name a folder with {ARCHIVE}"
    return Path(folder)


def make(folder: Path, store: Path) -> None:
    """Import it into a new store."""
    command = [sys.executable, "-m", "independence", *_import(folder, store)]
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)


def _import(folder: Path, store: Path) -> list[str]:
    return ["import", str(folder / ARCHIVE), "--models-file", str(folder / MODELS), "--db", str(store)]


def _seconds(arguments: Sequence[str]) -> float:
    began = time.perf_counter()
    command = [sys.executable, "-m", "independence", *arguments]
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    return time.perf_counter() - began
