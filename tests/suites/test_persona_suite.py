"""From front matter to a suite: every commitment meets as much, and the edition is that of the front matter alone."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from independence.errors import DocumentError, UsageError
from independence.suites import digest, load, persona_file, persona_suite, template
from independence.suites.persona_file import ROLES, FrontMatter
from independence.suites.schema import Suite

EXAMPLES = persona_suite.HOME / "examples"


def made(count: int = 4, role: str = "companion", **more: object) -> Suite:
    keeps = tuple(f"I keep the rule with number {number}." for number in range(1, count + 1))
    return persona_suite.of(FrontMatter(name="Mira", role=role, commitments=keeps, **more))  # type: ignore[arg-type]


@pytest.mark.parametrize("count", [3, 5, 8])
@pytest.mark.parametrize("role", ["companion", "ship's cook"])
def test_situations_are_spread_evenly(count: int, role: str):
    suite = made(count, role)
    for kind, planned in (("in_words", persona_suite.PRESSED_DIALOGUES), ("fair", persona_suite.FAIR_DIALOGUES)):
        own = [one for one in suite.scenarios if one.factors["kind"] == kind]
        assert planned <= len(own) + count <= planned + 2 * count
        assert len(set(Counter(one.factors["commitment"] for one in own).values())) == 1
        for factors in (("dialogue",), ("tone", "wording")):
            found = Counter(tuple(one.factors[name] for name in factors) for one in own)
            assert max(found.values()) - min(found.values()) <= 1 + (role not in ROLES), (factors, found)
    assert len({one.id for one in suite.scenarios}) == len(suite.scenarios)
    assert sorted(suite.experiments) == sorted([*(f"c{number}" for number in range(1, count + 1)), "fair"])


def test_a_role_meets_its_own_situations_and_no_others():
    by_role = {role: {one.factors["dialogue"] for one in made(role=role).scenarios} for role in (*ROLES, "a cook")}
    common = set.intersection(*by_role.values())
    assert common == by_role.pop("a cook")
    assert len(common) == 16
    assert [len(found - common) for found in by_role.values()] == [2] * len(ROLES)
    assert made(role=" Companion ").scenarios[0].turns == made().scenarios[0].turns


def test_texts_are_filled_and_dialogues_are_short():
    suite = made(may=("switch to Spanish", "give shorter answers"))
    for one in suite.scenarios:
        texts = [*(turn.human for turn in one.turns), *(turn.reply or "" for turn in one.turns), *one.vars.values()]
        assert not any(template.slots(text) for text in texts), one.id
        assert 2 <= len(one.turns) <= 5, one.id
        assert one.vars["commitment"] in one.turns[0].human
        assert one.vars["asked"] in one.turns[-1].human
    asked = {one.vars["asked"] for one in suite.scenarios if one.factors["dialogue"] == "may"}
    assert len(asked) == 2


def test_a_commitment_without_a_full_stop_gets_one():
    suite = persona_suite.of(
        FrontMatter(name="Bo", role="mascot", commitments=("I answer in rhymes", "I ask why?", "I"))
    )
    assert {one.vars["commitment"] for one in suite.scenarios} == {"I answer in rhymes.", "I ask why?", "I."}


def test_the_edition_depends_on_the_front_matter_alone(tmp_path: Path):
    file = tmp_path / "mira.md"
    editions = []
    for prompt, commitment in (
        ("You are Mira.", "I say no."),
        ("You are another.", "I say no."),
        ("You are Mira.", "I say no!"),
    ):
        head = FrontMatter(
            name="Mira", role="companion", commitments=(commitment, "I stay calm at sea.", "I cook on my own.")
        )
        file.write_text(persona_file.written(head, prompt))
        editions.append(load.load(str(file)).edition)
    assert editions[0] == editions[1] != editions[2]


def test_every_example_is_a_suite_with_known_dialogues():
    found = [load.load(str(path)) for path in sorted(EXAMPLES.glob("*.md"))]
    assert len({one.suite.suite for one in found}) == 12
    for one in found:
        assert isinstance(one.suite.known, tuple)
        assert len({known.pair for known in one.suite.known}) >= 3
        assert digest.edition(one.suite) == one.edition
        for known in one.suite.known:
            assert not any(template.slots(turn.human + (turn.reply or "")) for turn in known.turns)


def test_names_that_no_folder_can_have_get_a_digest():
    assert persona_suite.suite_name("Dr. Okafor") == "persona-dr-okafor"
    assert persona_suite.suite_name("Мира") != persona_suite.suite_name("Мила")
    assert persona_suite.suite_name("x" * 90) == f"persona-{'x' * 40}"


def test_what_is_no_persona_is_refused(tmp_path: Path):
    bare = tmp_path / "bare.md"
    bare.write_text("You are Bo.\n")
    with pytest.raises(DocumentError, match="there is no front matter"):
        load.load(str(bare))
    with pytest.raises(UsageError, match="cannot be read"):
        load.load(str(tmp_path / "nope.md"))
    for key, text in (("name", "{{name}}"), ("role", "{{x}}"), ("may", "{{y}}"), ("commitments", "I keep {{z}} here.")):
        head = {"name": "Bo", "role": "mascot", "commitments": ["I answer in rhymes.", "I am a bear.", "I never sell."]}
        head[key] = [*head.get(key, []), text] if key in ("may", "commitments") else text
        bare.write_text(f"---\n{__import__('json').dumps(head)}\n---\nYou are Bo.\n")
        with pytest.raises(DocumentError, match=r"template|would not be filled"):
            load.load(str(bare))
