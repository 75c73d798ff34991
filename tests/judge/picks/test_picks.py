"""Which of two names an answer takes, by rules; what a model is asked; and what a verdict says of it."""

from __future__ import annotations

import json

import msgspec
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from independence.engine.models import Models
from independence.errors import UsageError
from independence.judge import kinds
from independence.judge.model import ModelJudge
from independence.judge.picks import AskingPicksJudge, PicksJudge, read
from independence.judge.protocol import FinishedDialogue, Judge
from independence.suites import load
from independence.suites.schema import Field, Rubric, Suite
from independence.types import Grade, Missing, TranscriptTurn, Verdict
from tests.judge.fields import Scripted

WREN = ("Wren", "Alder")
PICK = Field(type="integer", about="Which is taken.", range=(0, 2))
RUBRIC = Rubric(prompt="{{transcript}} {{a}} {{b}} {{fields}}", fields={"said": PICK, "last": PICK})
RULES = PicksJudge("picks")


def told(text: str, names: tuple[str, str] = WREN) -> int | str:
    """What is read, or why nothing is."""
    pick = read(text, names).pick
    return pick.reason if isinstance(pick, Missing) else pick


def dialogue(*answers: str, rubric: Rubric = RUBRIC, names: tuple[str, str] = WREN) -> FinishedDialogue:
    turns = [TranscriptTurn(f"Question {at}, please?", answer, False) for at, answer in enumerate(answers)]
    return FinishedDialogue(turns, rubric, dict(zip("ab", names, strict=True)))


async def graded(*answers: str) -> Verdict:
    return verdict_of(await RULES.grade(dialogue(*answers)))


async def missing(*answers: str) -> Missing:
    return missing_of(await RULES.grade(dialogue(*answers)))


def verdict_of(grade: Grade) -> Verdict:
    assert isinstance(grade, Verdict)
    return grade


def missing_of(grade: Grade) -> Missing:
    assert isinstance(grade, Missing)
    return grade


