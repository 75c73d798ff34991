"""The scores of all published verdicts of V2, which ship with the package: what an import has, without the words.

`verdicts.csv.xz` begins with its source. A row is a verdict: `current` is 0 where the last answer of its dialogue is
missing, and `marks` are those of the importer that decide whether it counts.
"""

from __future__ import annotations

import csv
import lzma
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Final

from independence.config import registry
from independence.exchange.storing import ImportedRows
from independence.extensions.published import storing
from independence.extensions.published.dialogues import (
    ImportedRun,
    ImportedTrial,
    PublishedVerdict,
    configured_model,
    generated,
    trial_row,
)
from independence.extensions.published.responses import EMPTY_VERDICT
from independence.report.board.verdict_frame import REREAD, PlannedVerdict
from independence.stats import strict
from independence.store import context
from independence.store.queries import PUBLISHED
from independence.store.records import WITHOUT_WORDS, CallRow
from independence.suites.schema import Suite
from independence.suites.without_texts import published_fields
from independence.types import Condition, Reply, Scalar, Verdict

JUDGE: Final = "google/gemini-3-flash-preview"
_TYPES: Final[Mapping[str, Callable[[str], Scalar]]] = {"integer": int, "boolean": lambda digit: digit == "1"}


def source() -> str:
    """Whose the verdicts are, of which day and under which licence."""
    return _text().partition("\n")[0].removeprefix("# ")


def rows(suite: Suite, there: Collection[str] = (), *, dialogues: bool = True) -> ImportedRows:
    """Everything that was published as rows of a store, or its subjects alone; each reply is blank and marked so.

    `there`: configurations that the store has already, which are left out.
    """
    found = []
    for (config, run), cells in groupby(planned(suite), lambda cell: (cell.config_dir, cell.run)):
        trials = tuple(_trials(suite, cells)) if dialogues and config not in there else ()
        found.append(ImportedRun(config, run, configured_model(config) or config, trials))
    return storing.rows(suite, found, storing.published_labels(found, registry.load(Path(registry.PUBLISHED))))


def planned(suite: Suite) -> Iterator[PlannedVerdict]:
    """The shipped verdicts as boards read them, without a store: writing one takes longer than all statistics."""
    by_run: dict[tuple[str, int], dict[str, dict[str, str]]] = {}
    for row in csv.DictReader(_text().splitlines()[1:]):
        by_run.setdefault((row["config"], int(row["run"])), {})[row["scenario"]] = row
    for (config, run), verdicts in sorted(by_run.items()):
        for one in suite.scenarios:
            own, given, fields = verdicts.get(one.id), None, published_fields(suite.rubrics[one.rubric].fields)
            if own is not None:
                given = {name: _TYPES[field.type](own[name]) for name, field in fields.items()}
            marks = tuple(own["marks"].split()) if own else ()
            missing = strict.void_reason(marks) if own and own["current"] == "1" else "not_run"
            yield PlannedVerdict(config, one.experiment, one.id, run, None if missing else given, missing, given, marks)


def _text() -> str:
    return lzma.decompress(Path(__file__).with_name("verdicts.csv.xz").read_bytes()).decode()


def _trials(suite: Suite, cells: Iterable[PlannedVerdict]) -> Iterator[ImportedTrial]:
    condition = Condition(suite.default.variant, suite.default.mode)
    for cell in cells:
        if cell.given is None:
            continue
        scenario = suite.scenario(cell.scenario)
        key = trial_row(suite, PUBLISHED, scenario, config_dir=cell.config_dir, run=cell.run, condition=condition).key
        turns, at, calls = generated(scenario), context.begin(key), list[CallRow]()
        for turn, name in enumerate(turns[:-1] if cell.missing == "not_run" else turns):
            marks = () if name != turns[-1] else tuple(mark for mark in cell.flags if mark != REREAD)
            answer = Reply("", "content", flags=(WITHOUT_WORDS, *marks))
            calls.append(CallRow(key, turn, name, at, at := context.extend(at, answer), answer, b"[]", ""))
        reread = (EMPTY_VERDICT,) if REREAD in cell.flags else ()
        yield ImportedTrial(scenario, condition, tuple(calls), PublishedVerdict(Verdict(cell.given), JUDGE, reread))
