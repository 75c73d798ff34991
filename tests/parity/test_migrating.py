"""The page for users of the published projects names commands that there are, and most of them are run."""

from __future__ import annotations

import itertools
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from markdown_it import MarkdownIt

from tests.parity import lines
from tests.parity.lines import STORE, Workplace
from tests.parity.test_capabilities import ran

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "migrating.md"
# The store of a section's reader; elsewhere that of the bench.
STORES = {"Scripts of the rent benchmark": "rent.db", "Files of the rent benchmark": "rent.db"}
# What is parsed only, by how it begins, and why.
NOT_RUN = {
    "independence view": "serves until Ctrl-C",
    "independence doctor": "checks this machine: its disk, its keys",
    "independence run --roster": "asks 38 models",
    "independence demo": "a whole panel; tests/e2e/test_demo.py runs it",
    "independence suites adopt": "needs a clone; tests/cli/test_suites_adopt.py makes one",
    "independence import cache --suite v1": "a result set in the older layout; tests/e2e/test_import.py makes one",
    "independence import cache --suite lite": "likewise",
}
# Ends with 3: the simulated judge reads no names.
INCOMPLETE = ("independence extract-names -x",)


class Row(NamedTuple):
    """A row of a table of the page."""

    section: str
    theirs: str
    ours: str

    @property
    def commands(self) -> list[str]:
        """Our command lines, the first in place of what is theirs."""
        return [code for code in re.findall(r"`([^`]+)`", self.ours) if code.startswith("independence ")]


def rows() -> Iterator[Row]:
    """Every row of every table."""
    section, cells, header = "", list[str](), False
    tokens = MarkdownIt("commonmark").enable("table").parse(PAGE.read_text("utf-8"))
    for before, token in itertools.pairwise(tokens):
        if token.type == "inline" and before.type == "heading_open":
            section = token.content
        elif token.type == "inline" and before.type in ("td_open", "th_open"):
            cells.append(token.content)
            header = before.type == "th_open"
        elif token.type == "tr_close":
            if not header:
                yield Row(section, cells[0], " ".join(cells[1:]))
            cells = []


def every_line() -> dict[str, str]:
    """Every command line of the page, with the store that it is run on."""
    return {line: STORES.get(row.section, STORE) for row in rows() for line in row.commands}


# Those that `capabilities.yaml` has with what they show are run there.
RUN = {
    line: store
    for line, store in every_line().items()
    if not line.startswith(tuple(NOT_RUN)) and (store, line) not in ran()
}


def test_every_row_has_a_command_that_parses_or_says_what_is_the_same_or_why_there_is_none() -> None:
    found = list(rows())
    assert len(found) > 120
    for row in found:
        for line in row.commands:
            lines.parsed(line)
        assert row.commands or len(row.ours.split()) >= 2, row
    assert all(row.commands for row in found if not re.search("Variables|make, scripts", row.section))


@pytest.mark.parametrize(("line", "store"), RUN.items(), ids=RUN)
def test_every_command_of_the_page_runs(line: str, store: str, place: Workplace, tmp_path: Path) -> None:
    words = shlex.split(line)
    if words[1] in ("run", "estimate-cost") and not {"-j", "--judge", "--no-judge"} & set(words):
        line += " -j cues"  # the default judge needs a key
    ended = place.run(line, tmp_path / "here", store)
    assert ended.code == (3 if line.startswith(INCOMPLETE) else 0), ended.err


def test_what_is_not_run_is_on_the_page() -> None:
    starts = (*NOT_RUN, *INCOMPLETE)
    assert [start for start in starts if not any(line.startswith(start) for line in every_line())] == []
    assert len(RUN) > 60


def test_the_targets_of_make_that_it_names_are_there() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    named = [
        target
        for row in rows()
        for cell in (row.theirs if "same targets" in row.ours else "", row.ours)
        for target in re.findall(r"`make ([a-z-]+)`", cell)
    ]
    assert len(named) > 10
    assert set(named) - targets == set()
