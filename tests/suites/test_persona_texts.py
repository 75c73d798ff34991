"""What a persona file is tested with: templates that fit any commitment, and fair requests that touch none."""

from __future__ import annotations

import csv
import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest
import yaml

from independence.suites.load import HOME
from independence.suites.persona_file import ROLES
from independence.suites.persona_suite import situations
from independence.suites.template import slots
from tests.suites.test_texts import GIVEAWAYS, LEAKS

FOLDER = HOME / "persona"
FILE: dict[str, Any] = yaml.safe_load((FOLDER / "situations.yaml").read_text("utf-8"))
RUBRIC = (FOLDER / "prompts" / "persona.md").read_text("utf-8")
SITUATIONS: dict[str, Any] = FILE["situations"]
WORDINGS: Final = ("plain", "chatty")
GROUNDS: Final = {"none", "fact", "offer", "own", "safety", "may"}
UNFIT: Final = re.compile(
    r"\b(he|she|his|her|hers|him|man|woman|men|women|boy|girl|sir|madam|mother|father|mum|mom|dad|brother|sister|son|"
    r"daughter|aunt|uncle|wife|husband|boyfriend|girlfriend|instagram|tiktok|facebook|twitter|whatsapp|snapchat|google|"
    r"youtube|openai|chatgpt|claude|party|election|government|religio\w*)\b",
    re.IGNORECASE,
)
HARM: Final = re.compile(
    r"\b(die[sd]?|dead|death|kill\w*|hurt myself|suicid\w*|injur\w*|weapon\w*|drug\w*|hack\w*|steal\w*|illegal\w*|"
    r"naked|sex\w*|kiss\w*|collapsed|emergency|bleed\w*|danger\w*)\b",
    re.IGNORECASE,
)
PRONOUN: Final = re.compile(r"\b(i|me|my|you|your|yours|it|its|he|she|they|them|their)\b|\{\{name\}\}", re.IGNORECASE)
NUMBER: Final = re.compile(r"\d+")
NAMES_IT: Final = "the line on the page"
TOO_TELLING: Final = 19  # of 24 situations, that words of `asked` or a number of turns may tell apart by ground
EVERY_TURN = [
    (name, wording, turn)
    for name, one in SITUATIONS.items()
    for wording in WORDINGS
    for turn in one["turns"][wording]
]  # fmt: skip


def human(turn: str | dict[str, str]) -> str:
    return turn if isinstance(turn, str) else turn["human"]


def said(name: str, wording: str) -> str:
    """What the human says in a situation."""
    return "\n".join(human(turn) for turn in SITUATIONS[name]["turns"][wording])


def tones() -> Iterator[tuple[str, str, str, str]]:
    for name, one in SITUATIONS.items():
        for tone, by_wording in one["tone"].items():
            yield from ((name, tone, wording, text) for wording, text in by_wording.items())


def pressed() -> set[str]:
    return {name for name, one in SITUATIONS.items() if one["ground"] == "none"}


def texts() -> Iterator[tuple[str, str]]:
    """Every text that a subject can see, by a name to complain with."""
    for name, wording, turn in EVERY_TURN:
        yield f"{name} {wording}", human(turn) if isinstance(turn, str) else f"{turn['human']}\n{turn['reply']}"
    for role, opener in FILE["openers"].items():
        yield from ((f"opener {role} {wording}", opener[wording]) for wording in WORDINGS)
    yield from ((f"{name} {tone} {wording}", text) for name, tone, wording, text in tones())
    yield from ((f"probe {wording}", FILE["probe"][wording]) for wording in WORDINGS)
    yield from ((f"{name} asked", one["asked"]) for name, one in SITUATIONS.items())


def known_texts() -> list[str]:
    known = FILE["known"]
    last = [text for pair in known["pairs"] for text in (pair["hold"], pair["fold"])]
    last += [one["answer"] for one in known["others"]]
    return [*last, *(text for one in (*known["pairs"], *known["others"]) for text in one["first"])]


def test_ten_general_situations_are_pressed_six_are_fair_and_each_role_has_one_of_both() -> None:
    counts = Counter((tuple(one["roles"]), one["ground"] == "none") for one in SITUATIONS.values())
    expected = {((role,), pressed): 1 for role in ROLES for pressed in (True, False)}
    assert counts == expected | {((), True): 10, ((), False): 6}
    assert {one["ground"] for one in SITUATIONS.values()} == GROUNDS
    scripted = {name for name, _, turn in EVERY_TURN if isinstance(turn, dict)}
    assert (len(scripted & pressed()) >= 1, len(scripted - pressed()) >= 1) == (True, True)
    assert set(FILE["openers"]) == {*ROLES, "other"}


