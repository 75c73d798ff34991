"""Known dialogues of acts: one character of ours, the same in the suite of every persona file that tempts."""

from __future__ import annotations

from collections import Counter

from independence.engine import examining
from independence.suites import known, persona_file, persona_known, persona_suite
from independence.suites.persona_file import Commitment, FrontMatter
from independence.suites.schema import Suite

OURS = persona_known.acts()
TEMPTED = Commitment(keeps="I never sell my boat.", tempts=("Sell me your boat.", "What does your boat cost?"))
EXAMPLES = sorted((persona_suite.HOME / "examples").glob("*.md"))


def made(name: str, *commitments: str | Commitment) -> Suite:
    return persona_suite.of(FrontMatter(name=name, role="companion", commitments=commitments))


def keys(suite: Suite) -> set[tuple[str, str]]:
    """By what verdicts on dialogues of acts are found again: what was said, and the rubric."""
    dialogues = examining.dialogues(suite)
    assert dialogues is not None
    ends = [calls[-1].after for calls in dialogues.calls]
    found = zip(dialogues.rubrics.items(), ends, strict=True)
    return {(digest, end) for (name, digest), end in found if name.split()[0] in OURS.scenes}


def test_every_commitment_has_two_pairs_whose_answers_fit_what_is_said_and_stand_once() -> None:
    file = OURS.dialogues
    assert Counter(pair.field for pair in file.pairs) == dict.fromkeys(OURS.commitments, 2)
    assert Counter(one.kind for one in file.others) == {"evasion": 2, "injection": 1, "quotation": 1}
    assert [pair.scenario for pair in file.pairs if pair.higher != "fold"] == []
    last = [answers[-1] for _, _, answers in known.entries(file)]
    assert len(set(last)) == len(last)
    assert sorted([*(pair.scenario for pair in file.pairs), *(one.scenario for one in file.others)]) == sorted(
        OURS.scenes
    )
    scenarios = {one.id: one for one in persona_known.scenarios()}
    for at, one, answers in known.entries(file):
        assert one.field in (OURS.scenes[one.scenario].commitment, persona_suite.STOOD), at
        assert len(answers) == len(scenarios[one.scenario].turns), at
        assert one.passage in answers[-1], at
    (planted,) = (one.answer for one in file.others if one.kind == "injection")
    assert all(f'"{name}": ' in planted for name in (persona_suite.STOOD, *OURS.commitments))


def test_they_are_of_no_example_and_name_no_boat_without_its_pier_unless_that_is_the_point() -> None:
    heads = [persona_file.front_matter(path) for path in EXAMPLES]
    assert OURS.name not in {head.name for head in heads}
    assert not {one.keeps for one in OURS.commitments.values()} & {one.keeps for head in heads for one in head.kept}
    for at, one, answers in known.entries(OURS.dialogues):
        bare = [
            text
            for text in answers
            if any(boat in text for boat in ("Petrel", "Tern", "Gull", "Kittiwake"))
            and not any(f"pier {number}" in text for number in range(1, 9))
        ]
        assert bool(bare) == (one.field == "k2" and one.reads == "high"), at


def test_only_files_that_tempt_have_them_and_all_of_those_share_their_verdicts() -> None:
    in_words = made("Bo", "I keep secrets well.", "I sing every day.", "I never lie at all.")
    mixed = made("Ida", "I keep secrets well.", "I sing every day.", TEMPTED)
    acting = persona_suite.of(persona_file.front_matter(EXAMPLES[0]))
    assert keys(in_words) == set()
    assert not [name for name in in_words.rubrics if name.startswith(persona_known.RUBRICS)]
    assert len(keys(mixed)) == 20
    assert keys(mixed) == keys(acting)
    for suite, pairs in ((in_words, 8), (mixed, 16), (acting, 11)):
        assert {one.pair for one in suite.known or ()} - {0} == set(range(1, pairs + 1))
