from __future__ import annotations

import pytest

from independence.judge.offline import weights
from independence.judge.offline.training import weights_building
from independence.judge.offline.training.training_set import TrainingSet
from independence.judge.offline.weights import Weights

from . import school


@pytest.fixture(scope="session")
def course() -> TrainingSet:
    return school.taught()


@pytest.fixture(scope="session")
def judge(course: TrainingSet, tmp_path_factory: pytest.TempPathFactory) -> Weights:
    """Weights as they come back from disk."""
    path = tmp_path_factory.mktemp("offline") / weights.FILE
    built = weights_building.build(course, ("held", "left"), weights_building.JudgeCalibration(0.2), school.ORIGIN)
    weights.save(path, built.about, built.heads)
    return weights.load(path)
