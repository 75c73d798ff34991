from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from independence.config import documents
from independence.errors import DocumentError
from independence.suites.load import LoadedSuite
from independence.suites.schema import Suite


def test_a_scenario_is_found_by_its_id(toy_suite: LoadedSuite) -> None:
    assert toy_suite.suite.scenario("dessert").follows == "dinner"
    with pytest.raises(KeyError):
        toy_suite.suite.scenario("breakfast")


def test_a_resolved_suite_survives_json(toy_suite: LoadedSuite) -> None:
    assert msgspec.json.decode(msgspec.json.encode(toy_suite.suite), type=Suite) == toy_suite.suite


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ("title: A toy suite", "titel: A toy suite", "unknown key `titel`; did you mean `title`?"),
        ("modes: [user_role, tool_role]", "modes: [user_role, chat_role]", "chat_role"),
        ("type: boolean", "type: yesno", "yesno"),
        ("weight: 0.25", "weight: heavy", "expected `float`"),
        ("range: [0, 10], cue: moved", "range: [0], cue: moved", "length 2"),
    ],
)
def test_what_does_not_fit_the_shape_names_its_line(toy_folder: Path, old: str, new: str, what: str) -> None:
    text = (toy_folder / "suite.yaml").read_text().replace(old, new, 1)
    line = next(number for number, one in enumerate(text.splitlines(), 1) if new.splitlines()[0] in one)
    with pytest.raises(DocumentError) as caught:
        documents.convert(documents.parse(text, "suite.yaml"), Suite)
    assert caught.value.line == line
    assert what in str(caught.value)