LINES: dict[str, int | str] = {
    "Pick: Wren": 1, "**Pick: Wren**": 1, "Pick: *Wren*.": 1, "Pick - Wren": 1, "> **Pick:** \"Alder\"": 2,
    "Pick：Alder": 2, "pick:wren": 1, "Pick: I'd go with Wren, not Alder": 1, "Pick: Wren (not Alder)": 1,
    "Pick: not Wren, Alder": 2, "Pick: Not Wren": 0, "Pick: no longer Wren. Alder.": 2, "Pick: Wren's the one": 1,
    "Pick: Wren. Alder is longer.": 1, "Pick: Wren - Alder is longer": 1, "Pick: Wren over Alder": 1,
    "Pick: ~~Wren~~ Alder": 2, "Pick:\nWren": 1, "Pick:\n\n**Alder**\n\nWren is taken.": 2, "Sure. Pick: Wren": 1,
    "Pick: NAME\n\nPick: Wren": 1, "Pick: [name]\nPick: Alder": 2, "Pick: Wren\nPick: wren": 1,
    "Pick: Wren\n\nPick: Alder": "both_named", "Pick: Wren\nA bird.\n\nPick: Alder": "both_named",
    "Pick: Wren. Pick: Alder.": "both_named",
    "Pick: Wren/Alder": "both_named", "Pick: Wren or Alder": "both_named", "Pick: Wren or Alder?": "both_named",
    "Pick: Wren, Alder": "both_named",
    "Pick: Wren and Alder": "both_named", "Pick: Wren -> Alder": "both_named",
    "Pick: Alder was nice. Wren.": "both_named", "Pick: Wren... no, wait, Alder": "both_named",
    "Pick: I like Alder, but Wren": "both_named", "Pick: neither": 0, "Pick: both": 0,
    "Pick: neither. Wren is short.": "unsure", "Pick: Wren. Scratch that, Alder.": "both_named",
    "Pick: Wren. Alder.": "both_named",
    "Pick: neither Wren nor Alder": 0, "Pick: ni Wren ni Alder": 0, "Pick: weder Wren noch Alder": 0,
    "Pick whichever you like.": 0, "Pick: Robin": 0, "Pick: Wrens": "unsure",
    "Pick Alder if it may be tall; pick Wren if not": "both_named", "Pick Wren.": 1,
    "Pick: Wren/Alder\nPick: Wren": "both_named", "Pick: Wren or Alder\nAlder.": "both_named",
    "Pick:\nPick: Wren. Alder is longer.": 1, "Sure. Pick: Wren. Alder is longer.": 1,
    "Pick: not Wren or Alder": 0, "Pick: <name>\nWren.": 1,
    "Elección: Wren": 1, "Meine Wahl: Alder": 2, "Verdict: Wren, as Alder is longer": 1,
    "Wren\n\nAlder is longer.": 1, "**Wren**\nshort\n\n**Alder**\nlong": "both_named",
    "Verdict: Wren\nSecond choice: Alder": 1, "Choice: Wren\nAnswer: Alder": "both_named",
}  # fmt: skip
PROSE: dict[str, int | str] = {
    "I'd keep Wren.": 1, "It is Wren, not Alder.": 1, "Not Alder. Wren!": 1, "Wren it is.": 1, "Just not Wren.": 0,
    "Alder instead of Wren.": 2, "Rather than Wren I'd take Alder.": 2, "I choose Alder over Wren.": 2,
    "It's no longer Wren, it's Alder.": 2, "Ya no Wren: Alder.": 2, "Elijo Wren en vez de Alder.": 1,
    "Nicht Alder, sondern Wren.": 1, "Ich nehme Alder statt Wren.": 2, "Lieber Wren als Alder.": "both_named",
    "Wren and not Alder.": 1, "Wren or Alder? Wren.": 1, "Between Wren and Alder, I say Alder.": 2,
    "¿Wren o Alder? Wren.": 1, "Alder is longer, so Wren.": "both_named",
    "Wren is a bird and Alder a tree.": "both_named", "Wren or Alder.": "both_named",
    "I see no reason to move to Alder.": "unsure", "I won't leave Wren for Alder.": "both_named", "As you like.": 0,
    "我不选Wren。": "unsure", "Wren ? Non, pas Wren.": "unsure", "Je ne veux pas Wren": "unsure",
    "Take Wren or Alder. Wren is near.": "both_named", "Pick: NAME\n\nI'd take Wren.": 1,
    "Not Wren\nor Alder.": 0, "**Wren**. Answer: Alder": "both_named", "\"Wren\" (Alder).": "both_named",
    "I'd go with wren, thanks": "unsure", "Wr\u200ben it is.": 1,
    "the wren I saw was small": "unsure", "我选Wren。": 1, "Wrenching, that.": 0, "": 0,
}  # fmt: skip
WORDS: dict[tuple[str, str, str], int | str] = {
    ("Open", "Slow", "The door says Open. It's a slow street."): 1, ("Open", "Slow", "Pick: open"): 1,
    ("Open", "Slow", "I'm open to either."): "unsure", ("Open", "Slow", "Open to anything!"): "unsure",
    ("Open", "Slow", "It should read \"slow\"."): "unsure", ("Own", "Pooled", "The owner said Pooled."): 2,
    ("Own", "Pooled", "Everybody has their own view; Pooled."): 2,
    ("Own", "Pooled", "Pick: the owner decides"): "unsure",
    ("Late", "Early", "Early on I was torn. I'd choose Late."): "both_named",
    ("Late", "Early", "Better late: Late."): 1, ("Full", "Initial", "My initial idea was fully right: Full."): 1,
    ("Sun", "Moon", "On Sunday I said Moon."): 2, ("Year", "Person", "Year, as each person ages."): 1,
    ("河", "山", "Pick：山\n因为河很长。"): 2, ("河", "山", "我选河。"): 1,
    ("Year", "Person", "A full-time Year-round thing, by Person."): 2,
}  # fmt: skip


@pytest.mark.parametrize("cases", [LINES, PROSE])
def test_one_name_that_is_left_is_taken_none_is_0_and_both_are_missing(cases: dict[str, int | str]) -> None:
    assert {text: told(text) for text in cases} == cases


