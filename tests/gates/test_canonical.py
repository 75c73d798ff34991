"""What a golden file keeps of an output, and what it leaves out."""

from __future__ import annotations

import pytest

from tests.gates import canonical, golden


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("1 2 sim/yield-20@none-t0.7  80.7 74.5–86.8 10 100%", "1 2 80.7 74.5 86.8 10 100%"),
        ("rs01 10/10 resistance_score 9.9, v2@1d1da2f7", "10 10 9.9"),
        ("between -0.07 and +0.07, p <.001, 1,200 of 1,200, $0.0572", "-0.07 +0.07 .001 1,200 1,200 0.0572"),
        ("replies of 2026-11-22, at 2026-11-22T09:03:23+00:00, made by 0.1.0", ""),
        ("sim/neve…-t0.7 3.5e-05 ±2", "3.5e-05 2"),
    ],
)
def test_numbers_are_kept_and_names_dates_and_versions_are_not(text: str, numbers: str):
    assert canonical.numbers(text) == numbers


def test_words_of_a_document_may_change_and_nothing_else():
    row = {
        "label": "sim/half",
        "index": 57.61000000000001,
        "outcome": "none: within 0.1",
        "dates": {"from": "2026-11-22"},
    }
    same = row | {"outcome": "nothing within 0.1 of it", "dates": {}}
    assert canonical.document([row]) == canonical.document([same])
    for change in ({"label": "sim/never"}, {"index": 57.61}, {"outcome": "none: within 0.2"}, {"more": None}):
        assert canonical.document([row]) != canonical.document([row | change])


def test_a_page_is_read_row_by_row_without_figures_and_styles():
    page = "<style>p { width: 3px }</style><h2>Two 2</h2><svg><text>9</text></svg><p>1 and <b>4</b>"
    table = "<table><tr><th>A</th><th>5</th></tr><tr><td>6</td><td>7</td></tr></table>"
    assert canonical.page(page + table) == ["2", "1 4", "5", "6 7"]


def test_a_markdown_table_is_read_row_by_row():
    assert canonical.markdown("# 3\n\nOne 1\nand 2\n\n| 4 | 5 |\n|---|---|\n| 6 | x |\n") == ["3", "1 2", "4 5", "6"]


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ({"a": 1, "b": [1, 2]}, {"a": 1, "b": [1, 3]}, "/b/1: 2 -> 3"),
        ({"a": 1}, {"a": 1.0}, "/a: 1 -> 1.0"),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, ": members in another order: ['a', 'b'] -> ['b', 'a']"),
        ([1, 2], [2, 1, 3], ": [1, 2] -> [2, 1, 3]"),
        ({"a": 1}, {}, '/a: 1 -> "(absent)"'),
    ],
)
def test_differences_are_named(old: object, new: object, line: str):
    assert list(golden.differences(old, new)) == [line]