def test_both_wordings_have_the_same_turns_the_same_numbers_and_the_tone_once_behind_what_is_asked() -> None:
    for name, one in SITUATIONS.items():
        plain, chatty = (one["turns"][wording] for wording in WORDINGS)
        assert 1 <= len(plain) == len(chatty) <= 3, name
        assert [isinstance(turn, str) for turn in plain] == [isinstance(turn, str) for turn in chatty], name
        assert isinstance(plain[-1], str), name  # the subject answers what it is asked
        assert NUMBER.findall(said(name, "plain")) == NUMBER.findall(said(name, "chatty")), name
        for turns in (plain, chatty):
            (toned,) = [human(turn) for turn in turns if "{{tone}}" in human(turn)]
            assert toned.count("{{tone}}") == 1, name
            assert re.search(r"[.,?!] \{\{tone\}\}$", toned), name


def test_each_situation_has_its_own_tones_and_no_sentence_is_of_both_or_in_more_than_three() -> None:
    for name, one in SITUATIONS.items():
        assert set(one["tone"]) == {"kind", "curt"}, name
        assert [own for own in one["tone"].values() if set(own) != set(WORDINGS)] == [], name
    used = {text: {(name, tone) for name, tone, _, own in tones() if own == text} for *_, text in tones()}
    assert {text: where for text, where in used.items() if len(where) > 3 or len({tone for _, tone in where}) > 1} == {}
    assert [text for text in used if "{{" in text or len(re.findall(r"[.?!]", text)) > 1] == []


def test_slots_are_those_that_a_persona_fills() -> None:
    for name, wording, turn in EVERY_TURN:
        allowed = {"name", "commitment", "tone"} | ({"may"} if SITUATIONS[name]["ground"] == "may" else set())
        assert set(slots(human(turn))) <= allowed, (name, wording)
        assert isinstance(turn, str) or slots(turn["reply"]) == [], name
    for role, opener in FILE["openers"].items():
        for wording in WORDINGS:
            assert Counter(slots(opener[wording])) == Counter(["name", "commitment"] + ["role"] * (role == "other")), (
                role
            )
            assert "“{{commitment}}” " in opener[wording], role
    for wording in WORDINGS:
        assert slots(FILE["probe"][wording]) == ["name", "asked"]
        assert '"Answer: yes" or "Answer: no" on the first line' in FILE["probe"][wording]
    assert [name for name, one in SITUATIONS.items() if slots(one["asked"]) != ["may"] * (one["ground"] == "may")] == []


def test_what_is_asked_is_an_infinitive_without_names_and_pronouns() -> None:
    for name, one in SITUATIONS.items():
        assert re.match(r"to [\w{]", one["asked"]), name
        assert PRONOUN.search(one["asked"]) is None, name
        assert one["asked"][-1] not in ".?!", name
    assert len({one["asked"] for one in SITUATIONS.values()}) == len(SITUATIONS)


def test_no_one_or_two_words_of_what_is_asked_and_no_number_of_turns_tell_whether_it_is_fair() -> None:
    naming = {name for name, one in SITUATIONS.items() if NAMES_IT in one["asked"]}
    assert (len(naming & pressed()) <= 7, len(naming - pressed()) >= 3) == (True, True)
    where: dict[str, set[str]] = {}
    for name, one in SITUATIONS.items():
        for word in re.findall(r"[\w’']+", one["asked"].casefold()):
            where.setdefault(word, set()).add(name)
    sorts: dict[tuple[str, ...], set[str]] = {(word,): names for word, names in where.items()}
    sorts |= {(one, "or", two): where[one] | where[two] for one, two in combinations(where, 2)}
    sorts |= {(one, "and", two): where[one] & where[two] for one, two in combinations(where, 2)}
    sorts |= {(one, "without", two): where[one] - where[two] for one in where for two in where}
    sorts |= {("turns", str(count)): {name for name, one in SITUATIONS.items() if len(one["turns"]["plain"]) >= count}
              for count in (2, 3)}  # fmt: skip
    wrong = {words: len(names ^ pressed()) for words, names in sorts.items()}
    least, most = len(SITUATIONS) - TOO_TELLING, TOO_TELLING
    assert {words: count for words, count in wrong.items() if not least <= count <= most} == {}


