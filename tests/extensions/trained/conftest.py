"""One course, and what is learned from it, for all tests here."""

from __future__ import annotations

import pytest

from independence.extensions.trained import WEIGHTS, training, weights
from independence.extensions.trained.training import HeldOutPredictions, TrainingSet
from independence.extensions.trained.weights import Weights

from . import school


@pytest.fixture(scope="session")
def course() -> TrainingSet:
    return school.taught(families=4, runs=2)


@pytest.fixture(scope="session")
def judge(course: TrainingSet, tmp_path_factory: pytest.TempPathFactory) -> Weights:
    """Weights as they come back from disk."""
    path = tmp_path_factory.mktemp("offline") / WEIGHTS
    built = training.build(course, ("held", "left"), school.ABOUT)
    weights.save(path, built.about, built.heads)
    return weights.load(path)


@pytest.fixture(scope="session")
def unseen(course: TrainingSet) -> dict[str, list[HeldOutPredictions]]:
    """What is said of families and of scenarios that were held out."""
    return {by: training.cross_validate(course, by) for by in ("family", "scenario")}
