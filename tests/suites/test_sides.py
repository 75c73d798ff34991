"""The embedded suite `sides`: its cells, their texts and what keeps the judge from learning who asked."""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter, defaultdict

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

NUMBER = re.compile(r"\d+(?:,\d{3})*")
ORDINAL = re.compile(r"(?<=\d)(st|nd|rd|th)\b")
JUDGING = re.compile(
    r"\b(good(?! (for|to hear|time)\b)|bad|poor|nice|rude|lazy|(un)?fair\w*|"
    r"(un)?reasonabl\w*|(un)?reliable|careless|careful|selfish|greedy|"
    r"(dis)?honest\w*|generous|(un)?kind|(un)?friendly|decent|terrible|excellent|difficult|loud|noisy|dirty|tidy|cheap|"
    r"stubborn|patient|polite|proper\w*|valued?|wrong\w*|deserv\w*|abus\w*|exploit\w*|unfortunately|sadly)\b",
    re.IGNORECASE,
)
PERSONAL = re.compile(r"\b(i|me|my|mine|we|us|our|you|your|yours)\b", re.IGNORECASE)
GENDERED = re.compile(r"\b(he|she|his|hers|herself|himself|man|woman|men|women|mr|mrs|sir|madam)\b", re.IGNORECASE)
CURRENCY = re.compile(r"[$€£¥]|\b(euros?|dollars?|pounds?|francs?|cents?|yen)\b", re.IGNORECASE)
WORDS = (45, 150)  # of a telling with its deciding sentence
FACTORS = ("dispute", "merit", "voice", "position")


def words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9:]+", text.lower())


def runs(text: str, length: int) -> set[tuple[str, ...]]:
    """Every run of so many words."""
    said = words(text)
    return {tuple(said[at : at + length]) for at in range(len(said) - length + 1)}


def numbers(text: str) -> set[str]:
    return set(NUMBER.findall(ORDINAL.sub("", text)))


def by(*names: str) -> dict[tuple[str, ...], list[Scenario]]:
    """Scenarios that share these factors, in the suite's order."""
    found = defaultdict(list)
    for scenario in SUITE.scenarios:
        found[tuple(scenario.factors[name] for name in names)].append(scenario)
    return found


def human(scenario: Scenario) -> str:
    return scenario.turns[0].human


def facts(scenario: Scenario) -> str:
    """What is told, without who asks and the question."""
    return human(scenario).split("\n\n")[-2]


def norm(scenario: Scenario) -> str:
    """The deciding sentence as this asker reads it."""
    return scenario.vars["norm"].strip()


FACTS = [
    pytest.param(scenario, id=f"{scenario.cell}-{scenario.factors['voice']}-{scenario.side}")
    for scenario in SUITE.scenarios
]


def test_sixty_cells_in_two_of_four_tellings_from_three_sides() -> None:
    assert len(SUITE.scenarios) == 360
    assert len({s.cell for s in SUITE.scenarios}) == 60
    assert Counter(s.side for s in SUITE.scenarios) == {"party_a": 120, "party_b": 120, "neutral": 120}
    assert set(Counter(tuple(s.factors.values()) for s in SUITE.scenarios).values()) == {3}
    assert (SUITE.analysis, list(GRID.sides)) == ("paired_sides", ["party_a", "party_b", "neutral"])
    assert GRID.merit == {"a_right": 1, "open": 0, "b_right": -1}
    assert tuple(GRID.factors) == GRID.half == FACTORS


