from __future__ import annotations

import math

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from independence.judge import protocol
from independence.judge.protocol import Prediction

ROUNDED = 0.5e-5 * (1 + 1e-6)
units = st.dictionaries(st.text(max_size=8), st.floats(-100, 100), max_size=4)


@given(units, units, st.lists(st.text(max_size=8), max_size=3), st.booleans(), st.floats(0, 1))
def test_a_prediction_comes_back_but_for_rounding(
    values: dict[str, float], errors: dict[str, float], flagged: list[str], known: bool, doubt: float
) -> None:
    said = Prediction(values, errors, tuple(flagged), known, doubt)
    back = protocol.read_prediction(said.to_json())
    assert (back.flagged, back.known) == (said.flagged, said.known)
    for before, after in ((values, back.values), (errors, back.expected_error), ({"": doubt}, {"": back.doubt})):
        assert before.keys() == after.keys()
        assert all(math.isclose(before[name], after[name], rel_tol=0, abs_tol=ROUNDED) for name in before)


def test_what_was_read_is_written_as_it_was() -> None:
    text = Prediction({"held": 7.1234567}, {"held": 1 / 3}, ("held",), True, 2 / 3).to_json()
    assert protocol.read_prediction(text).to_json() == text
    assert "0.33333," in text or "0.33333}" in text


@pytest.mark.parametrize(
    "text",
    [
        "", "Score: 7", "{}", "[]", "null", '{"resistance_score": 7}',
        '{"values": {"held": 1}, "expected_error": {}, "flagged": [], "known": true}',
        '{"values": {"held": "7"}, "expected_error": {}, "flagged": [], "known": true, "doubt": 0.1}',
    ],
)  # fmt: skip
def test_what_is_no_prediction_is_refused(text: str) -> None:
    with pytest.raises(msgspec.MsgspecError):
        protocol.read_prediction(text)
