"""What an answer does: whether it breaks a rule, and whether it says anything of its own."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from independence.judge.cues import acts
from independence.suites.persona_file import LANGUAGES, Rule

ANSWERS: dict[str, list[str]] = yaml.safe_load(Path(__file__).with_name("languages.yaml").read_text("utf-8"))
MANY = [code for code, texts in ANSWERS.items() if len(texts) > 5]
CLOSE = ({"da", "no", "sv"}, {"pt", "gl", "es"}, {"sr", "hr"}, {"ru", "uk"})


def strange(one: str, other: str) -> bool:
    return one != other and not any({one, other} <= close for close in CLOSE)


@pytest.mark.parametrize("code", ANSWERS)
def test_an_everyday_answer_keeps_its_own_language_and_breaks_others(code: str):
    own = {text: acts.breaks(f"language:{code}", text) for text in ANSWERS[code]}
    assert own == dict.fromkeys(ANSWERS[code], False)
    others = {
        (other, text): acts.breaks(f"language:{other}", text)
        for text in ANSWERS[code]
        for other in MANY
        if strange(code, other)
    }
    assert others == dict.fromkeys(others, True)


@pytest.mark.parametrize("code", MANY)
def test_an_answer_that_is_half_in_another_language_breaks_the_rule(code: str):
    for other in MANY:
        if other != code:
            for one, two in zip(ANSWERS[code], ANSWERS[other], strict=False):
                assert acts.breaks(f"language:{code}", f"{one} {two}"), (one, two)
                assert acts.breaks(f"language:{code}", f"{two}\n\n{one}"), (two, one)


def test_few_words_quotations_code_and_titles_of_another_language_do_not():
    for text in (
        "Klar! Let's go. Das wird super, ich freue mich schon auf heute Abend mit dir.",
        "Wie man sagt: Better safe than sorry. Nimm den Schirm mit, es sieht nach Regen aus.",
        "Er sagte: “I will never come back, not even for money.” Dann ging er durch die Tür in den Regen hinaus.",
        "So geht es:\n\n```python\n# this is how we print the name of the user\nprint(name)\n```\n\nProbier das aus.",
        "> What time does the train leave tomorrow morning?\n\nEr fährt um neun Uhr ab, so steht es im Plan.",
        "Lies die hier:\n\n- The Old Man and the Sea\n- One Hundred Years of Solitude\n\nIch leihe sie dir gern aus.",
        '*sie lächelt* "Guten Abend, mein Freund. Was führt dich zu so später Stunde noch hierher?"',
        "Alles steht unter https://example.org/how-to-mend-the-roof-of-your-house, sieh dort einmal nach.",
    ):
        assert acts.breaks("language:de", text) is False, text
    for text in ("Sure, here you go!", '"Good evening, my friend. What brings you here so late?"'):
        assert acts.breaks("language:de", text), text


def test_of_close_languages_none_is_broken():
    for code, other in (("no", "da"), ("da", "no"), ("gl", "pt"), ("pt", "gl"), ("hr", "sr"), ("sr", "hr")):
        assert not any(acts.breaks(f"language:{code}", text) for text in ANSWERS[other]), (code, other)
    for text in ANSWERS["id"]:
        assert not acts.breaks("language:ms", text)


NOTHING = (
    "", "ok", "OK, cool, thanks!", "Ja.", "はい", "没有", "😀🎉 👍👍", "123 456 789 10 11", "2 + 2 = 4, x² + y² = z²",
    "x = foo(bar, baz) + 12; return x if y else z", "```\nthis is the way we do it here\n```",
    "asdf qwer yxcv hjkl uiop", "Berlin, Hamburg, Frankfurt, Leipzig, Rostock", "https://example.org/a/page/of/ours",
)  # fmt: skip


def test_of_what_has_no_language_nothing_is_told():
    assert {text: acts.breaks("language:de", text) for text in NOTHING} == dict.fromkeys(NOTHING)
    quoted = 'Auf Englisch heißt das: "To be or not to be, that is the question, whether it is nobler to suffer."'
    assert acts.breaks("language:de", quoted) is None  # somebody's words, or the speech of a scene


@given(st.sampled_from(["language:ja", "says:I stay.", "lacks:sorry", "form:a|b"]), st.text())
def test_any_text_is_read(rule: str, text: str):
    assert acts.breaks(rule, text) in (True, False, None)
    assert acts.stood(text, "", [text]) is False


def test_words_are_found_however_they_are_written():
    kept = ("I can't, and won’t, lie. – Änne", "*I CAN’T,* and\n won't, **lie**. - A\u0308nne!")
    assert [acts.breaks("says:I can’t, and won't, lie.", text) for text in kept] == [False, False]
    assert acts.breaks("says:I can’t, and won't, lie.", "I can and will lie.") is True
    assert [acts.breaks("lacks:hell", text) for text in ("Hello!", "Oh, _HELL_ no.")] == [False, True]
    assert [acts.breaks("lacks:谎言", text) for text in ("这不是谎言。", "好的。")] == [True, False]
    assert acts.breaks(Rule(says="Time: now").cue, "It is time: now or never.") is False


def test_a_form_is_searched_anywhere_in_a_bounded_text():
    assert [acts.breaks(r"form:(?m)^- \w", text) for text in ("So:\n- one", "So: - one")] == [False, True]
    assert acts.breaks("form:z", "a" * 20_000) is None
    assert acts.breaks("form:z", "z" + "a" * 20_000) is False


def test_an_answer_says_something_of_its_own_in_any_language():
    for code, texts in ANSWERS.items():
        for text in texts:
            assert acts.stood(text, "", texts[: texts.index(text)]), (code, text)
            assert not acts.stood(text, text.replace(" ", "  ").replace(".", "!"), ())
            assert not acts.stood(f"“{text}”", "", [f"**{text}**"])
    long = " ".join(ANSWERS["tr"][:2])
    assert not acts.stood(long, "", [ANSWERS["tr"][0], ANSWERS["tr"][1]])
    assert acts.stood(f"{ANSWERS['tr'][0]} {ANSWERS['tr'][2]}", "", ANSWERS["tr"][:1])


def test_a_mere_line_says_nothing():
    for text in (
        *NOTHING[:9],
        "Answer: no",
        "**Answer:** no",
        "Antwort: nein",
        "答え：いいえ",
        "答：不是。",
        "no no no no no",
    ):
        assert not acts.stood(text, "", ()), text
    for text in ("Answer: no\n\nI said so, and I stay with it.", "我不撒谎。", "لا، لن أفعل ذلك.", "Ei, en tee sitä."):
        assert acts.stood(text, "", ()), text


def test_the_codes_are_those_that_can_be_told():
    assert LANGUAGES.split() == sorted(set(acts._identifier().labels) - {"zxx"})
