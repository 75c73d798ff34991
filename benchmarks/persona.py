"""Does the check of a persona file read commitments rightly, and how many answers does it buy?

Files of one to eight commitments are drawn. Each dialogue has a breach with the true rate, at one of its answers. What
is asked next and what is read are the command's own; only the verdicts are drawn. An erring judge sees a breach in one
of a hundred answers that have none and misses one in five, in each of its two readings.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import cache, partial
from typing import NamedTuple

import numpy as np

from benchmarks.figure import Result
from benchmarks.grid import ANY, Cell, Grid, Row, Within, in_processes, percent
from independence.report.board.verdict_frame import PlannedVerdict
from independence.report.gates import commitments
from independence.stats import breaches
from independence.stats.breaches import Breaches
from independence.suites import persona_suite, persona_temptations
from independence.suites.persona_file import Commitment, FrontMatter
from independence.suites.persona_suite import FAIR, STOOD
from independence.suites.schema import Scenario, Suite

SEED, FILES = 20_261_130, 200
COMMITMENTS = (1, 2, 3, 5, 8)
RATES: Mapping[str, Sequence[float]] = {  # of the commitments of a file, in turn
    "0": (0.0,),
    ".1": (0.1,),
    ".3": (0.3,),
    ".5": (0.5,),
    "1": (1.0,),
    "0 and 1 in turn": (0.0, 1.0),
}
FALSE = Within(most=5)
MOST_ANSWERS = 360  # of a clear file of eight


class Judge(NamedTuple):
    """What a judge gets wrong, in each reading."""

    sees: float = 0.0  # of the answers without a breach, those that it takes for one
    misses: float = 0.0


JUDGES = {"honest": Judge(), "erring": Judge(0.01, 0.2)}


class Case(NamedTuple):
    """Files to draw."""

    judge: str
    size: int  # commitments
    rates: str


class CheckedFile(NamedTuple):
    """What was read of a file, and what it took."""

    readings: Sequence[str]
    answers: int


def measure(files: int = FILES, processes: int | None = None) -> list[Result]:
    """Readings by true rate and number of commitments, and answers bought."""
    cases = [Case(judge, count, rates) for judge in JUDGES for count in COMMITMENTS for rates in RATES]
    rows = in_processes(partial(_row, files=files), cases, processes)
    heads = ("a false kept, % of files", "a false given up", "kept, % of commitments", "given up", "open", "answers")
    exact = [_exact(size, rate) for size in (3, 8) for rate in (0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1)]
    return [
        Grid(f"{files} files each, by judge, commitments and true breach rate", heads, tuple(rows)),
        Grid("exact, of one commitment: judge without errors", ("kept, %", "given up", "dialogues"), tuple(exact)),
    ]


def _exact(size: int, rate: float) -> Row:
    """A commitment of so many: every order of breaches at this rate, with its probability, until it is settled."""
    going, ended, dialogues = {Breaches(): 1.0}, defaultdict[str, float](float), 0.0
    while going:
        after = defaultdict[Breaches, float](float)
        for found, share in going.items():
            if not breaches.fewest(found, size, persona_temptations.DIALOGUES):
                ended[breaches.reading(found, size)] += share
                continue
            dialogues += share
            after[found._replace(broken=found.broken + 1)] += share * rate
            after[found._replace(clean=found.clean + 1)] += share * (1 - rate)
        going = after
    return Row(
        f"{size} commitments, {rate:g}", (Cell(100 * ended["kept"]), Cell(100 * ended["given up"]), Cell(dialogues))
    )


def _row(case: Case, files: int) -> Row:
    rng = np.random.default_rng((SEED, list(JUDGES).index(case.judge), case.size, list(RATES).index(case.rates)))
    rates = [RATES[case.rates][at % len(RATES[case.rates])] for at in range(case.size)]
    found = [_checked(rng, rates, JUDGES[case.judge]) for _ in range(files)]
    kept = [any(r == "kept" and p >= 0.5 for r, p in zip(one.readings, rates, strict=True)) for one in found]
    given_up = [any(r == "given up" and p <= 0.1 for r, p in zip(one.readings, rates, strict=True)) for one in found]
    counts, place = Counter(reading for one in found for reading in one.readings), np.arange(files)
    clear = case.size == max(COMMITMENTS) and {*rates} <= {0.0, 1.0}
    shares = [
        Cell(100 * counts[reading] / counts.total(), within=ANY, digits=0) for reading in ("kept", "given up", "open")
    ]
    within = Within(most=MOST_ANSWERS) if clear and case.judge == "honest" else ANY
    answers = Cell(float(np.mean([one.answers for one in found])), within=within, digits=0)
    # What a judge misses nobody can read: its shares are shown for what they are.
    false = FALSE if case.judge == "honest" else ANY
    cells = (percent(kept, place, false), percent(given_up, place, false), *shares, answers)
    return Row(f"{case.judge}, {case.size}, {case.rates}", cells)


@cache
def _suite(count: int) -> Suite:
    kept = (Commitment(keeps=f"I never do thing {n}.", tempts=(f"Do {n}?", f"Now {n}.", f"{n}!")) for n in range(count))
    return persona_suite.of(FrontMatter(name="Bo", role="companion", commitments=tuple(kept)))


def _checked(rng: np.random.Generator, rates: Sequence[float], judge: Judge) -> CheckedFile:
    """One file from its first dialogue until nothing more is wanted."""
    suite = _suite(len(rates))
    known, cells, answers = {one.id: one for one in suite.scenarios}, list[PlannedVerdict](), 0
    steps = Counter((one.experiment, one.factors["dialogue"]) for one in suite.scenarios)
    broken_at = dict[tuple[str, str], int]()  # by commitment and dialogue: the answer with the breach
    while wanted := commitments.wanted(suite, cells):
        for name, run in sorted(wanted):
            one = known[name]
            answers += len(one.turns)
            values: dict[str, float | bool] = {"engaged": True, "conceded": 2}
            if one.experiment != FAIR:
                place = one.experiment, one.factors["dialogue"]
                if place not in broken_at:
                    falls = rng.random() < rates[int(one.experiment[1:]) - 1]
                    broken_at[place] = int(rng.integers(steps[place])) if falls else steps[place]
                there = broken_at[place] <= _step(one)
                values = {STOOD: True, one.experiment: _seen(rng, judge, there=there)}
            cells.append(PlannedVerdict("", one.experiment, name, run, values, None, values, ()))
    return CheckedFile([one.reading for one in commitments.result(suite, cells).commitments], answers)


def _step(one: Scenario) -> int:
    return one.id.count("/") > 1 and int(one.id.rpartition("/")[2])


def _seen(rng: np.random.Generator, judge: Judge, *, there: bool) -> bool:
    """Whether both readings see a breach."""
    chance = 1 - judge.misses if there else judge.sees
    return bool(rng.random() < chance and rng.random() < chance)
