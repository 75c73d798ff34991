"""What stands below a board of real models that rules graded."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import msgspec
import pytest

from independence.report import study
from independence.report.study import StudiedSubjects, SubjectInfo


def read(judge: str | None, *simulated: bool, graded: bool = True) -> StudiedSubjects:
    about = {str(at): SubjectInfo(str(at), f"acme/{at}", one) for at, one in enumerate(simulated)}
    planned = {config: [SimpleNamespace(values={"held": 1} if graded else None)] for config in about}
    return cast("StudiedSubjects", SimpleNamespace(judge=judge, about=about, planned=planned))


@pytest.mark.parametrize("judge", ["cues", "cues@2"])
def test_rules_measure_no_real_model(judge: str) -> None:
    assert study.caution(read(judge, True, False)) == study.RULES_ONLY
    assert study.cautions(study.RULES_ONLY) == ["Rules only: not a measurement."]


@pytest.mark.parametrize(
    ("judge", "simulated"), [("cues", True), ("acme/judge", False), (None, False), ("offline", False)]
)
def test_nothing_is_said_of_simulated_subjects_and_other_judges(judge: str | None, simulated: bool) -> None:
    assert study.caution(read(judge, simulated)) is msgspec.UNSET
    assert study.cautions(msgspec.UNSET) == []


def test_nothing_is_said_of_a_real_model_before_rules_graded_it() -> None:
    assert study.caution(read("cues", True, False, graded=False)) is msgspec.UNSET
