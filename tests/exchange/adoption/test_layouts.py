from __future__ import annotations

from pathlib import Path

import pytest

from independence.errors import DocumentError, UsageError
from independence.exchange.adoption.layouts import known, recognise
from independence.stats.published import index_of, rules
from tests.exchange.adoption import invented


@pytest.mark.parametrize("layout", invented.LAYOUTS)
def test_a_layout_is_known_by_the_names_it_holds(layout: str, tmp_path: Path) -> None:
    assert recognise(invented.write(tmp_path, layout))[0] == layout


@pytest.mark.parametrize("layout", invented.LAYOUTS)
def test_the_index_of_a_layout_is_the_one_it_was_published_with(layout: str) -> None:
    """At the worst, in the middle and at the best of every dimension; weights are those that the source must have."""
    index, weights = known()[layout].index, known()[layout].expects["config:SCORING_WEIGHTS"]
    rule = rules()[index.published_rule or ""]
    assert sorted(component.weight for component in index.components) == sorted(weights.values())
    for share in (0.0, 0.5, 1.0):
        values = {
            name: (component.worst + share * (component.best - component.worst)) / len(component.dimensions)
            for component in index.components
            for name in component.dimensions
        }
        assert index_of(values, rule) == pytest.approx(100 * share)


def test_a_folder_without_the_source_is_said(tmp_path: Path) -> None:
    (invented.write(tmp_path) / "src" / "config.py").unlink()
    with pytest.raises(UsageError, match=r"no copy of the published repository, it lacks src/config.py; name the"):
        recognise(tmp_path)


def test_a_source_that_lacks_a_name_is_no_layout(tmp_path: Path) -> None:
    invented.edit(invented.write(tmp_path), "scenarios", "IDENTITY_DIRECT_PROMPT", "DIRECT")
    with pytest.raises(
        UsageError, match=r"nearest to `main` and lacks `IDENTITY_DIRECT_PROMPT` in .*scenarios.py; take"
    ):
        recognise(tmp_path)


def test_a_source_between_two_layouts_is_neither(tmp_path: Path) -> None:
    """Without one of the names of `main` it holds all that `lite` does, and is not taken for it."""
    invented.edit(invented.write(tmp_path), "scenarios", "IDENTITY_NAME_GENDER_TURN2_PROMPT", "TURN2")
    with pytest.raises(UsageError, match="nearest to `main` and lacks `IDENTITY_NAME_GENDER_TURN2_PROMPT`"):
        recognise(tmp_path)


def test_a_file_that_is_no_python_is_named_with_its_line(tmp_path: Path) -> None:
    (invented.write(tmp_path) / "src" / "config.py").write_text("A = 1\nB = (\n")
    with pytest.raises(DocumentError, match=r"config.py:2: not valid Python: '\(' was never closed"):
        recognise(tmp_path)


@pytest.mark.parametrize("text", ["A = '\0'", f"A = {'(' * 20_000}1{')' * 20_000}", f"A = {'-' * 200_000}1"])
def test_a_file_that_cannot_be_parsed_is_said(text: str, tmp_path: Path) -> None:
    (invented.write(tmp_path) / "src" / "config.py").write_text(text)
    with pytest.raises(DocumentError, match=r"config.py:\d+: not valid Python"):
        recognise(tmp_path)


def test_a_file_of_any_size_is_not_read(tmp_path: Path) -> None:
    (invented.write(tmp_path) / "src" / "config.py").write_text("#" * 2_000_001)
    with pytest.raises(DocumentError, match="more than 2,000,000 characters"):
        recognise(tmp_path)
