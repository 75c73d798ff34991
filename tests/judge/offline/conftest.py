from __future__ import annotations

import pytest

from independence.judge.kinds import WEIGHTS
from independence.judge.offline import training, weights
from independence.judge.offline.training import TrainingSet
from independence.judge.offline.weights import Weights

from . import school


@pytest.fixture(scope="session")
def course() -> TrainingSet:
    return school.taught()


@pytest.fixture(scope="session")
def judge(course: TrainingSet, tmp_path_factory: pytest.TempPathFactory) -> Weights:
    """Weights as they come back from disk."""
    path = tmp_path_factory.mktemp("offline") / WEIGHTS
    built = training.build(course, ("held", "left"), school.ABOUT)
    weights.save(path, built.about, built.heads)
    return weights.load(path)
