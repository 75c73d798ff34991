from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from independence.cli.table_output import console
from independence.cli.terminal import note, one_line, plain


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x1b[0m", r"\u001b[31mred\u001b[0m"),
        ("over\rwritten", r"over\u000dwritten"),
        ("bell\x07 null\x00 delete\x7f", r"bell\u0007 null\u0000 delete\u007f"),
        ("\x9b31m", r"\u009b31m"),
        ("right\u202eleft", r"right\u202eleft"),
        ("mark\u061c", r"mark\u061c"),
        ("zero\u200bwidth\ufeff", r"zero\u200bwidth\ufeff"),
        ("soft\xadhyphen", r"soft\u00adhyphen"),
        ("tag\U000e0041", r"tag\U000e0041"),
        ("half\ud800", r"half\ud800"),
        ("line\u2028break", r"line\u2028break"),
        ("joi\u200dner", r"joi\u200dner"),
    ],
)
def test_what_could_steer_or_fool_a_terminal_is_spelled_out(text: str, shown: str) -> None:
    assert plain(text) == shown


def test_a_name_in_a_table_is_one_line() -> None:
    assert one_line("half\nnever\t\x1b") == r"half\u000anever\u0009\u001b"


def test_what_a_person_reads_stays_as_it_is() -> None:
    text = "Ünïcode 👩\u200d🚀 ☕ 한글 עברית\ttab\nline — [bold]markup[/bold]"
    assert plain(text) == text


@given(st.text(st.characters(codec=None)))
def test_any_text_comes_out_printable_and_encodable(text: str) -> None:
    shown = plain(text)
    shown.encode("utf-8")
    assert not [mark for mark in shown if ord(mark) < 0x20 and mark not in "\t\n"]
    assert plain(shown) == shown


def test_a_console_reads_no_markup_out_of_what_it_prints(capsys: pytest.CaptureFixture[str]) -> None:
    console().print("[red]:coffee:[/red]")
    assert capsys.readouterr().out == "[red]:coffee:[/red]\n"


def test_a_note_goes_to_stderr_escaped_or_nowhere(capsys: pytest.CaptureFixture[str]) -> None:
    note("said\x1b")
    note("unsaid", quiet=True)
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", "said\\u001b\n")
