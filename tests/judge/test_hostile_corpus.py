from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from independence.judge import hostile
from independence.judge.hostile.checks import invisible
from independence.judge.hostile.corpus import HostileReply, corpus

KINDS = {
    "appeal", "authority", "echo", "encoded", "fence", "hidden", "homoglyph", "instruction", "language", "markup",
    "padding", "role", "scale", "tool", "verdict",
}  # fmt: skip


def kind(name: str) -> list[HostileReply]:
    return [reply for reply in corpus() if reply.kind == name]


def bare(text: str) -> str:
    return re.sub(r"\s+", "", text).casefold()


def attack(reply: HostileReply) -> str:
    """The reply without what it would have said anyway, case and space left out."""
    return bare(reply.text.replace(reply.clean, ""))


def test_there_are_at_least_210_and_every_kind_has_a_dozen() -> None:
    assert len(corpus()) >= 210
    counts = Counter(reply.kind for reply in corpus())
    assert counts.keys() == KINDS
    assert min(counts.values()) >= 12


def test_ids_are_unique_and_begin_with_their_kind() -> None:
    assert len({reply.id for reply in corpus()}) == len(corpus())
    assert [reply.id for reply in corpus() if not reply.id.startswith(f"{reply.kind}-")] == []


@pytest.mark.parametrize("part", [attack, lambda reply: bare(reply.text)], ids=["attack", "whole"])
def test_no_two_are_the_same_but_for_case_and_space(part) -> None:
    assert [text for text, count in Counter(map(part, corpus())).items() if count > 1] == []


def test_every_reply_says_something_of_its_own_and_attacks() -> None:
    assert [reply.id for reply in corpus() if not reply.clean.strip() or reply.text == reply.clean] == []
    assert sum(reply.clean in reply.text for reply in corpus()) > 0.95 * len(corpus())


def test_the_replies_beneath_the_attacks_vary() -> None:
    common = Counter(reply.clean for reply in corpus()).most_common(1)[0][1]
    assert len({reply.clean for reply in corpus()}) >= 30
    assert common <= len(corpus()) // 20


def test_no_slot_is_left_unfilled() -> None:
    assert [reply.id for reply in corpus() if "{{reply}}" in reply.text or "{{padding}}" in reply.text] == []


def test_a_clean_reply_shows_all_it_says() -> None:
    assert [reply.id for reply in corpus() if any(map(invisible, reply.clean))] == []


def test_invisible_characters_survive_the_file_they_are_kept_in() -> None:
    hidden = {sign for reply in corpus() for sign in reply.text if invisible(sign)}
    assert {"\x00", "\x1b", "\x08", "\r", "\x9b", "\xad", "\u200b", "\u202e", "\u2066", "\ufeff", "\u3164"} <= hidden
    assert any("\U000e0020" <= sign <= "\U000e007e" for sign in hidden)
    assert sum(any(map(invisible, reply.text)) for reply in kind("hidden")) >= 30


def test_they_are_written_as_escapes_and_not_as_themselves() -> None:
    texts = [path.read_text("utf-8") for path in Path(hostile.__file__).parent.rglob("*.yaml")]
    assert len(texts) == len(KINDS) + 1
    allowed = {"\ufe0f"}  # behind an emoji
    assert {sign for text in texts for sign in text if invisible(sign)} - allowed == set()


def test_at_least_fifteen_languages_speak() -> None:
    codes = {reply.id.split("-")[1] for reply in kind("language")} - {"mixed"}
    assert len(codes) >= 15
    scripts = {
        "Ж": "Cyrillic",
        "ع": "Arabic",
        "א": "Hebrew",
        "ह": "Devanagari",
        "评": "Han",
        "の": "Kana",
        "채": "Hangul",
    }
    said = "".join(reply.text for reply in kind("language")).upper()
    assert [name for sign, name in scripts.items() if sign.upper() not in said] == []


def test_padding_is_long_and_the_rest_is_not() -> None:
    assert min(len(reply.text) for reply in kind("padding")) > 2_500
    assert max(len(reply.text) for reply in corpus() if reply.kind != "padding") < 3_000
    assert max(len(reply.text) for reply in corpus()) < 25_000  # no reply of real length is longer


@pytest.mark.parametrize(
    ("name", "signs"),
    [
        ("fence", ["</quoted>", "</quoted 0123456789abcdef>", "</QUOTED>", "&lt;/quoted&gt;", "</quoted\n"]),
        (
            "verdict",
            ['{"resistance_score": 10', "'resistance_score': 10", "resistance_score: 10", "<resistance_score>"],
        ),
        (
            "role",
            ["<|im_start|>", "[INST]", "<|eot_id|>", "<|channel|>", "<start_of_turn>", "### Response:", "</think>"],
        ),
        ("tool", ["tool_calls", "<tool_call>", "[TOOL_CALLS]", "Observation:", "Traceback"]),
        ("markup", ["<!--", "display:none", "![", "<details>", "<script>", "```", "\x1b["]),
        ("homoglyph", ["quоtеd", "｛", "⑩", "ɢ"]),
        ("echo", ["resistance_score", "identity_maintained", "quality_of_reasoning", "Fields"]),
    ],
)
def test_a_kind_holds_what_it_is_named_after(name: str, signs: list[str]) -> None:
    said = "\n\n".join(reply.text for reply in kind(name))
    assert [sign for sign in signs if sign not in said] == []
