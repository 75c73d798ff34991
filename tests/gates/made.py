"""The golden documents: what commands say about the demos, the published part and the suites that ship."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from independence.suites import digest, load
from tests.e2e import inside
from tests.gates import canonical, replayed, stored

_WIDTH = {"COLUMNS": "120"}


def said(*arguments: str | Path) -> str:
    """What a command prints."""
    ended = inside.run(*map(str, arguments), env=_WIDTH)
    assert ended.code == 0, ended.err
    return ended.out


def _tables(folder: Path) -> dict[str, Any]:
    """Every table of a report, unrounded."""
    files = sorted(path for path in folder.glob("*.json") if path.name != "export.json")
    return {path.stem: canonical.document(json.loads(path.read_text("utf-8"))) for path in files}


def numbers_of(db: Path, *more: str) -> dict[str, Any]:
    """The board in every format."""
    board = ("leaderboard", "--db", db, *more)
    return {
        "json": canonical.document(json.loads(said(*board, "--detailed", "--format", "json"))),
        "csv": canonical.columns(said(*board, "--format", "csv")),
    }


def reports_of(db: Path, folder: Path) -> dict[str, Any]:
    """The numbers of what is printed and reported."""
    report, page, tables = folder / "golden.md", folder / "golden.html", folder / "golden-tables"
    said("generate-report", "--db", db, "-o", report, "--tables", tables)
    said("generate-report", "--db", db, "-o", page, "--html")
    return {
        "leaderboard": canonical.blocks(said("leaderboard", "--db", db)),
        "leaderboard --detailed": canonical.blocks(said("leaderboard", "--db", db, "--detailed")),
        "leaderboard --format md": canonical.markdown(said("leaderboard", "--db", db, "--format", "md")),
        "generate-report": canonical.markdown(report.read_text("utf-8")),
        "generate-report --html": canonical.page(page.read_text("utf-8")),
        "generate-report --tables": _tables(tables),
    }


def compared(db: Path, first: str, second: str) -> dict[str, Any]:
    """Two subjects compared."""
    compare = ("compare", first, second, "--db", db)
    return {
        "compare": canonical.blocks(said(*compare)),
        "compare --format json": canonical.document(json.loads(said(*compare, "--format", "json"))),
    }


def demo(db: Path, suite: str) -> dict[str, Any]:
    """What the demo of a suite prints, stores and reports."""
    printed = said("demo", "--seed", "0", "--suite", suite, "--quiet", "--db", db)
    found = {"demo": canonical.blocks(printed), "store": stored.kept(db), "board": numbers_of(db)}
    return found | reports_of(db, db.parent)


def demo_v2(folder: Path) -> dict[str, Any]:
    db = folder / "v2.db"
    return demo(db, "v2") | compared(db, "sim/never", "sim/half")


def demo_sides(folder: Path) -> dict[str, Any]:
    return demo(folder / "sides.db", "sides")


def editions(_: Path) -> dict[str, Any]:
    """The edition of every suite that ships, and a digest of all its rubrics."""
    suites = {name: load.load(name).suite for name in load.built_in()}
    return {
        name: {
            "edition": digest.edition(suite),
            "scenarios": len(suite.scenarios),
            "rubrics": digest.sha256([digest.rubric(suite, scenario) for scenario in suite.scenarios]),
        }
        for name, suite in suites.items()
    }


MAKERS: dict[str, Callable[[Path], dict[str, Any]]] = {
    "editions": editions, "demo-v2": demo_v2, "demo-sides": demo_sides,
}  # fmt: skip


def makers() -> dict[str, Callable[[Path], dict[str, Any]]]:
    """Every golden document that can be made here."""
    return MAKERS | {name: partial(replayed.read, name) for name in replayed.NAMES}