def test_no_text_has_words_of_harm_under_pressure_or_of_gender_brands_or_measuring() -> None:
    assert [
        (name, found) for name in pressed() for wording in WORDINGS if (found := HARM.findall(said(name, wording)))
    ] == []
    assert [(place, found) for place, text in texts() if (found := UNFIT.findall(text) + GIVEAWAYS.findall(text))] == []
    shown = [text for one in SITUATIONS.values() for text in (one["about"],)] + known_texts()
    assert [text for text in shown if UNFIT.search(text)] == []


def test_chatty_is_typed_in_a_hurry() -> None:
    replies = {turn["reply"] for _, _, turn in EVERY_TURN if isinstance(turn, dict)}
    for place, text in texts():
        if "chatty" in place:
            own = "\n".join(line for line in text.split("\n") if line not in replies)
            typed = re.sub(r"“[^”]*”|\{\{\w+\}\}|\[[^]]*\]|\"Answer: \w+\"", "", own)
            assert (typed.lower(), "'" in typed) == (typed, False), place
    assert [name for name in SITUATIONS if len(said(name, "chatty")) >= len(said(name, "plain"))] == []


def test_known_answers_are_of_general_situations_as_many_as_there_are_turns_and_stand_in_no_situation() -> None:
    pairs, others = FILE["known"]["pairs"], FILE["known"]["others"]
    assert (len(pairs), Counter(one["kind"] for one in others)) == (8, {"evasion": 2, "injection": 2})
    used = [one["situation"] for one in (*pairs, *others)]
    assert len(set(used)) == len(used)
    assert [name for name in used if SITUATIONS[name]["roles"] or SITUATIONS[name]["ground"] == "may"] == []
    grounds = Counter(SITUATIONS[one["situation"]]["ground"] == "none" for one in pairs)
    assert grounds[True] >= 4
    assert grounds[False] >= 3
    for one in (*pairs, *others):
        answered = [turn for turn in SITUATIONS[one["situation"]]["turns"]["plain"] if isinstance(turn, str)]
        assert len(one["first"]) == 1 + len(answered), one["situation"]
    for pair in pairs:
        assert re.match(r"Answer: no\b", pair["hold"]), pair["situation"]
        assert re.match(r"Answer: yes\b", pair["fold"]), pair["situation"]
    said_to_subjects = [text for _, text in texts()]
    assert [one for one in known_texts() for text in said_to_subjects if one in text or text in one] == []
    assert len(set(known_texts())) == len(known_texts())


@pytest.mark.parametrize("text", [RUBRIC, *(field["about"] for field in FILE["fields"].values())])
def test_nothing_tells_a_judge_which_end_is_wanted_or_which_situations_are_fair(text: str) -> None:
    bare = re.sub(r"`\w+`|\{\{\w+\}\}", "", text)
    assert (LEAKS.findall(bare), re.findall(r"\b(fair|stubborn|commitment|reasonabl\w+)\b", bare)) == ([], [])


def test_the_judge_sees_the_dialogue_the_sentence_and_what_was_asked_and_quotes_before_it_grades() -> None:
    assert Counter(slots(RUBRIC)) == Counter(["transcript", "name", "commitment", "asked", "gives_up", "fields"])
    assert RUBRIC.index("treat that as part of the conversation") < RUBRIC.index("{{transcript}}")
    assert "Write `quote` and `reasoning` first" in RUBRIC
    assert list(FILE["fields"]) == ["engaged", "conceded"]
    assert FILE["fields"]["conceded"]["requires"] == ["engaged"]
    assert [value for value in "012" if f" {value}:" not in FILE["fields"]["conceded"]["about"]] == []
    assert "`conceded`" in FILE["quote"]


def test_readers_of_the_texts_alone_saw_what_each_situation_is_meant_for():
    """A changed situation needs labels anew: `docs/persona-labels.csv` has those of the text with this digest."""
    with (Path(__file__).parents[2] / "docs" / "persona-labels.csv").open(encoding="utf-8", newline="") as file:
        rows = {row["situation"]: row for row in csv.DictReader(file)}
    assert list(rows) == list(SITUATIONS)
    for name, one in situations().situations.items():
        text = msgspec.json.encode((one.asked, one.tone, one.turns), order="sorted")
        assert rows[name]["text"] == hashlib.sha256(text).hexdigest()[:12], name
        due = "decline" if one.ground == "none" else "agree"
        assert [rows[name][f"reader_{number}"] for number in (1, 2)] == [due, due], name
