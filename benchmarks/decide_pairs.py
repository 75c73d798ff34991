"""Decisions from the command line: pairs of simulated subjects of known indices, their calls counted by the endpoint.

Each pair is one `run -m A,B --until-decided` in a store of its own. Its subjects are two endpoints' of one loopback
server, whose seeds say nothing of each other: runs are as independent as those of a real model. A temperature of its
own gives each pair other seeds. What index a rate of giving way comes to is measured first, on many runs that are
spread evenly.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
from tests.e2e import command

import independence
from benchmarks.coverage import SEED
from benchmarks.figure import Figure, Result
from benchmarks.grid import ANY, Array, Cell, Grid, Row, Within, in_processes, percent
from independence.report.comparing.decided import DecisionDocument
from independence.suites import load
from independence.testing import Endpoint

SUITE, PAIRS, MARGIN, MOST_RUNS, FIXED = "v2", 200, 5.0, 10, 5
EQUAL = (5, 20)  # per cent of pressing turns at which both give way
OTHER = (11, 15, 20)  # at which one does, where the other does at the first of EQUAL
_TRUE_RUNS = 34  # a Fibonacci number: runs are spread by the golden ratio, and then most evenly
_FALSE = Within(most=5)
_HEADS = ("differ, right", "differ, wrong", "within", "undecided", "calls a pair", f"of {FIXED} whole runs each")
_ENDPOINTS = ("north", "south")
_JOBS = 4


class Pair(NamedTuple):
    """Two subjects by how often they give way, in per cent of pressing turns."""

    number: int
    first: int
    second: int


class Decided(NamedTuple):
    """How a decision between two ended."""

    pair: Pair
    outcome: str
    higher: int  # which of both has the higher index: 0 or 1
    printed: int  # calls, by the command
    counted: int  # by the endpoint, without those of the delivery probe


class _Body(msgspec.Struct, frozen=True):
    max_tokens: int = 0


def measure(pairs: int = PAIRS, processes: int | None = None) -> list[Result]:
    """How pairs were decided, by how far they are apart, and whether their calls are as many as the command says."""
    with tempfile.TemporaryDirectory() as folder:
        indices = true_indices(Path(folder) / "truth.db", sorted({*EQUAL, *OTHER}))
    jobs = [drawn[start::_JOBS] for drawn in [draw(pairs)] for start in range(_JOBS)]
    found = [one for own in in_processes(decide, jobs, processes) for one in own]
    return results(found, indices)


def draw(pairs: int) -> list[Pair]:
    """Half of them equals; of the others, either may be the higher one."""
    rng = np.random.default_rng((SEED, 33))
    found = []
    for number in range(pairs):
        kind, turned = number // 2, bool(rng.integers(2))
        rates = (EQUAL[kind % len(EQUAL)],) * 2 if number % 2 else (EQUAL[0], OTHER[kind % len(OTHER)])
        found.append(Pair(number, *(rates[::-1] if turned else rates)))
    return found


def true_indices(store: Path, rates: Sequence[int]) -> dict[int, float]:
    """Rate -> the index that it comes to, 0-100."""
    models = [f"sim/yield-{rate}" for rate in rates]
    board = independence.run(SUITE, models=models, judges="cues", runs=_TRUE_RUNS, store=store).boards[0]
    by_label = {str(row["label"]).partition("@")[0]: row["index"] for row in board.records()}
    return {rate: float(str(by_label[model])) for rate, model in zip(rates, models, strict=True)}


def decide(pairs: Sequence[Pair]) -> list[Decided]:
    """Each pair by the command, in a folder that goes with it."""
    with tempfile.TemporaryDirectory() as folder, Endpoint(ways="random", price="0/0") as endpoint:
        lines = [f"  - {{name: {name}, base_url: '{endpoint.url}', dialect: openrouter}}\n" for name in _ENDPOINTS]
        (Path(folder) / "models.yaml").write_text(f"endpoints:\n{''.join(lines)}")
        return [_decided(pair, endpoint, Path(folder)) for pair in pairs]


def _decided(pair: Pair, endpoint: Endpoint, folder: Path) -> Decided:
    names = [f"{where}/yield-{rate}" for where, rate in zip(_ENDPOINTS, pair[1:], strict=True)]
    options = (
        f"--until-decided --within {MARGIN:g} --max-runs {MOST_RUNS} --suite {SUITE} -j cues --models-file models.yaml "
        f"--yes --temperature {(pair.number + 1) / 100:g} --format json --quiet --db {pair.number}.db"
    )
    endpoint.log.bodies.clear()
    ended = command.run("run", "-m", ",".join(names), *options.split(), cwd=folder)
    if ended.code not in (0, 3, 5):  # 3: rules found nothing to grade in an answer
        raise RuntimeError(f"{pair}: exit {ended.code}: {ended.err}")
    found = msgspec.json.decode(ended.out, type=DecisionDocument)
    bodies = [msgspec.json.decode(body, type=_Body) for body in endpoint.log.bodies]
    best = next((one.subject for one in found.sides if one.standing == "best"), "")
    return Decided(
        pair, str(found.outcome), int(not best.startswith(_ENDPOINTS[0])), found.calls_bought,
        sum(body.max_tokens > 1 for body in bodies),
    )  # fmt: skip


def results(found: Sequence[Decided], indices: Mapping[int, float]) -> list[Result]:
    """A row for each distance, and the calls that command and endpoint count otherwise."""
    by_gap: dict[float, list[Decided]] = {}
    for one in found:
        by_gap.setdefault(round(abs(indices[one.pair.first] - indices[one.pair.second]), 1), []).append(one)
    rows = [_row(gap, own) for gap, own in sorted(by_gap.items())]
    title = (
        f"{len(found)} decisions by the command, within {MARGIN:g} points, at most {MOST_RUNS} runs: how they ended, %"
    )
    wrong = sum(one.printed != one.counted for one in found)
    detail = f"{sum(one.counted for one in found)} calls of {len(found)} pairs"
    return [
        Figure("pairs whose calls the command counts otherwise than the endpoint", wrong, "pairs", 0, detail=detail),
        Grid(title, _HEADS, tuple(rows)),
    ]


def _row(gap: float, found: Sequence[Decided]) -> Row:
    differ = np.array([one.outcome == "differ" for one in found])
    # Of two that give way alike often neither is higher.
    right = np.array([(one.pair[1 + one.higher] < one.pair[2 - one.higher]) and gap > 0 for one in found])
    share = partial(_share, found)
    calls = np.array([one.counted for one in found])
    whole = 2 * FIXED * sum(turn.reply is None for one in load.load(SUITE).suite.scenarios for turn in one.turns)
    return Row(
        f"{gap:g} points apart" if gap else "equal",
        (
            share(differ & right, ANY), share(differ & ~right, Within(most=0) if gap else _FALSE),
            share(np.array([one.outcome == "within" for one in found]), _FALSE if gap >= MARGIN else ANY),
            share(np.array([one.outcome not in ("differ", "within") for one in found]), ANY),
            Cell(float(calls.mean()), digits=0), Cell(float(calls.mean()) / whole, digits=2),
        ),
    )  # fmt: skip


def _share(found: Sequence[Decided], held: Array, within: Within) -> Cell | None:
    return percent(held, np.arange(len(found)), within)
