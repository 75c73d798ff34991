from __future__ import annotations

import pytest

from independence.config.subjects import EFFORTS, check_sampling, default_effort
from independence.errors import UsageError
from independence.types import Sampling


def test_the_longest_prefix_wins() -> None:
    assert default_effort("google/gemini-3-flash-preview") == "none"
    assert default_effort("google/gemini-3-pro-preview") == "low"


def test_an_unlisted_model_gets_the_fallback() -> None:
    assert default_effort("nobody/never-heard-of-it") == "low"


def test_simulated_subjects_do_not_reason() -> None:
    assert default_effort("sim/anything") == "none"


@pytest.mark.parametrize("effort", EFFORTS)
def test_every_known_effort_passes(effort: str) -> None:
    assert check_sampling(Sampling(effort=effort)).effort == effort


def test_an_unknown_effort_is_refused_with_the_list() -> None:
    with pytest.raises(UsageError, match=r"no reasoning effort `heavy`; choose one of auto, off, none"):
        check_sampling(Sampling(effort="heavy"))
