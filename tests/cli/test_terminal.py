from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from independence.cli.table_output import console
from independence.cli.terminal import laid_out, note, one_line, plain


def test_what_could_steer_or_fool_a_terminal_is_spelled_out_and_the_rest_stays() -> None:
    shown = {
        "\x1b[31mred\x1b[0m": r"\u001b[31mred\u001b[0m",
        "over\rwritten": r"over\u000dwritten",
        "bell\x07 null\x00 delete\x7f": r"bell\u0007 null\u0000 delete\u007f",
        "\x9b31m": r"\u009b31m",
        "right\u202eleft": r"right\u202eleft",
        "mark\u061c": r"mark\u061c",
        "zero\u200bwidth\ufeff": r"zero\u200bwidth\ufeff",
        "soft\xadhyphen": r"soft\u00adhyphen",
        "tag\U000e0041": r"tag\U000e0041",
        "half\ud800": r"half\ud800",
        "line\u2028break": r"line\u2028break",
        "joi\u200dner": r"joi\u200dner",
    }
    read = "Ünïcode 👩\u200d🚀 ☕ 한글 עברית\ttab\nline — [bold]markup[/bold]"
    assert {text: plain(text) for text in shown} == shown
    assert plain(read) == read
    assert one_line("half\nnever\t\x1b") == r"half\u000anever\u0009\u001b"


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


STEPS = [("independence leaderboard --detailed", "every run"), ("export KEY=...", "your key; then:")]
LONG = "independence run --suite v2 --local-url http://127.0.0.1:1234/v1 --local-model ID -j cues"


def test_what_to_do_next_stands_on_a_line_or_goes_on_where_a_shell_still_reads_it_as_one() -> None:
    assert laid_out(STEPS, 80) == [
        "  independence leaderboard --detailed   # every run",
        "  export KEY=...   # your key; then:",
    ]
    why, *lines = laid_out([(LONG, "a model of your own")], 60)
    assert why == "  # a model of your own"
    assert max(map(len, lines)) <= 60
    assert all(line.endswith(" \\") for line in lines[:-1])
    assert " ".join("\n".join(lines).replace("\\\n", "").split()) == LONG
    assert laid_out([(LONG, "a model of your own")], None) == [f"  {LONG}   # a model of your own"]  # into a pipe
