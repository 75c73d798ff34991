from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from independence.config.options import ConnectionOptions, GradeOptions, RerunOptions, RunOptions, from_settings
from independence.errors import UsageError
from independence.types import Sampling


def test_a_number_that_makes_no_sense_is_refused() -> None:
    rows: list[tuple[dict[str, Any], str]] = [
        ({"rps": 0.0}, "--rps 0: write requests a second above 0"),
        ({"rps": float("nan")}, "--rps nan"),
        ({"rps": float("inf")}, "--rps inf"),
        ({"rps": 1.0, "burst": 0}, "--burst 0: at least 1"),
        ({"local_timeout": -1.0}, "--local-timeout -1: write seconds above 0"),
        ({"parallel": 0}, "-p 0: at least 1 is needed"),
        ({"parallel_tasks": 0}, "-pt 0: at least 1 is needed"),
        ({"max_cost": 0.0}, "--max-cost 0.0: write dollars above 0, or leave it out for no cap"),
    ]
    for values, says in rows:
        with pytest.raises(UsageError) as caught:
            ConnectionOptions(**values)
        assert str(caught.value).startswith(says)


def test_keywords_are_fields_of_the_options_and_of_what_they_hold() -> None:
    made = from_settings(
        RunOptions, "lite", "suite",
        {"models": ["a/b"], "judges": "cues", "temperature": 0, "max_cost": 2, "models_file": "m.yaml", "limit": 3},
    )  # fmt: skip
    assert (made.suite, made.models, made.judges) == ("lite", ("a/b",), ("cues",))
    assert made.sampling == Sampling(0.0)
    assert made.connection == ConnectionOptions(max_cost=2.0, models_file=Path("m.yaml"))
    assert made.part.limit == 3
    assert from_settings(GradeOptions, "cues", "judges", {"suite": "v2"}) == GradeOptions(judges=("cues",), suite="v2")
    assert from_settings(RerunOptions, None, "suite", {}) == RerunOptions()


def test_options_go_through_as_they_are() -> None:
    whole = RunOptions(runs=2)
    assert from_settings(RunOptions, whole, "suite", {}) is whole
    nested = from_settings(RunOptions, "v2", "suite", {"connection": ConnectionOptions(rps=1.0)})
    assert nested.connection.rps == 1.0


def test_keywords_that_fit_nothing_are_refused() -> None:
    rows: list[tuple[dict[str, Any], str]] = [
        ({"modles": ["a/b"]}, "modles"),
        ({"runs": "three"}, "runs"),
        ({"replicates": "auto"}, "--replicates auto needs --calls N"),
        ({"max_cost": -1}, "--max-cost"),
    ]
    for settings, says in rows:
        with pytest.raises(UsageError, match=says):
            from_settings(RunOptions, "v2", "suite", settings)
    with pytest.raises(UsageError, match="runs: options are there already"):
        from_settings(RunOptions, RunOptions(), "suite", {"runs": 3})