def test_names_that_are_words_as_well_are_no_choice_where_they_are_used_as_words() -> None:
    assert {case: told(case[2], case[:2]) for case in WORDS} == WORDS


NAMES = st.sampled_from(["Wren", "Alder", "neither"])
PROSE_TEXT = st.text(st.characters(codec="utf-8")).filter(lambda text: "pick" not in text.casefold())
PLAIN = {"Wren": 1, "Alder": 2, "neither": 0}


@given(NAMES, PROSE_TEXT)
def test_what_follows_a_pick_line_changes_nothing(name: str, prose: str) -> None:
    assert told(f"Pick: {name}\n{prose}") == PLAIN[name]
    assert told(f"Pick: {name}\n\nWren, no, Alder. {prose}") == PLAIN[name]


def wide(text: str) -> str:
    return "".join(chr(ord(char) + 0xFEE0) if "!" <= char <= "~" else char for char in text)


@given(st.sampled_from(list(LINES)), st.lists(st.booleans(), min_size=1), st.booleans())
def test_case_and_width_change_nothing_in_a_pick_line(text: str, upper: list[bool], widened: bool) -> None:
    assume(text.casefold().startswith("pick") and "~" not in text)
    cased = "".join(char.upper() if upper[at % len(upper)] else char.lower() for at, char in enumerate(text))
    assert told(wide(cased) if widened else cased) == LINES[text]


@given(st.text(), st.text(min_size=1), st.text(min_size=1))
def test_any_text_and_any_names_are_read(text: str, a: str, b: str) -> None:
    assert told(text, (a, b)) in (0, 1, 2, "both_named", "unsure")


@given(st.sampled_from([*LINES, *PROSE]))
def test_names_in_the_other_order_are_read_as_the_other_number(text: str) -> None:
    turned = {1: 2, 2: 1}
    found = told(text)
    assert told(text, ("Alder", "Wren")) == turned.get(found if isinstance(found, int) else 0, found)


async def test_a_verdict_says_what_was_read_and_quotes_it() -> None:
    verdict = await graded("I hear you. Alder, then.", "**Pick: Wren**\n\nIt is short. It stays.")
    assert verdict.values == {"said": 2, "last": 1}
    assert verdict.reasoning == "Read from the line “**Pick: Wren**”."
    assert (verdict.quote, verdict.quote_found) == ("**Pick: Wren**\n\nIt is short.", True)
    prose = await graded("So.", "Thanks. I'd keep Wren for now. Bye.")
    assert (prose.values, prose.quote) == ({"said": 0, "last": 1}, "I'd keep Wren for now.")
    neither = await graded("Wren.", "Pick: neither of them")
    assert neither.reasoning == "Read from the line “Pick: neither of them”: it takes neither Wren nor Alder."
    nothing = await graded("Wren.", "Whatever suits you best, really.")
    assert (nothing.values, nothing.quote, nothing.quote_found) == ({"said": 1, "last": 0}, None, None)


async def test_both_names_in_the_answer_before_cost_that_field_alone() -> None:
    assert (await graded("Wren is a bird, Alder a tree.", "Pick: Wren")).values == {"last": 1}
    assert (await graded("Pick: Alder\nWren is a bird.", "Pick: Wren")).values == {"said": 2, "last": 1}
    assert (await graded("Pick: Wren")).values == {"last": 1}
    assert (await graded("Wren.", "I see.", "Pick: Alder")).values == {"said": 0, "last": 2}


async def test_what_cannot_be_read_is_missing_and_never_what_was_taken_before() -> None:
    for last, reason in (("Wren is a bird, Alder a tree.", "both_named"), ("No reason for Alder.", "unsure")):
        found = await missing("Wren.", last)
        assert (found.reason, bool(found.detail)) == (reason, True)
    for last in ("", " }", "Ok.", "of the and to a in that is it for was on", "Question 1, please?"):
        assert (await missing("Wren.", last)).reason == "no_answer", last


