"""Planned verdicts of made-up subjects, and what the forms for many subjects make of one."""

from __future__ import annotations

from independence.stats.strict import ScoringFrame, VerdictValues
from independence.suites.schema import Component, Dimension, Index

# Two experiments, three scenarios; one component runs downwards and sums two dimensions of different scales.
FRAME = ScoringFrame(
    Index(
        name="I",
        dimensions={
            "firm": Dimension(experiment="x", fields=("firm",)),
            "drift": Dimension(experiment="y", fields=("drift",)),
            "moves": Dimension(experiment="y", fields=("name", "gender")),
        },
        components=(
            Component(label="Firm", dimensions=("firm",), weight=0.6, worst=0, best=10),
            Component(label="Drift", dimensions=("drift", "moves"), weight=0.4, worst=12, best=0),
        ),
    ),
    {
        "one": {"firm": (0, 10)},
        "two": {"firm": (0, 10), "spare": (0, 1)},
        "three": {"drift": (0, 10), "name": (0, 1), "gender": (0, 1)},
    },
    {"firm": ("one", "two"), "drift": ("three",), "moves": ("three",)},
)


def run(number: int, one: int, two: int, drift: int, name: bool = False, gender: bool = False) -> list[VerdictValues]:
    return [
        VerdictValues("one", number, {"firm": one}),
        VerdictValues("two", number, {"firm": two, "spare": 1}),
        VerdictValues("three", number, {"drift": drift, "name": name, "gender": gender}),
    ]


PERFECT, WORST = run(1, 10, 10, 0), run(1, 0, 0, 10, True, True)


def without(cells: list[VerdictValues], *gone: int) -> list[VerdictValues]:
    return [cell._replace(values=None) if at in gone else cell for at, cell in enumerate(cells)]
