"""The trained judges on published configurations that their shipped weights were not trained on.

`INDEPENDENCE_HELD_BACK_DATA` names a published result set of V2, a folder or a tar, such as a clone of the published
repository; the configurations of `trained_on.txt` are left out. Indices are by the published rule: of predictions, and
of the published verdicts that a hybrid buys, beside the index of all published verdicts. A hybrid's figures are means
over draws of what it buys. Intervals draw configurations anew.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks import rules
from benchmarks.figure import Result, Skipped
from benchmarks.grid import Array, Cell, Grid, Row
from benchmarks.rules import PublishedDialogue
from independence.api import importing
from independence.extensions.published import scoring_rules
from independence.extensions.trained import routing, weights
from independence.extensions.trained.grading import DialogueToGrade, predict_all
from independence.extensions.trained.protocol import PurchaseRule
from independence.extensions.trained.routing import RoutingCandidate
from independence.judge.protocol import Prediction
from independence.stats import strict
from independence.stats.agreement import spearman
from independence.stats.subject_points import leverage
from independence.suites.schema import Suite
from independence.types import Scalar

VARIABLE = "INDEPENDENCE_HELD_BACK_DATA"
TRAINED_ON = Path(__file__).with_name("trained_on.txt")  # the version of the weights, then configurations
HEADS = ("configurations", "rho", "from", "to", "MAE", "from", "to", "bias", "worst")
SHARES = ((0.0, 0.0), (0.1, 0.05), (0.2, 0.05), (0.3, 0.05))  # least certain, drawn from the rest
DRAWS, RESAMPLED, SEED = 10, 2_000, 20_261_126


def measure() -> list[Result]:
    """A row a share of bought verdicts; the first, of none, is the judge `offline`."""
    path, (version, *seen) = os.environ.get(VARIABLE, ""), TRAINED_ON.read_text("utf-8").split()
    if not path:
        return [Skipped("held-back", f"{VARIABLE} does not name a published result set of V2")]
    if version != weights.shipped().version:
        return [Skipped("held-back", f"{TRAINED_ON.name} is about weights {version}")]
    with importing.read_results(path) as store:
        suite, told = rules.read(store)
    return compared(suite, [one for one in told if one.config not in seen], weights.shipped())


def compared(suite: Suite, told: Sequence[PublishedDialogue], judge: weights.Weights) -> list[Result]:
    """The same of these dialogues and weights."""
    fields = {scenario.id: suite.rubrics[scenario.rubric].fields for scenario in suite.scenarios}
    predicted = predict_all([DialogueToGrade(one.lines, fields[one.scenario]) for one in told], judge)
    truth = _indices(suite, told, [one.values for one in told])
    if len(truth) < 3:
        return [Skipped("held-back", "fewer than three complete configurations there that were not trained on")]
    theirs = np.array(list(truth.values()))
    rows = []
    for unsure, audit in SHARES:
        drawn = []
        for draw in range(DRAWS if unsure else 1):
            said = _bought(suite, told, predicted, PurchaseRule(unsure, audit), draw)
            drawn.append([_indices(suite, told, said)[config] for config in truth])
        name = f"hybrid, {unsure:.0%} + {audit:.0%} bought" if unsure else "offline"
        rows.append(_row(name, theirs, np.array(drawn)))
    return [Grid("Trained judges on configurations that they were not trained on", HEADS, tuple(rows))]


def _indices(
    suite: Suite, told: Sequence[PublishedDialogue], values: Sequence[Mapping[str, Scalar]]
) -> dict[str, float]:
    """The published index of every configuration that is fully tested, by config_dir."""
    runs: dict[str, dict[int, list[scoring_rules.ScoredVerdict]]] = {}
    for one, own in zip(told, values, strict=True):
        verdict = scoring_rules.ScoredVerdict(one.scenario, suite.scenario(one.scenario).experiment, own)
        runs.setdefault(one.config, {}).setdefault(one.run, []).append(verdict)
    subjects = [
        scoring_rules.SubjectRuns(config, tuple(own[run] for run in sorted(own))) for config, own in runs.items()
    ]
    return {row.config_dir: row.index for row in scoring_rules.published_board(subjects, scoring_rules.rules()["v2"])}


def _bought(
    suite: Suite, told: Sequence[PublishedDialogue], predicted: Sequence[Prediction], rule: PurchaseRule, draw: int
) -> list[Mapping[str, Scalar]]:
    """The values by which a dialogue counts: the published verdict where it is bought, else what is predicted."""
    lever, runs = leverage(strict.frame(suite)), Counter((one.config, one.scenario) for one in told)
    candidates = [
        RoutingCandidate(
            f"{draw} {at}",
            one.scenario,
            lever.error(one.scenario, said.expected_error) / runs[one.config, one.scenario],
            said.known,
        )
        for at, (one, said) in enumerate(zip(told, predicted, strict=True))
    ]
    routes = routing.routes(candidates, rule)
    return [
        said.values if routes[candidate.key].way == "offline" else one.values
        for one, said, candidate in zip(told, predicted, candidates, strict=True)
    ]


def _row(name: str, theirs: Array, ours: Array) -> Row:
    """`theirs` (n,); `ours` (draws, n)."""

    def agreement(at: NDArray[np.intp]) -> tuple[float, float]:
        rhos = [spearman(theirs[at], own[at]) or 0.0 for own in ours]
        return float(np.mean(rhos)), float(np.abs(ours[:, at] - theirs[at]).mean())

    random, everyone = np.random.default_rng(SEED), np.arange(len(theirs))
    rho, error = agreement(everyone)
    again = [agreement(random.integers(len(theirs), size=len(theirs))) for _ in range(RESAMPLED // len(ours))]
    (low, least), (high, most) = np.percentile(again, (2.5, 97.5), axis=0)
    return Row(name, (
        Cell(len(theirs), digits=0), Cell(rho, digits=3), Cell(low, digits=3), Cell(high, digits=3),
        Cell(error, digits=2), Cell(least, digits=2), Cell(most, digits=2),
        Cell(float((ours - theirs).mean()), digits=2), Cell(float(np.abs(ours - theirs).max())),
    ))  # fmt: skip
