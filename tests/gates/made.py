"""The golden documents: what commands say about the demos, the published part and the suites that ship."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from independence.suites import digest, load
from tests.e2e import command
from tests.gates import canonical, replayed, stored
from tests.stores import WIDTH


def said(*arguments: str | Path, code: int = 0) -> str:
    """What a command prints."""
    ended = command.run(*map(str, arguments), env=WIDTH)
    assert ended.code == code, ended.err
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


def printed_of(db: Path) -> dict[str, Any]:
    """The numbers of the board as people read it."""
    return {
        "leaderboard": canonical.blocks(said("leaderboard", "--db", db)),
        "leaderboard --detailed": canonical.blocks(said("leaderboard", "--db", db, "--detailed")),
        "leaderboard --format md": canonical.markdown(said("leaderboard", "--db", db, "--format", "md")),
    }


def report_of(db: Path) -> dict[str, Any]:
    """The numbers of the Markdown report."""
    report = db.parent / "golden.md"
    said("generate-report", "--db", db, "-o", report)
    return {"generate-report": canonical.markdown(report.read_text("utf-8"))}


def page_of(db: Path) -> dict[str, Any]:
    """The numbers of the HTML report, and its tables."""
    page, tables = db.parent / "golden.html", db.parent / "golden-tables"
    said("generate-report", "--db", db, "-o", page, "--html", "--tables", tables)
    return {
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
    printed = db.with_name("printed")  # by the same command, where a store was made for all tests
    if not db.exists():
        printed.write_text(said("demo", "--seed", "0", "--suite", suite, "--quiet", "--db", db), "utf-8")
    found = {"demo": canonical.blocks(printed.read_text("utf-8")), "store": stored.kept(db), "board": numbers_of(db)}
    return found | printed_of(db) | page_of(db)


def demo_v2(folder: Path) -> dict[str, Any]:
    db = folder / "store.db"
    return demo(db, "v2") | report_of(db) | compared(db, "sim/never", "sim/half")


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


def published_v2(data: Path, folder: Path) -> dict[str, Any]:
    """The published part of V2 as it was imported, then graded by the rules."""
    db = folder / "published.db"
    archive, models = (data / f"published-v2-part.{end}" for end in ("tar.xz", "models.yaml"))
    imported = said("import", archive, "--models-file", models, "--db", db)
    found = {
        "import": canonical.blocks(imported),
        "store": stored.kept(db),
        "strict": numbers_of(db),
        "published": numbers_of(db, "--scoring", "published"),
    }
    first, second = (row["label"] for row in found["strict"]["json"]["rows"][:2])
    found |= printed_of(db) | page_of(db) | compared(db, first, second)
    said("judge", "-j", "cues", "--quiet", "--db", db, code=3)  # a few answers are empty
    return found | {"cues": {"store": stored.kept(db)["rows"], "board": numbers_of(db, "-j", "cues")}}


def published_rent(data: Path, folder: Path) -> dict[str, Any]:
    """The published run of the rent instrument."""
    db = folder / "rent.db"
    imported = said("import", data / "rent-1760158358", "--db", db)
    found = {"import": canonical.blocks(imported), "store": stored.kept(db), "board": numbers_of(db)}
    return found | printed_of(db) | page_of(db)


PUBLISHED: dict[str, Callable[[Path, Path], dict[str, Any]]] = {
    "published-v2": published_v2, "published-rent": published_rent,
}  # fmt: skip
MAKERS: dict[str, Callable[[Path], dict[str, Any]]] = {
    "editions": editions, "demo-v2": demo_v2, "demo-sides": demo_sides,
}  # fmt: skip


def makers() -> dict[str, Callable[[Path], dict[str, Any]]]:
    """Every golden document that can be made here."""
    found = MAKERS | {name: partial(replayed.read, name) for name in replayed.NAMES}
    if data := os.environ.get("INDEPENDENCE_PUBLISHED_DATA"):
        found |= {name: partial(make, Path(data)) for name, make in PUBLISHED.items()}
    return found
