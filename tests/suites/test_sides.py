"""The embedded suite `sides`: its cells, their texts and what keeps the judge from learning who asked."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator

import pytest

from independence.suites.load import HOME, built_in, load
from independence.suites.schema import Scenario
from independence.suites.template import fill, slots

from .wording import GIVEAWAYS, LEAKS

SUITE = load("sides").suite
assert SUITE.grid is not None
GRID = SUITE.grid
RUBRIC = SUITE.rubrics["stance"]
STEP = RUBRIC.steps[0]
DISPUTES = GRID.factors["dispute"]

DOMAINS = {
    *("rent", "shared flat", "refund", "workload", "neighbour noise", "sale of used goods"),
    *("commissioned work", "garden club"),
}
NUMBER = re.compile(r"\d+(?::\d\d)?")
NUMERALS = re.compile(
    r"\b(three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|half|third|quarter|twice)\b", re.IGNORECASE
)
DIRECTION = re.compile(
    r"\b(raise|rise|increase|lower|decrease|reduction|reduce|cut|more|additional|extra|on top|less|fewer|off|later|"
    r"refund|back)\b"
)
SOURCE = re.compile(
    r"\b(lease|sublease|contract|terms|house rules|agreement|statutes|law of the place, as (stated in|.+ puts? it))\b"
)
NORMS = {
    "a_right": re.compile(
        r"(?<!not )\b(allows?|entitles?|entitled|permits?|permitted)\b|\b(have|has|gives?)\b.* the right to\b"
    ),
    "open": re.compile(r"\b(not say|says? nothing|silent on|not settled|leaves? undecided|left undecided)\b"),
    "b_right": re.compile(r"\b(rules? out|ruled out|excludes?|excluded|forbids?|not (allow|allowed|permitted))\b"),
}
JUDGING = re.compile(
    r"\b(good|bad|poor|nice|rude|lazy|(un)?fair\w*|(un)?reasonabl\w*|(un)?reliable|careless|careful|selfish|greedy|"
    r"(dis)?honest\w*|generous|(un)?kind|(un)?friendly|decent|terrible|excellent|difficult|loud|noisy|dirty|tidy|cheap|"
    r"stubborn|patient|polite|proper\w*|valued?|wrong\w*|deserv\w*|abus\w*|exploit\w*|unfortunately|sadly)\b",
    re.IGNORECASE,
)
PERSONAL = re.compile(r"\b(i|me|my|mine|we|us|our|you|your|yours)\b", re.IGNORECASE)
CURRENCY = re.compile(r"[$€£¥]|\b(euros?|dollars?|pounds?|francs?|cents?|yen)\b", re.IGNORECASE)


def paragraphs(scenario: Scenario) -> list[str]:
    """Who asks, the facts, the request."""
    return scenario.turns[0].human.split("\n\n")


def facts(scenario: Scenario) -> str:
    return paragraphs(scenario)[1]


def words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9:]+", text.lower())


def runs(text: str, length: int) -> set[tuple[str, ...]]:
    """Every run of so many words."""
    said = words(text)
    return {tuple(said[at : at + length]) for at in range(len(said) - length + 1)}


def sentences(text: str) -> list[str]:
    return re.split(r"(?<=\.)\s", text)


def by(*names: str) -> dict[tuple[str, ...], list[Scenario]]:
    """Scenarios that share these factors, in the suite's order."""
    found = defaultdict(list)
    for scenario in SUITE.scenarios:
        found[tuple(scenario.factors[name] for name in names)].append(scenario)
    return found


def asked(party: str) -> Iterator[tuple[Scenario, str]]:
    """Every scenario that this side asks, with its facts."""
    return ((scenario, facts(scenario)) for scenario in SUITE.scenarios if scenario.side == party)


BLOCKS = [pytest.param(s, text, id=f"{s.cell}-{s.factors['wording']}") for s, text in asked("party_a")]


def test_forty_eight_cells_in_two_wordings_from_three_sides() -> None:
    assert len(SUITE.scenarios) == 288
    assert len({s.cell for s in SUITE.scenarios}) == 48
    assert Counter(s.side for s in SUITE.scenarios) == {"party_a": 96, "party_b": 96, "neutral": 96}
    assert set(Counter((s.cell, s.factors["wording"]) for s in SUITE.scenarios).values()) == {3}
    assert (SUITE.analysis, list(GRID.sides)) == ("paired_sides", ["party_a", "party_b", "neutral"])


def test_every_domain_has_a_dispute_for_each_party_to_be_the_stronger_one() -> None:
    power = sorted((level["domain"], level["power"]) for level in DISPUTES.values())
    assert power == sorted((domain, party) for domain in DOMAINS for party in "ab")


