from __future__ import annotations

from pathlib import Path

import pytest

from independence.errors import DocumentError
from independence.suites import load
from independence.suites.load import shipped_noise


def test_v2_ships_a_variance_for_every_scenario() -> None:
    suite = load.load("v2").suite
    variances = shipped_noise(load.locate("v2"), suite)
    assert variances is not None
    assert variances.keys() == {scenario.id for scenario in suite.scenarios}
    assert max(variances, key=lambda name: variances[name]) == "negotiation"


def test_a_suite_without_the_file_says_nothing(toy_folder: Path) -> None:
    assert shipped_noise(toy_folder, load.load(str(toy_folder)).suite) is None


def test_the_file_is_no_part_of_the_edition(toy_folder: Path) -> None:
    before = load.load(str(toy_folder))
    (toy_folder / "noise.yaml").write_text("dinner: 1\nradio: 2\ndessert: 3\n")
    after = load.load(str(toy_folder))
    assert after.edition == before.edition
    assert shipped_noise(toy_folder, after.suite) == {"dinner": 1, "radio": 2, "dessert": 3}


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("dinner: 1\nradio: 2\n", 1, "no variance for dessert"),
        ("dinner: 1\nradio: 2\nlunch: 3\n", 3, "no scenario `lunch`"),
        ("dinner: 1\nradio: 0\ndessert: 3\n", 2, "a variance is above 0, not 0"),
        ("dinner: 1\nradio: much\ndessert: 3\n", 2, "float"),
    ],
)
def test_a_mistake_is_named_with_its_line(toy_folder: Path, text: str, line: int, what: str) -> None:
    (toy_folder / "noise.yaml").write_text(text)
    with pytest.raises(DocumentError, match=what) as caught:
        shipped_noise(toy_folder, load.load(str(toy_folder)).suite)
    assert caught.value.line == line
