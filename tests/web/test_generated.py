from __future__ import annotations

from tests.web import generated


def test_the_page_has_the_colours_of_the_figures() -> None:
    assert generated.PALETTE.read_text(encoding="utf-8") == generated.palette_css()


def test_the_cases_of_written_numbers_are_those_of_tables() -> None:
    assert generated.SHOWN.read_text(encoding="utf-8") == generated.shown_cases()
