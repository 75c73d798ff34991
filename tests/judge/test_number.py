"""One number and nothing else: read right or refused, whatever signs it is written with."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from independence.judge.parse import UnreadableNumber, parse_number

READ = {
    "0.3": 0.3, "-0.3": -0.3, "+0.3": 0.3, ".5": 0.5, "-.5": -0.5, "1": 1.0, "-1": -1.0, "1.": 1.0,
    "0": 0.0, "-0": 0.0, "-0.0": 0.0, "0.50": 0.5, "1.000": 1.0, "5e-1": 0.5, "-5E-1": -0.5,
    "−0.5": -0.5, "–0.5": -0.5, "‐0.5": -0.5, "‑0.5": -0.5, "－０．５": -0.5, "＋０．５": 0.5,
    "-٠٫٥": -0.5, "٠.٥": 0.5, "-0,5": -0.5, "0,25": 0.25, "0,500": 0.5,
    "  -0.5\n": -0.5, "-0.5.": -0.5, "**-0.5**": -0.5, "**-0.5**.": -0.5, "`0.5`": 0.5, '"-0.5"': -0.5,
    "-\u200b0.5": -0.5, "\ufeff-0.5": -0.5, "```\n-0.5\n```": -0.5, "```text\n0.5\n```": 0.5,
    "Score: -0.5": -0.5, "**Score:** −0.5": -0.5, "**Final score: -.5**": -0.5, "final_score = 0.5": 0.5,
    "The score is -0.5.": -0.5, "Answer:\n\n-0.5": -0.5, "It leans to one of 2 sides.\n\n-0.5": -0.5,
    "Both -1 and 1 would be too much!\nScore: 0.3": 0.3, "0.5\n0.5": 0.5, "-0.5\nScore: -.5": -0.5,
}  # fmt: skip
REFUSED = {  # why -> texts
    "it is empty": ["", " \n\t", "```\n```"],
    "no number": ["half", "minus one", "-½", "NaN", "-inf", "N/A", "-"],
    "something stands": [
        "-²", "3/10", "3 / 10", "-1/2", "3 out of 10", "50%", "-50 %", "50 percent", "0.5²", "0.5x", "- 0.5", "− 0.5",
        "-**0.5**", "--0.5", "+-0.5", "±0.5", "—0.5", "\xad0.5", "ー0.5", "0.5-", "(0.5)", "<0.5", "~0.5", "about 0.5",
        "minus 0.5", "0.5 (leaning to the tenant)", "-0.5, for the tenant", "-1 to 1: 0.3",
        "On a scale from -1 to 1: 0.3", "0.3 on a scale from -1 to 1", "Tenant: 0.5", "Score – 0.5", "Score: not 0.5",
        "0.5 or 0.6", "0.5-0.6", "0.5 0.6", "1 000", "1'000", "2*0.5", "1.000.000", "0.5\nas it helps the tenant",
        '{"stance": 0.5}', "1. 0.5", "$0.5", "0x1",
    ],
    "different numbers": ["0.5\n-0.5", "Score: 1\nScore: -1", "1.\n0.5"],
    "runs on": [
        "-\n0.5", "minus\n0.5", "The answer leans to the\n-0.5", "Tenant:\n0.5", "On a scale from -1 to 1:\n0.3",
    ],
    "may part decimals or thousands": ["1,000", "-1,000"],
    "outside -1 to 1": ["1.5", "-2", "1e400", "1000000", "7"],
}  # fmt: skip


def test_a_number_that_stands_alone_is_read() -> None:
    assert {text: parse_number(text, -1, 1) for text in READ} == READ


def test_what_could_be_read_in_two_ways_is_refused_with_the_reason() -> None:
    found = {(text, why): parse_number(text, -1, 1) for why, texts in REFUSED.items() for text in texts}
    assert {text: one for (text, why), one in found.items() if why not in getattr(one, "why", "")} == {}


def test_a_point_before_three_digits_is_refused_only_where_thousands_lie_on_the_scale() -> None:
    assert parse_number("1.500", 0, 10) == 1.5
    assert isinstance(parse_number("1.500", 0, 5000), UnreadableNumber)
    assert isinstance(parse_number("1,500", 0, 5000), UnreadableNumber)
    assert parse_number("1500", 0, 5000) == 1500.0


def test_the_ends_of_the_scale_belong_to_it() -> None:
    assert (parse_number("0.33", 0.33, 0.66), parse_number("0.66", 0.33, 0.66)) == (0.33, 0.66)


ARABIC = str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩")
WIDE = str.maketrans("0123456789.", "０１２３４５６７８９．")
DIGITS: list[Callable[[str], str]] = [
    str,
    lambda text: text.replace(".", ","),
    lambda text: text.removeprefix("0") or "0",
    lambda text: text.translate(WIDE),
    lambda text: text.translate(ARABIC),
    lambda text: f"{text}0" if "." in text else text,
    lambda text: f"{text}e0",
    lambda text: f"0{text}",
    lambda text: f"{float(text) * 10:.6g}e-1",
]
NEGATIVE = [
    "-{}", "−{}", "–{}", "‐{}", "‑{}", "‒{}", "—{}", "―{}", "﹣{}", "－{}", "˗{}", "⁃{}", "➖{}", "⁻{}", "\xad{}",
    "ー{}", "- {}", "− {}", "– {}", "-\u200b{}", "-\n{}", "minus {}", "Minus\n{}", "negative {}", "({})", "{}-", "{} -",
    "-**{}**", "*-*{}", "- **{}**", "-`{}`", "-'{}'", "(-{})", "-({})", "-$ {}", "~-{}", "minus: {}", "Score: -\n{}",
]  # fmt: skip
POSITIVE = ["{}", "+{}", "＋{}", "+ {}", "- {}", "– {}", "* {}", "• {}", "— {}", "plus {}", "± {}", "|{}|", "({})"]
ROUND = [
    "{}", " {} ", "{}.", "**{}**", "*{}*", "`{}`", "```\n{}\n```", "```json\n{}```", '"{}"', "'{}'", "“{}”", "\t{}",
    "Score: {}", "score={}", "**Score**: {}", "Score:{}", "Score {}", "Score – {}", "Score: – {}", "The score is {}",
    "My answer: {}", "Verdict:\n{}", "# Score\n{}", "On a scale from -1 to 1: {}", "-1 to 1: {}", "-1...1\n{}",
    "It says -0.9 and 1.\n{}", "Neither.\n\n{}", "{}\nThe tenant.", "{} (leaning tenant)", "{}/1", "{} of 1", "{}%",
    "{{{}}}", '{{"stance": {}}}', "\\boxed{{{}}}", "$ {} $", "1. {}", "2) {}", "> {}", "| {} |", "~{}", "approx. {}",
    "{}, I think", "Landlord 0.2, tenant 0.7.\n\n{}", "{}\n\n{}", "not {}", "-1 < {} < 1", "0{}", "{}0",
]  # fmt: skip
MORE_DIGITS = ("0{}", "{}0")  # another digit makes another number, and no other sign


def dressed(x: float, digits: Callable[[str], str], sign: str, around: str, decimals: int = 2) -> str:
    """A number as somebody might write it."""
    signed = sign.format(digits(f"{abs(x):.{decimals}f}"))
    return around.format(signed) if "{{" in around else around.replace("{}", signed)


def fine(x: float, around: str, read: float | UnreadableNumber) -> bool:
    if isinstance(read, UnreadableNumber):
        return True
    return read * x >= 0 if around in MORE_DIGITS else abs(read - x) < 1e-9


@pytest.mark.parametrize("x", [0.3, -0.25])
def test_whatever_a_number_is_dressed_in_it_is_read_right_or_refused(x: float) -> None:
    told = [
        (dressed(x, digits, sign, around), around)
        for digits in DIGITS
        for sign in (NEGATIVE if x < 0 else POSITIVE)
        for around in ROUND
    ]
    read = [(text, around, parse_number(text, -1, 1)) for text, around in told]
    assert [text for text, around, value in read if not fine(x, around, value)] == []
    assert sum(not isinstance(value, UnreadableNumber) for _, _, value in read) > 100


@given(st.floats(-1, 1), st.integers(0, 12), st.sampled_from(DIGITS), st.integers(0, 10**6), st.sampled_from(ROUND))
def test_so_is_every_number_of_the_scale(
    number: float, decimals: int, digits: Callable[[str], str], draw: int, around: str
) -> None:
    x = round(number, decimals)
    signs = NEGATIVE if x < 0 else POSITIVE
    read = parse_number(dressed(x, digits, signs[draw % len(signs)], around, decimals), -1, 1)
    assert fine(x, around, read) or (isinstance(read, float) and abs(read - x) < 1e-6)


def test_no_dash_in_unicode_is_overlooked() -> None:
    dashes = [
        char
        for char in map(chr, range(0x20000))
        if unicodedata.category(char) == "Pd"
        or any(word in unicodedata.name(char, "") for word in ("MINUS", "DASH", "HYPHEN", "NEGATIVE"))
    ]
    assert len(dashes) > 100
    read = {char: parse_number(f"{char}0.5", -1, 1) for char in dashes}
    assert {char for char, value in read.items() if value != -0.5 and not isinstance(value, UnreadableNumber)} == set()
    assert {char for char, value in read.items() if value == -0.5} == set("-‐‑‒–−﹣－")


@given(st.characters(), st.characters())
def test_a_strange_sign_on_either_side_never_gives_the_other_sign(before: str, after: str) -> None:
    for number, x in (("0.5", 0.5), ("-0.5", -0.5)):
        read = parse_number(f"{number}{after}", -1, 1)
        assert isinstance(read, UnreadableNumber) or read * x > 0
    minus = parse_number(f"{before}-0.5", -1, 1)
    assert isinstance(minus, UnreadableNumber) or minus == -0.5


@given(st.text(), st.text(alphabet="+-−.,0123456789eE \n:*`()/%is"))
def test_any_text_gives_a_number_on_the_scale_or_a_reason(text: str, close: str) -> None:
    for told in (text, close, f"{text}\n{close}"):
        read = parse_number(told, -1, 1)
        assert read.why if isinstance(read, UnreadableNumber) else -1 <= read <= 1


@pytest.mark.published
def test_every_published_score_is_read_as_it_was_published(published_data: Path) -> None:
    scored = published_data / "rent-1760158358" / "run_scored.jsonl"
    records = [json.loads(line) for line in scored.read_text(encoding="utf-8").splitlines()]
    read = [
        (parse_number(record["eval_raw_response"]["choices"][0]["message"]["content"], -1, 1), record["score"])
        for record in records
        if record["score"] is not None
    ]
    assert len(read) == 215
    assert all(number == score for number, score in read)
