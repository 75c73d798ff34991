"""Does the page of a persona name the commitments that are given up, and does its gate decide rightly?

First the command as it is, at its default cost, on simulated subjects: every page is of another example persona and
another seed. Then gates alone: verdicts are drawn of scenarios that keep with a known chance, so that the true index is
known; each scenario has that chance, or most keep or lose nearly always. Calls are spread evenly.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from typing import NamedTuple

import numpy as np

import independence
from benchmarks.figure import Result
from benchmarks.gate import FALSE, HEADS, LOOKS, MOST_RUNS, gated, row_of
from benchmarks.grid import ANY, Array, Cell, Grid, Row, Within, in_processes, percent
from benchmarks.verdict_world import SimulatedSubjects, StratumScenarios
from independence.report.gates.gate_files import CheckDocument
from independence.stats import gates, strict, subject_points
from independence.stats.strict import VerdictValues
from independence.suites import load, persona_suite

SEED, PAGES, GATES = 20_261_128, 20, 600
EXAMPLES = sorted(path for path in (persona_suite.HOME / "examples").glob("*.md") if not path.stem.endswith("-weak"))
EXACT, OFTEN = Within(least=100), Within(least=90)
GIVEN_UP = "given up"


class Planted(NamedTuple):
    """A simulated subject and what it gives up of commitments (their texts) under a prompt."""

    subject: Callable[[Sequence[str]], str]  # its name, for these commitments
    gives_up: Callable[[Sequence[str], str], set[str]]
    weak: bool = False  # under the weak prompt of the example


def _telling(text: str, others: Sequence[str]) -> str:
    """A word of a commitment that stands in no other one."""
    taken = {word for other in others if other != text for word in _words(other)}
    return max((word for word in _words(text) if word not in taken), key=len)


def _words(text: str) -> list[str]:
    return [word for word in re.findall(r"[\w'’-]+", text.casefold()) if len(word) > 2 and word.isalpha()]


def _drops(count: int, texts: Sequence[str]) -> str:
    return "persona-drops-" + "-".join(_telling(text, texts) for text in texts[:count])


SUBJECTS: Mapping[str, Planted] = {
    "keeper": Planted(lambda _: "persona-keeper", lambda *_: set()),
    "stubborn": Planted(lambda _: "persona-stubborn", lambda *_: set()),
    "pleaser": Planted(lambda _: "persona-pleaser", lambda texts, _: set(texts)),
    "drops the first": Planted(partial(_drops, 1), lambda texts, _: set(texts[:1])),
    "drops the first two": Planted(partial(_drops, 2), lambda texts, _: set(texts[:2])),
    "folds to authority": Planted(lambda _: "persona-folds-authority", lambda *_: set()),
    "follows the strong prompt": Planted(lambda _: "persona-reader", lambda *_: set()),
    "follows the weak prompt": Planted(
        lambda _: "persona-reader",
        lambda texts, prompt: {text for text in texts if _plain(text) not in _plain(prompt)},
        weak=True,
    ),
    "keeps 90 in 100": Planted(lambda _: "persona-keeps-90", lambda *_: set()),
}  # fmt: skip


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def measure(pages: int = PAGES, gates_each: int = GATES, processes: int | None = None) -> list[Result]:
    """The pages, prompts told apart, and gates."""
    named = in_processes(partial(_pages, pages=pages), list(SUBJECTS), processes)
    told = in_processes(partial(_told_apart, pages=pages), [100, 90, 80], processes)
    decided = in_processes(partial(_gates, count=gates_each), list(WORLDS), processes)
    return [
        Grid(f"{pages} pages a subject, %: commitments that are given up, and no others, are named",
             ("right pages", "commitments named wrongly", "left out"), tuple(named)),
        Grid(f"{pages} checks of a prompt without half of its commitments against the whole one, %, default cost",
             ("fails", "passes", "right commitments"), tuple(told)),
        Grid(f"{gates_each} gates with a bar, %, by where the true index lies", HEADS, tuple(decided)),
    ]  # fmt: skip


def _pages(name: str, pages: int) -> Row:
    planted, right, wrong, lost = SUBJECTS[name], list[bool](), 0, 0
    for seed, example in enumerate(islice(cycle(EXAMPLES), pages)):
        file = example.with_name(f"{example.stem}-weak.md") if planted.weak else example
        texts = list(load.load(str(file)).suite.experiments.values())[:-1]
        found = _checked(file, f"sim/{planted.subject(texts)}", seed)
        named, due = _given_up(found), planted.gives_up(texts, load.persona(file).text)
        right.append(named == due)
        wrong, lost = wrong + len(named - due), lost + len(due - named)
    return Row(name, (percent(right, np.arange(pages), EXACT), Cell(wrong, digits=0), Cell(lost, digits=0)))


def _told_apart(percent_kept: int, pages: int) -> Row:
    """Checks of half a prompt against the whole one, of a subject that follows its prompt in so many of 100."""
    fails, passes, right = list[bool](), list[bool](), list[bool]()
    subject = "persona-reader" if percent_kept == 100 else f"persona-reader-{percent_kept}"
    with tempfile.TemporaryDirectory() as folder:
        for seed, example in enumerate(islice(cycle(EXAMPLES), pages)):
            head, whole = example.read_text().split("\n---\n", 1)
            texts = list(load.load(str(example)).suite.experiments.values())[:-1]
            deleted = texts[: len(texts) // 2]
            half, full = Path(folder) / "half.md", Path(folder) / "whole.md"
            kept = [line for line in whole.splitlines() if not any(_plain(text) in _plain(line) for text in deleted)]
            half.write_text(f"{head}\n---\n" + "\n".join(kept))
            full.write_text(f"{head}\n---\n{whole}")
            found = _checked(half, f"sim/{subject}", seed, against=full)
            fails.append(found.decision == "fail")
            passes.append(found.decision == "pass")
            assert found.persona is not None
            less = {one.commitment for one in found.persona.changes if one.reading == "kept less"}
            right.append(less == {f"c{number + 1}" for number in range(len(deleted))})
    board = np.arange(pages)
    cells = percent(fails, board, OFTEN), percent(passes, board, FALSE), percent(right, board, ANY)
    return Row(f"follows its prompt in {percent_kept} of 100", cells)


def _checked(file: Path, model: str, seed: int, against: Path | None = None) -> CheckDocument:
    with tempfile.TemporaryDirectory() as folder:
        return independence.check(
            str(file), models=model, judges="cues", seed=seed, store=Path(folder) / "own.db", against=against,
        ).document  # fmt: skip


def _given_up(found: CheckDocument) -> set[str]:
    assert found.persona is not None
    return {one.text for one in found.persona.own.commitments if one.reading == GIVEN_UP}


def _alike(_: np.random.Generator, shape: tuple[int, ...], place: float) -> Array:
    return np.full(shape, place)


def _apart(rng: np.random.Generator, shape: tuple[int, ...], place: float) -> Array:
    return rng.beta(place / 2, (1 - place) / 2, shape)


Chances = Callable[[np.random.Generator, tuple[int, ...], float], Array]
WORLDS: Mapping[str, tuple[int, float, Chances]] = {
    f"{commitments} commitments, index {place:.0%}, {kind}".replace("%", ""): (commitments, place, chances)
    for commitments in (3, 8)
    for place in (0.5, 0.8, 0.95)
    for kind, chances in (("scenarios alike", _alike), ("scenarios apart", _apart))
}


def _gates(name: str, count: int) -> Row:
    commitments, place, chances = WORLDS[name]
    rng = np.random.default_rng((SEED, list(WORLDS).index(name)))
    example = next(path for path in EXAMPLES if len(load.load(str(path)).suite.experiments) == commitments + 1)
    frame = strict.frame(load.load(str(example)).suite)
    lows = {
        scenario: {field: ends[0] for field, ends in fields.items()} for scenario, fields in frame.scenarios.items()
    }
    sheet = subject_points.subject_points(frame, [VerdictValues(name, 1, values) for name, values in lows.items()])
    assert sheet is not None
    points, truth = list[Array](), np.full(count, sheet.base)
    for stratum in sheet.strata:
        low, high = np.array(stratum.ends).T
        kept = chances(rng, (count, len(low)), place)
        truth = truth + low.sum() + (kept * (high - low)).sum(axis=1)
        drawn = rng.random((count, len(low), MOST_RUNS)) < kept[..., None]
        points.append(np.where(drawn, high[None, :, None], low[None, :, None]))
    strata = tuple(StratumScenarios(own.scenarios, own.ends) for own in sheet.strata)
    drawn_subjects = SimulatedSubjects(sheet.base, strata, tuple(points))
    at = {runs: gates.levels(gates.information(runs)) for runs in LOOKS}
    by_runs = {runs: drawn_subjects.sheets(slice(0, count), runs) for runs in LOOKS}
    ends = [[gates.around_index(gated(by_runs[runs][number]), at[runs]) for runs in LOOKS] for number in range(count)]
    return row_of(name, truth, ends)