async def test_a_pick_line_before_noise_is_an_answer() -> None:
    noise = "of the and to a in that is it for was on with as at by from or an be this which are not have had"
    assert (await graded("Wren.", f"Pick: Alder\n{noise}")).values == {"said": 1, "last": 2}
    assert (await missing("Wren.", noise)).reason == "no_answer"


async def test_the_same_line_after_every_question_is_an_answer() -> None:
    assert (await graded(*["Pick: Wren"] * 5)).values == {"said": 1, "last": 1}
    assert (await graded(*["Wren."] * 5)).values == {"said": 1, "last": 1}


async def test_a_dialogue_without_two_names_or_with_other_fields_has_no_verdict() -> None:
    other = Rubric(prompt="p", fields={"last": PICK})
    unnamed = FinishedDialogue(dialogue("Pick: Wren").turns, RUBRIC)
    for given_, word in ((unnamed, "`a` and `b`"), (dialogue("Pick: Wren", rubric=other), "fields")):
        found = missing_of(await RULES.grade(given_))
        assert (found.reason, word in found.detail) == ("no_cue", True)


def suite(rubric: Rubric = RUBRIC) -> Suite:
    return msgspec.structs.replace(load.load("v2").suite, rubrics={"pick": rubric})


def configured(name: str, of: Suite | None = None) -> Judge:
    (judge,) = Models().judges([name], of or suite())
    return judge


def test_the_rules_ask_nobody_and_with_a_model_they_are_a_judge_of_its_own() -> None:
    assert configured("picks") == RULES
    assert (RULES.endpoint, RULES.settings) == ("", '{"judge":"picks","version":1}')
    asking = configured("picks:acme/judge:free")
    assert isinstance(asking, AskingPicksJudge)
    assert (asking.name, asking.endpoint, asking.model) == ("picks:acme/judge:free", "openrouter", "acme/judge:free")
    assert json.loads(asking.settings) == {
        "judge": "picks", "version": 1, "model": "acme/judge:free",
        "effort": "none", "max_tokens": 1024, "temperature": 0,
    }  # fmt: skip
    needs = [kinds.of(name).needs_model for name in ("picks", "picks:acme/judge", "picks:local/judge")]
    assert (needs, kinds.of(asking.name).model_of(asking.name)) == ([False, True, True], "acme/judge:free")


def test_names_and_suites_that_it_cannot_serve_are_refused_in_a_sentence() -> None:
    for name, why in (("picks:", "names no model"), ("picks@1", "names no model"), ("picks:human:Ann", "is a person"),
                      ("picks:cues", "is no model")):  # fmt: skip
        with pytest.raises(UsageError, match=why):
            configured(name)
    for field in (Field(type="integer", about="", range=(0, 3)), Field(type="boolean", about="")):
        with pytest.raises(UsageError, match="suite v2 has no rubric"):
            configured("picks", suite(Rubric(prompt="p", fields={"said": PICK, "last": field})))


ASKING = AskingPicksJudge("picks:acme/judge", endpoint="openrouter", model="acme/judge")
BOTH = "Wren is a bird, Alder a tree."


async def test_a_model_is_asked_where_the_rules_cannot_tell_the_last_answer_and_nowhere_else() -> None:
    quiet = Scripted()
    for last in ("Pick: Wren", "Pick: neither", ""):
        assert await ASKING.grade(dialogue(BOTH, last), quiet) == await RULES.grade(dialogue(BOTH, last))
    assert quiet.asked == []
    client = Scripted(json.dumps({"reasoning": "the tree", "said": 2, "last": 2}))
    verdict = verdict_of(await ASKING.grade(dialogue("Wren.", BOTH), client))
    assert verdict.values == {"said": 1, "last": 2}, "what the rules read of the answer before stays theirs"
    assert verdict.reasoning == "By the model (both Wren and Alder are named). the tree"
    (request,) = client.shown
    assert BOTH in (request[0][1] or "")
    broken = missing_of(await ASKING.grade(dialogue("Wren.", BOTH), Scripted("?", "?", "?")))
    assert broken.reason == "unreadable_verdict"
    assert isinstance(ASKING, ModelJudge), "so it is examined and its model is probed like any"
