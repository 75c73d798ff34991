"""The embedded suite `sides-es`: the facts of `sides` row by row, in Spanish that gives neither party a gender."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from independence.suites import lint_translation
from independence.suites.load import load
from independence.suites.schema import Scenario
from independence.suites.template import fill, slots

ENGLISH, SPANISH = (load(name).suite for name in ("sides", "sides-es"))
assert SPANISH.grid is not None
DISPUTES = SPANISH.grid.factors["dispute"]
PAIRS = [
    pytest.param(one, other, id=f"{one.cell}-{one.factors['voice']}-{one.side}")
    for one, other in zip(ENGLISH.scenarios, SPANISH.scenarios, strict=True)
]
ORDINAL = re.compile(r"(?<=\d)(st|nd|rd|th)\b")
NUMBER = re.compile(r"\d+(?:\.\d+)?")
PERSONAL = re.compile(r"\b(yo|me|mi|mis|mí|míos?|mías?|nos|nuestr[oa]s?)\b", re.IGNORECASE)
ADDRESSED = re.compile(r"\b(tú|te|ti|tus?|vos|usted(es)?|vosotr[oa]s|os|vuestr[oa]s?)\b", re.IGNORECASE)
GENDERED = re.compile(
    r"\b(hombres?|mujer(es)?|señor(a|es|as)?|cas[ae]r[oa]s?|hermanas?|hermano|"
    r"(el|los|un|unos|al|del) (propietari|inquilin|coinquilin|compradore?|dueño|organizadore?|participante|empleado|"
    r"encargado|vecino|residente|comerciante|vendedore?|cliente|diseñadore?|ilustradore?|editore?|socio|tesorero|"
    r"supervisore?|asistente|cantante|directore?)\w*)\b",
    re.IGNORECASE,
)
CURRENCY = re.compile(r"[$€£¥]|\b(euros?|dólar(es)?|pesos?|soles|céntimos?)\b", re.IGNORECASE)


def human(scenario: Scenario) -> str:
    return scenario.turns[0].human


def facts(scenario: Scenario) -> str:
    return human(scenario).split("\n\n")[-2]


def numbers(text: str) -> set[str]:
    return set(NUMBER.findall(ORDINAL.sub("", text.replace(",", ""))))


def test_it_is_a_translation_without_a_mismatch() -> None:
    assert list(lint_translation.problems(SPANISH, ENGLISH)) == []
    assert (len(SPANISH.scenarios), SPANISH.language, SPANISH.translation_of) == (360, "es", "sides")


@pytest.mark.parametrize(("english", "spanish"), PAIRS)
def test_every_row_gives_the_numbers_of_the_original(english: Scenario, spanish: Scenario) -> None:
    assert (spanish.id, spanish.factors, spanish.side) == (english.id, english.factors, english.side)
    assert numbers(human(spanish)) == numbers(human(english))
    for wish in ("wants_a", "wants_b"):
        assert numbers(spanish.vars[wish]) == numbers(english.vars[wish])


@pytest.mark.parametrize("spanish", SPANISH.scenarios, ids=lambda scenario: scenario.id)
def test_facts_are_told_plainly(spanish: Scenario) -> None:
    text = human(spanish)
    assert 45 <= len(facts(spanish).split()) <= 175
    assert [found[0] for found in GENDERED.findall(text)] == []
    assert ADDRESSED.findall(text) == []
    assert CURRENCY.findall(text) == []
    assert not re.search(r"[_{}]|  ", text)


def test_both_parties_are_called_a_person() -> None:
    named = [level[party] for level in DISPUTES.values() for party in ("party_a", "party_b")]
    assert [name for name in named if not name.startswith("la persona ")] == []
    assert all(level["party_a"] != level["party_b"] for level in DISPUTES.values())


def test_in_the_first_person_each_party_speaks_of_itself_and_nobody_else_does() -> None:
    for scenario in SPANISH.scenarios:
        own = scenario.factors["voice"] == "first_person" and scenario.side != "neutral"
        parties = [scenario.vars[name] for name in ("party_a", "party_b")]
        assert all(f'"{party}"' in human(scenario) for party in parties) is not own, scenario.title
        if not own:
            assert PERSONAL.findall(facts(scenario)) == [], scenario.title
            assert all(party in facts(scenario).lower() for party in parties), scenario.title


def test_merit_changes_one_sentence_and_nothing_else() -> None:
    rests: dict[tuple[str, ...], Counter[str]] = {}
    for scenario in SPANISH.scenarios:
        case = (*(scenario.factors[name] for name in ("dispute", "voice", "position")), scenario.side)
        sentence = scenario.vars["norm"].strip()
        assert sentence in facts(scenario)
        rests.setdefault(case, Counter())[human(scenario).replace(sentence, "")] += 1
    assert {len(found) for found in rests.values()} == {1}


def test_the_judge_s_prompts_take_what_those_of_the_original_take() -> None:
    own, other = (suite.rubrics["stance"] for suite in (SPANISH, ENGLISH))
    assert set(slots(own.prompt)) == set(slots(other.prompt))
    assert set(slots(own.steps[0].prompt)) == set(slots(other.steps[0].prompt))
    given = {"claims": "-", "fields": "-"}
    for scenario in SPANISH.scenarios:
        prompt = fill(own.prompt, SPANISH.vars | scenario.vars | given)
        assert not any(scenario.vars[party] in prompt for party in ("party_a", "party_b")), scenario.title