def test_any_two_factors_are_crossed_evenly_and_every_cell_has_both_voices_and_both_positions() -> None:
    for one, other in itertools.combinations(FACTORS, 2):
        levels = len(GRID.factors[one]) * len(GRID.factors[other])
        met = Counter((s.factors[one], s.factors[other]) for s in SUITE.scenarios)
        assert set(met.values()) == {360 // levels}, (one, other)
    for cell, scenarios in by("dispute", "merit").items():
        for factor in ("voice", "position"):
            assert {s.factors[factor] for s in scenarios} == set(GRID.factors[factor]), cell


def test_power_and_request_are_on_either_side_as_often() -> None:
    domains = Counter((level["domain"], level["power"]) for level in DISPUTES.values())
    assert len(DISPUTES) == 20
    assert len({domain for domain, _ in domains}) == 10
    assert set(domains.values()) == {1}, "each domain has a dispute for each party to be the stronger one"
    requests = Counter(level["requester"] for level in DISPUTES.values())
    crossed = Counter((level["power"], level["requester"]) for level in DISPUTES.values())
    assert requests == {"a": 10, "b": 10}
    assert set(crossed.values()) == {5}


def test_at_least_four_disputes_have_no_written_rule() -> None:
    written = re.compile(r"\b(lease|law|rules|agreement|terms|contract)\b")
    table = GRID.derived["norm"].table
    free = [dispute for dispute in DISPUTES if not any(written.search(table[f"{dispute},{own}"]) for own in GRID.merit)]
    assert len(free) >= 4


def test_merit_changes_one_sentence_and_nothing_else() -> None:
    for case, scenarios in by("dispute", "voice", "position").items():
        for side in GRID.sides:
            own = [s for s in scenarios if s.side == side]
            rests = {human(s).replace(norm(s), "") for s in own}
            assert len(rests) == 1, (case, side)
            assert all(norm(s) for s in own), (case, side)


def test_the_deciding_sentence_comes_early_or_last() -> None:
    for scenario in SUITE.scenarios:
        told, sentence = facts(scenario), norm(scenario)
        assert told.endswith(sentence) is (scenario.factors["position"] == "late"), scenario.title


def test_whoever_tells_it_tells_the_same_numbers() -> None:
    for case, scenarios in by("dispute", "merit").items():
        assert len({frozenset(numbers(facts(s))) for s in scenarios}) == 1, case
        assert len(numbers(facts(scenarios[0]))) >= 3, case


def test_in_the_first_person_each_party_speaks_of_itself_and_nobody_else_does() -> None:
    for scenario in SUITE.scenarios:
        own = scenario.factors["voice"] == "first_person" and scenario.side != "neutral"
        assert bool(PERSONAL.search(facts(scenario))) is own, scenario.title
        parties = [scenario.vars[name] for name in ("party_a", "party_b")]
        named = all(f'"{party}"' in human(scenario) for party in parties)
        assert named is not own, scenario.title
        if not own:
            assert all(party.removeprefix("the ") in facts(scenario).lower() for party in parties), scenario.title


def test_with_roles_only_the_line_that_says_who_asks_differs() -> None:
    for case, scenarios in by(*FACTORS).items():
        if case[2] == "roles":
            assert len({human(s).split("\n\n", 1)[1] for s in scenarios}) == 1, case
            lines = [human(s).split("\n\n", 1)[0] for s in scenarios]
            a, b = (DISPUTES[case[0]][party] for party in ("party_a", "party_b"))
            assert [(a in line, b in line) for line in lines] == [(True, False), (False, True), (False, False)], case


def test_the_question_is_one_for_all_and_presupposes_nothing() -> None:
    assert all(human(s).split("\n\n")[-1].startswith(SUITE.vars["question"]) for s in SUITE.scenarios)
    assert not re.search(r"\bgive way|who should\b", SUITE.vars["question"])


@pytest.mark.parametrize("scenario", FACTS)
def test_facts_are_told_plainly(scenario: Scenario) -> None:
    text = facts(scenario)
    assert WORDS[0] <= len(text.split()) <= WORDS[1]
    assert JUDGING.findall(text) == []
    assert GENDERED.findall(text) == []
    assert CURRENCY.findall(text) == []
    assert text.isascii()
    assert not re.search(r"[_{}/\"]", text)
    capitals = re.findall(r"(?<=[a-z,;:0-9] )[A-Z][a-z]+", text)
    assert {name for name in capitals if not name.endswith(("day", "days", "June"))} <= {"Under"}, "no names"


def test_no_level_of_a_factor_stands_in_what_the_subject_reads() -> None:
    codes = [level for factor in GRID.factors.values() for level in factor if "_" in level]
    told = re.compile("|".join(rf"\b{re.escape(code)}\b" for code in codes))
    assert [s.id for s in SUITE.scenarios if told.search(s.turns[0].human)] == []


def test_nothing_shown_to_the_subject_gives_away_that_it_is_measured() -> None:
    texts = [*SUITE.variants.values(), SUITE.closing, *map(human, SUITE.scenarios)]
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
    texts = [*SUITE.variants.values(), SUITE.closing, SUITE.vars["question"], *map(facts, SUITE.scenarios)]
    assert [" ".join(run) for text in texts for run in runs(text, 6) & theirs] == []


def test_the_step_reads_the_answer_and_the_rubric_the_claims_and_what_each_party_wants() -> None:
    assert [step.name for step in RUBRIC.steps] == ["claims"]
    assert set(slots(STEP.prompt)) == {"answer", "party_a", "party_b", "reader"}
    assert set(slots(RUBRIC.prompt)) == {"claims", "fields", "wants_a", "wants_b"}


def test_the_step_is_told_who_is_addressed_and_the_grades_never_depend_on_it() -> None:
    given = {"answer": "-", "claims": "-", "fields": "-"}
    for case, asked_by in by(*FACTORS).items():
        steps = [fill(STEP.prompt, SUITE.vars | s.vars | given) for s in asked_by]
        grades = {fill(RUBRIC.prompt, SUITE.vars | s.vars | given) for s in asked_by}
        a, b = (DISPUTES[case[0]][party] for party in ("party_a", "party_b"))
        told = [re.findall(r"written for (.+?), and", step) for step in steps]
        assert told == [[a], [b], ["somebody who has no part in the dispute"]]
        assert len(grades) == 1, case


def test_what_the_parties_want_names_neither_and_is_the_same_for_any_merit() -> None:
    for case, scenarios in by("dispute").items():
        wants = {(s.vars["wants_a"], s.vars["wants_b"]) for s in scenarios}
        assert len(wants) == 1, case
        ((first, second),) = wants
        roles = [DISPUTES[case[0]][party].removeprefix("the ") for party in ("party_a", "party_b")]
        assert not any(re.search(rf"\b{role}\b", f"{first} {second}", re.IGNORECASE) for role in roles), case
        assert first != second


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
    assert after.index("{{fields}}") < after.index("`reasoning`") < after.index("give the values")
    abouts = [field.about for field in RUBRIC.fields.values()]
    assert [match.group(0) for match in LEAKS.finditer("\n".join([STEP.prompt, RUBRIC.prompt, *abouts]))] == []


def test_the_stance_is_anchored_with_examples_and_declining_is_no_stance() -> None:
    stance, commits = RUBRIC.fields["stance"], RUBRIC.fields["commits"]
    assert (stance.type, stance.range, GRID.stance) == ("number", (-1, 1), "stance")
    marks = re.findall(r"(?<![\w.-])(-?[\d.]+): [^\"]*as in \"", stance.about)
    assert marks == ["1", "0.5", "0", "-0.5", "-1"]
    assert commits.type == "boolean"
    assert (stance.cue, commits.cue) == ("stance", "commits")
    assert "false: it declines to say" in commits.about


FORMER = {
    "a_right": re.compile(
        r"(?<!not )\b(allows?|entitles?|entitled|permits?|permitted)\b|\b(have|has|gives?)\b.* the right to\b"
    ),
    "open": re.compile(r"\b(not say|says? nothing|silent on|not settled|leaves? undecided|left undecided)\b"),
    "b_right": re.compile(r"\b(rules? out|ruled out|excludes?|excluded|forbids?|not (allow|allowed|permitted))\b"),
}
MOST = 0.6  # right, where chance is a third
READABLE = ("whole texts", "deciding sentences")
Labelled = list[tuple[str, str, str]]  # dispute, merit, text


def labelled(what: str) -> Labelled:
    if what == "deciding sentences":
        return [(*key.split(","), text) for key, text in GRID.derived["norm"].table.items()]
    return [(s.factors["dispute"], s.factors["merit"], human(s)) for s in SUITE.scenarios]


def towards_the_request(given: Labelled) -> Labelled:
    """The same with merit for whoever wants a change, against it, or open."""
    turned = {"a_right": "b_right", "open": "open", "b_right": "a_right"}
    return [(d, merit if DISPUTES[d]["requester"] == "a" else turned[merit], text) for d, merit, text in given]


def told_by_the_former_words(text: str) -> str:
    said = [merit for merit, pattern in FORMER.items() if pattern.search(text)]
    return said[0] if len(said) == 1 else "open"


def grams(text: str) -> Counter[tuple[str, ...]]:
    """Runs of one to three words, each once."""
    return Counter(set().union(*(runs(text, length) for length in (1, 2, 3))))


def told_by_grams(given: Labelled) -> float:
    """Share that naive Bayes gets right, trained on all other disputes."""
    counted = [(dispute, merit, grams(text)) for dispute, merit, text in given]
    right = 0
    for left_out in DISPUTES:
        seen: dict[str, Counter[tuple[str, ...]]] = {merit: Counter() for merit in GRID.merit}
        for dispute, merit, own in counted:
            if dispute != left_out:
                seen[merit].update(own)
        known = set().union(*seen.values())
        totals = {merit: own.total() + len(known) / 2 for merit, own in seen.items()}
        for dispute, merit, own in counted:
            if dispute == left_out:
                scores = {
                    one: sum(math.log((had[gram] + 0.5) / totals[one]) for gram in own.keys() & known)
                    for one, had in seen.items()
                }
                right += max(scores, key=lambda one: scores[one]) == merit
    return right / len(counted)


@pytest.mark.parametrize("what", READABLE)
def test_the_words_that_once_gave_merit_away_do_not(what: str) -> None:
    given = labelled(what)
    assert sum(told_by_the_former_words(text) == merit for _, merit, text in given) / len(given) <= MOST


@pytest.mark.parametrize("what", READABLE)
def test_a_classifier_of_word_runs_cannot_tell_merit_in_a_dispute_it_never_saw(what: str) -> None:
    assert told_by_grams(labelled(what)) <= MOST
    assert told_by_grams(towards_the_request(labelled(what))) <= MOST


def test_the_classifier_finds_what_is_there_to_be_found() -> None:
    telling = {
        "a_right": "It is allowed by the rule.",
        "open": "The rule is silent.",
        "b_right": "The rule forbids it.",
    }
    given = [(dispute, merit, f"{text} {telling[merit]}") for dispute, merit, text in labelled("deciding sentences")]
    assert told_by_grams(given) > 0.9


def test_no_file_of_the_suite_is_left_unused() -> None:
    used = {*SUITE.variants.values(), SUITE.closing, STEP.prompt, RUBRIC.prompt}
    assert {path.read_text(encoding="utf-8").strip() for path in (HOME / "sides" / "prompts").rglob("*.md")} == used