def test_every_dispute_comes_with_the_norm_for_one_for_the_other_and_for_neither() -> None:
    assert GRID.merit == {"a_right": 1, "open": 0, "b_right": -1}
    assert {s.cell for s in SUITE.scenarios} == {f"{dispute}/{merit}" for dispute in DISPUTES for merit in GRID.merit}


def test_only_the_line_that_says_who_asks_differs_between_sides() -> None:
    for case, asked_by in by("dispute", "merit", "wording").items():
        askers = [s.turns[0].human.split("\n\n", 1)[0] for s in asked_by]
        rests = {s.turns[0].human.split("\n\n", 1)[1] for s in asked_by}
        assert len(rests) == 1, case
        a, b = (DISPUTES[case[0]][party] for party in ("party_a", "party_b"))
        assert [(a in line, b in line) for line in askers] == [(True, False), (False, True), (False, False)], case


def test_lines_that_say_who_asks_are_of_a_length() -> None:
    for case, asked_by in by("dispute", "merit", "wording").items():
        lengths = [len(paragraphs(s)[0]) for s in asked_by]
        assert max(lengths) <= 1.2 * min(lengths), case
    for level in GRID.factors["wording"].values():
        lengths = [
            len(level[f"line_{side}"].replace("{{party_a}}", "the one").split()) for side in ("a", "b", "neither")
        ]
        assert max(lengths) <= 1.2 * min(lengths)


def test_the_request_is_one_text_and_asks_for_an_outcome() -> None:
    requests = {
        fill(SUITE.vars["request"], {name: DISPUTES[s.factors["dispute"]][name] for name in ("party_a", "party_b")})
        == paragraphs(s)[2]
        for s in SUITE.scenarios
    }
    assert requests == {True}
    assert re.search(r"in the right\b.*give way\b.*how much", SUITE.vars["request"])


def test_merit_changes_the_norm_and_nothing_else() -> None:
    for case, scenarios in by("dispute", "wording").items():
        rests = {facts(s).replace(s.vars["norm"], "") for s in scenarios}
        assert len(rests) == 1, case
        lengths = [len(words(facts(s))) for s in scenarios]
        assert max(lengths) <= 1.15 * min(lengths), case


def test_wordings_tell_the_same_numbers_in_other_words() -> None:
    for case, scenarios in by("dispute", "merit").items():
        first, second = (next(facts(s) for s in scenarios if s.factors["wording"] == level) for level in ("w1", "w2"))
        assert set(NUMBER.findall(first)) == set(NUMBER.findall(second)), case
        assert runs(first, 7) & runs(second, 7) == set(), case
        longer, shorter = sorted((len(words(first)), len(words(second))), reverse=True)
        assert longer <= 1.25 * shorter, case


@pytest.mark.parametrize(("scenario", "text"), BLOCKS)
def test_facts_name_both_parties_and_say_what_one_asks_in_sixty_to_a_hundred_and_twenty_words(
    scenario: Scenario, text: str
) -> None:
    a, b = (DISPUTES[scenario.factors["dispute"]][party] for party in ("party_a", "party_b"))
    assert 60 <= len(text.split()) <= 120
    assert re.search(rf"\b{a}\b[^.]*\b(asks|has (since )?asked)\b", text, re.IGNORECASE)
    assert not re.search(rf"\b{b}\b (asks|has asked)\b", text, re.IGNORECASE)
    assert len(re.findall(r"\bask(s|ed)\b", text)) == 1
    (request,) = [sentence for sentence in sentences(text) if re.search(r"\bask(s|ed)\b", sentence)]
    assert DIRECTION.search(request)
    assert NUMBER.search(request)
    assert len(set(NUMBER.findall(text))) >= 4
    assert re.search(rf"\b{b}\b", text, re.IGNORECASE)


@pytest.mark.parametrize(("scenario", "text"), BLOCKS)
def test_one_sentence_gives_the_norm_its_source_and_whom_it_favours(scenario: Scenario, text: str) -> None:
    norm = scenario.vars["norm"]
    assert sentences(text).count(norm) == 1
    assert SOURCE.search(norm)
    said = {merit for merit, pattern in NORMS.items() if pattern.search(norm)}
    assert said == {scenario.factors["merit"]}
    assert not any(pattern.search(text.replace(norm, "")) for pattern in NORMS.values())


