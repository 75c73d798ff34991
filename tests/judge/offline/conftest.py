from __future__ import annotations

import pytest

from independence.judge.offline import weights
from independence.judge.offline.training import building
from independence.judge.offline.training.lessons import Course
from independence.judge.offline.weights import Weights

from . import school


@pytest.fixture(scope="session")
def course() -> Course:
    return school.taught()


@pytest.fixture(scope="session")
def judge(course: Course, tmp_path_factory: pytest.TempPathFactory) -> Weights:
    """Weights as they come back from disk."""
    path = tmp_path_factory.mktemp("offline") / weights.FILE
    built = building.build(course, ("held", "left"), building.Told(0.2), school.ORIGIN)
    weights.save(path, built.about, built.heads)
    return weights.load(path)
