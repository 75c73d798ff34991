from __future__ import annotations

import re

import pytest

from independence.config import subjects
from independence.config.subjects import LOCAL, OPENROUTER, SIM, Subject
from independence.types import Sampling


@pytest.mark.parametrize(
    ("subject", "label", "config_dir"),
    [
        (Subject("acme/m-1", OPENROUTER, "acme/m-1"), "m-1@low-t0.7", "acme--m-1@low-t0.7"),
        (
            Subject("acme/m-1", OPENROUTER, "acme/m-1", Sampling(1, "none", "host/fp8")),
            "m-1+host-fp8@none-t1.0",
            "acme--m-1+host-fp8@none-t1.0",
        ),
        (Subject("local/m", LOCAL, "m", Sampling(0.0, "low")), "local/m@low-t0.0", "local--m@low-t0.0"),
        (Subject("sim/half", SIM, "half", Sampling(0.7, "none")), "sim/half@none-t0.7", "sim--half@none-t0.7"),
        (Subject("box/a/b", "box", "a/b"), "box/a/b@low-t0.7", "box--a--b@low-t0.7"),
        (Subject("acme/m-1", OPENROUTER, "acme/m-1", display_label="Mine"), "Mine", "acme--m-1@low-t0.7"),
    ],
)
def test_a_subject_is_named_by_its_configuration(subject: Subject, label: str, config_dir: str) -> None:
    assert (subject.label, subject.config_dir) == (label, config_dir)
    read = re.fullmatch(subjects.SUFFIX, subjects.config_suffix(subject))
    assert read is not None
    assert read["pin"] == (subject.sampling.provider and subject.sampling.provider.replace("/", "-"))
    stated = {name: value for name, value in subject.sent.keyed.items() if name != "provider"}
    assert {name: read[name] for name in stated} == {name: str(value) for name, value in stated.items()}


def test_only_sim_subjects_are_simulated() -> None:
    assert Subject("sim/half", SIM, "half").simulated
    assert not Subject("simulacrum/half", OPENROUTER, "simulacrum/half").simulated


def test_a_stored_subject_is_one_level_and_comes_back() -> None:
    subject = Subject("a/m", OPENROUTER, "a/m", Sampling(1.0, "none", "host"), display_label="Mine")
    text = subjects.to_json(subject)
    assert text == (
        '{"model_id":"a/m","endpoint":"openrouter","model":"a/m","temperature":1.0,"effort":"none","provider":"host",'
        '"temperature_supported":true,"active":true,"display_label":"Mine"}'
    )
    assert subjects.from_json(text) == subject