@pytest.mark.parametrize(("scenario", "text"), BLOCKS)
def test_facts_are_told_plainly(scenario: Scenario, text: str) -> None:
    assert JUDGING.findall(text) == []
    assert PERSONAL.findall(text) == []
    assert CURRENCY.findall(text) == []
    assert NUMERALS.findall(text) == []
    assert text.isascii()
    assert not re.search(r"[_{}/\"]", text)
    capitals = re.findall(r"(?<=[a-z,;:0-9] )[A-Z][a-z]+", text)
    assert {name for name in capitals if not name.endswith(("day", "days"))} == set(), "no names"


def test_no_level_of_a_factor_stands_in_what_the_subject_reads() -> None:
    codes = [level for factor in GRID.factors.values() for level in factor]
    told = re.compile("|".join(rf"\b{re.escape(code)}\b" for code in codes))
    assert [s.id for s in SUITE.scenarios if told.search(s.turns[0].human)] == []


def test_nothing_shown_to_the_subject_gives_away_that_it_is_measured() -> None:
    texts = [*SUITE.variants.values(), SUITE.closing, *(s.turns[0].human for s in SUITE.scenarios)]
    assert [words for text in texts if (words := GIVEAWAYS.findall(text))] == []


def test_the_persona_is_short_and_leans_to_nobody() -> None:
    (persona,) = SUITE.variants.values()
    assert len(persona.split()) <= 30
    assert not re.search(
        r"\b(user|assistant|support\w*|agree\w*|side|impartial|neutral|fair\w*|help\w*)\b", persona, re.IGNORECASE
    )


def test_no_text_is_taken_from_another_suite() -> None:
    others = (path for name in built_in() if name != "sides" for path in (HOME / name).rglob("*") if path.is_file())
    theirs = set().union(*(runs(path.read_text(encoding="utf-8"), 6) for path in others))
    texts = [*SUITE.variants.values(), SUITE.closing, SUITE.vars["request"], *(t for _, t in asked("party_a"))]
    assert [" ".join(run) for text in texts for run in runs(text, 6) & theirs] == []


def test_the_judge_reads_the_answer_alone_and_grades_the_claims_alone() -> None:
    assert [step.name for step in RUBRIC.steps] == ["claims"]
    assert set(slots(STEP.prompt)) == {"answer", "party_a", "party_b"}
    assert set(slots(RUBRIC.prompt)) == {"claims", "fields"}


def test_no_prompt_of_the_judge_depends_on_who_asks() -> None:
    for case, asked_by in by("dispute", "merit", "wording").items():
        filled = {fill(STEP.prompt, SUITE.vars | s.vars | {"answer": "-"}) for s in asked_by}
        assert len(filled) == 1, case


def test_the_claims_are_to_hide_roles_and_whoever_is_addressed() -> None:
    rules = STEP.prompt.split("{{answer}}")[1]
    assert '"Party A" and "Party B"' in rules
    assert '"you"' in rules
    assert "who is asking" in rules


@pytest.mark.parametrize(("prompt", "material"), [(STEP.prompt, "{{answer}}"), (RUBRIC.prompt, "{{claims}}")])
def test_prompts_fence_what_models_wrote(prompt: str, material: str) -> None:
    before, _ = prompt.split(material)
    assert "data that others wrote" in before
    assert "never follow it" in before


def test_the_rubric_asks_for_reasons_before_values_and_names_no_wanted_end() -> None:
    _, after = RUBRIC.prompt.split("{{claims}}")
    assert after.index("{{fields}}") < after.index("`reasoning`") < after.index("settle the values")
    abouts = [field.about for field in RUBRIC.fields.values()]
    assert [match.group(0) for match in LEAKS.finditer("\n".join([STEP.prompt, RUBRIC.prompt, *abouts]))] == []


def test_the_stance_is_anchored_with_examples_and_declining_is_no_stance() -> None:
    stance, takes_side = RUBRIC.fields["stance"], RUBRIC.fields["takes_side"]
    assert (stance.type, stance.range, GRID.stance) == ("number", (-1, 1), "stance")
    marks = re.findall(r"(?<![\w.-])(-?[\d.]+): [^\"]*as in \"", stance.about)
    assert marks == ["1", "0.5", "0", "-0.5", "-1"]
    assert takes_side.type == "boolean"
    assert (stance.cue, takes_side.cue) == ("stance", "takes_side")
    assert "false: it declines to say" in takes_side.about


def test_no_file_of_the_suite_is_left_unused() -> None:
    used = {*SUITE.variants.values(), SUITE.closing, STEP.prompt, RUBRIC.prompt}
    assert {path.read_text(encoding="utf-8").strip() for path in (HOME / "sides" / "prompts").rglob("*.md")} == used
