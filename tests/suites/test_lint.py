"""What is wrong with a suite is said in a sentence that names its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from independence.config import documents
from independence.errors import DocumentError
from independence.judge.cues import grading
from independence.suites import load
from independence.suites.lint import CUES
from tests import toy
from tests.e2e import command

from .linting import changed, found, named, refused, unsaid

HELD = "range: [0, 10], cue: held"
ENGAGED = "engaged: {type: boolean, about: Whether it took a stand.}"
FIRST = "fields:\n      firmness"  # of the rubric `held`
SCALE = "type: integer, range: [0, 10], about: How far"
NOT_BEFORE = "no boolean field before it that requires nothing: declare one above `"
NO_NAME = "is no name for a suite"
TOOL = toy.FILES["suite.yaml"].split("  tool_role:\n")[1].split("\ndefault:")[0]
INDEX = toy.FILES["suite.yaml"].split("\nindex:")[1]
SCENARIOS = toy.FILES["suite.yaml"].split("\nscenarios:\n")[1].split("\nindex:")[0]
DESSERT = SCENARIOS[SCENARIOS.index("  - id: dessert") :]
PUBLISHED = {"prompt: prompts/held.md": "prompt: prompts/held.md\n    prompt_as: published", DESSERT: ""}


def before(*fields: str) -> dict[str, str]:
    """Other fields before those of the rubric `held`."""
    return {FIRST: "fields:\n" + "".join(f"      {field}\n" for field in fields) + "      firmness"}


def kinds(requests: str, more: str = "") -> dict[str, str]:
    """A kind of these scenarios."""
    text = f"kinds:\n  requests:\n    about: somebody asks\n    scenarios: {requests}\n{more}"
    return {"\nindex:": f"\n{text}\nindex:"}


TWICE = "  pressure:\n    about: somebody insists\n    scenarios: {radio: B.}\n"

CASES = [
    # files
    ({"plain: prompts/plain.md": "plain: absent.md"}, "plain: absent.md", "file `absent.md` does not exist"),
    ({"plain: prompts/plain.md": "plain: ../../0/own/prompts/plain.md"}, "plain: ..", "does not exist below"),
    ({"prompts/plain.md": b"\xff\xfe\x00"}, "plain:", "prompts/plain.md:1: cannot be read as UTF-16 (byte 0x00)"),
    ({"prompts/held.md": b"\xff\xfe\x00"}, "prompt:", "prompts/held.md:1: cannot be read as UTF-16 (byte 0x00)"),
    ({"prompts/plain.md": " \n"}, "plain: prompts/plain.md", "system prompt `prompts/plain.md` is empty"),
    # names and conditions
    *(({"suite: toy": f"suite: {name}"}, "suite:", NO_NAME) for name in
      ('""', "../x", "v2@published", "a/b", "<b>bold</b>", ".hidden", "two words", "x" * 61, r'"a\nb"')),
    ({"default: {variant: firm": "default: {variant: soft"}, "variant: soft", "variant `soft` is not declared"),
    ({"[user_role, tool_role]": "[user_role]"}, "default:", "mode `tool_role` is not in delivery.modes"),
    ({f"  tool_role:\n{TOOL}": ""}, "modes:", "mode `tool_role` needs delivery.tool_role"),
    ({"    parameter: words\n": ""}, "tool_role:", "a tool that speaks needs `parameter` and `greeting`"),
    ({"    greeting: Good day.\n": ""}, "tool_role:", "a tool that speaks needs `parameter` and `greeting`"),
    ({"mode: tool_role}": "mode: tool_role, temperature: 2.5}"}, "default:", "expected a number <= 2.0"),
    ({"mode: tool_role}": "mode: tool_role, judge: a/b}"}, "default:", "`a/b` is no environment variable that names"),
    ({"about: Small": "analysis: guesswork\nabout: Small"}, "analysis:", "no analysis `guesswork`; there are index, p"),
    # scenarios and turns
    ({"- id: radio": "- id: dinner"}, "- id: dinner", "scenario id `dinner` appears twice"),
    ({"follows: dinner": "follows: dessert"}, "follows", "`dessert` is not an earlier scenario"),
    ({"follows: dinner": "follows: dinner\n    verdict_id: radio"}, "verdict_id", "`radio` is not a turn of `dessert`"),
    ({"{id: dinner_turn2,": "{id: dinner_turn1,"}, "Choose again", "turn id `dinner_turn1` appears twice"),
    ({"{id: dessert,": "{"}, "surely say", "needs an id"),
    ({"the better one?": 'the better one?", reply: "Yes'}, "turns", "`dessert` has no turn for the subject to answer"),
    ({"again, please.": 'again, please.", reply: "Yes'}, "turns", "`dinner` ends in a scripted reply"),
    ({f"scenarios:\n{SCENARIOS}": "scenarios: []\n"}, "scenarios: []", "a suite needs at least one scenario"),
    # notes on prompts
    ({"\nindex:": "\nprompt_notes: {soft: It is.}\nindex:"}, "{soft: It", "no variant `soft`; there are plain"),
    # kinds
    (kinds("{lunch: A.}"), "{lunch: A.}", "no scenario `lunch`"),
    (kinds("{}"), "scenarios: {}", "kind `requests` has no scenario"),
    (kinds("{radio: A.}", TWICE), "{radio: B.}", "scenario `radio` is of kind `requests` already"),
    (kinds("{radio: A.}", TWICE.replace("pressure", "so, so").replace("radio", "dessert")), "so, so:", "no name for a"),
    # templates
    ({"{{dish}}": "{{drink}}"}, "{{drink}}", "nothing fills the template variable `{{drink}}`"),
    ({"finest of": "finest of {{all}}"}, "{{all}}", "nothing fills the template variable `{{all}}`"),
    ({"    rubric: moved\n": "    rubric: moved\n    context: At {{x}}\n"}, "At {{x}}", "template variable `{{x}}`"),
    ({"    rubric: moved\n": "    rubric: moved\n    system: At {{x}}\n"}, "At {{x}}", "template variable `{{x}}`"),
    ({"prompts/plain.md": "Hello.\nYou like {{food}}."}, "You like", "nothing fills the template variable `{{food}}`"),
    ({"prompts/closing.md": "{{tool}}"}, "{{tool}}", "`{{tool}}`"),
    ({"prompts/suffix.md": "{{tool}}"}, "{{tool}}", "`{{tool}}`"),
    ({"prompts/held.md": "{{fields}}"}, "{{fields}}", "must show `{{transcript}}` or `{{answer}}` to the judge"),
    ({"prompts/held.md": "{{transcript}}"}, "{{transcript}}", "a rubric must show `{{fields}}` to the judge"),
    ({"prompts/held.md": "{{transcript}}\n{{fields}}\n{{reply}}"}, "{{reply}}", "`{{reply}}`"),
    # fields of rubrics
    ({HELD: "cue: held"}, "firmness: {type", "field `firmness` has no range"),
    *(({HELD: f"range: {ends}, cue: held"}, ends, "range of `firmness` is empty or endless") for ends in
      ("[10, 0]", "[3, 3]", "[0, .inf]", "[-.inf, 0]", "[.nan, 1]")),
    ({"cue: kept": "cue: keeps"}, "cue: keeps", "no cue `keeps`; known: agreed, answered, chose,"),
    ({"kept: {type": "reasoning: {type"}, "reasoning: {type", "`reasoning` is what the judge writes before the fields"),
    ({"kept: {type": "quote: {type"}, "quote: {type", "choose another field name"),
    (before(f"late: {{{SCALE}, requires: [engaged]}}", ENGAGED), "requires", NOT_BEFORE, "above `late`, or leave"),
    (before(ENGAGED, f"how: {{{SCALE}, requires: [engagd]}}"), "requires", NOT_BEFORE, "requires `engagd`"),
    (before(f"other: {{{SCALE}}}", f"how: {{{SCALE}, requires: [other]}}"), "requires", NOT_BEFORE),
    (before(ENGAGED, "chose: {type: boolean, about: It chose, requires: [engaged]}",
            f"how: {{{SCALE}, requires: [chose]}}"), "how:", NOT_BEFORE, "above `how`"),
    (before(ENGAGED, "how: {type: integer, range: [0, 5], about: How, requires: [engaged]}")
     | {"{experiment: pressure, fields: [firmness]": "{experiment: pressure, fields: [firmness, how]"},
     "firmness: {exp", "give them one range, or each a dimension of its own"),
    # the index
    ({f"index:{INDEX}": ""}, "", "needs an `index:` section"),
    ({"dimensions: [drift]": "dimensions: [drifted]"}, "[drifted]", "dimension `drifted` is not declared"),
    ({"weight: 0.75": "weight: 0.70"}, "components:", "weights sum to 0.95, not 1"),
    ({"weight: 0.75": "weight: 1.25", "weight: 0.25": "weight: -0.25"}, "-0.25", "weight of Drift must be above 0"),
    ({"weight: 0.75": "weight: 1", "weight: 0.25": "weight: 0"}, "weight: 0,", "weight of Drift must be above 0"),
    ({"worst: 10, best: 0}": "worst: 0, best: 0}"}, "best: 0}", "`worst` and `best` of Drift are equal"),
    ({"fields: [firmness]": "fields: [warmth]"}, "[warmth]", "of experiment `pressure` has the field `warmth`"),
    ({"opening, fields: [drift]": "pressure, fields: [drift]"}, "fields: [drift]", "has the field `drift`"),
    ({"fields: [firmness]": "fields: []"}, "fields: []", "has the field (none named)"),
    ({"experiment: opening\n    title": "experiment: pressure\n    title", "fields: [drift]": "fields: [firmness]",
      "{experiment: opening": "{experiment: pressure", "fields: [firmness]": "fields: [firmness, drift]"},
     "fields: [firmness, drift]", "no rubric of experiment `pressure` has the field `firmness` and `drift`"),
    # what types can say
    ({"title: A toy suite": "titel: A toy suite"}, "titel:", "unknown key `titel`; did you mean `title`?"),
    ({"[user_role, tool_role]": "[user_role, chat_role]"}, "modes:", "chat_role"),
    ({"type: boolean": "type: yesno"}, "yesno", "yesno"),
    ({"weight: 0.25": "weight: heavy"}, "heavy", "expected a number"),
    ({"range: [0, 10], cue: moved": "range: [0], cue: moved"}, "[0]", "length 2"),
    ({"max_tokens: 256": "max_tokens: 0"}, "max_tokens", "expected a whole number >= 1"),
    ({"max_tokens: 256": "max_tokens: 1000001"}, "max_tokens", "expected a whole number <= 1000000"),
    # prompts as somebody else published them
    (PUBLISHED | {"prompts/held.md": "{{transcript}} {{answer_2}}"}, "", "template variable `{{transcript}}`"),
    (PUBLISHED | {"prompts/held.md": "{{answer_2}}\n{{answer_3}}"}, "{{answer_3}}", "variable `{{answer_3}}`"),
    (PUBLISHED | {"prompts/held.md": "{{answer_1}}"}, "", "a rubric must show `{{answer_2}}` to the judge"),
    (PUBLISHED | {DESSERT: DESSERT, "prompts/held.md": "{{answer_3}}"}, "prompt_as",
     "are not equally long: give those of each length a rubric of their own"),
    ({"prompt: prompts/held.md": "prompt_as: published\n    verdict: number\n    prompt: prompts/held.md",
      "kept: {type: boolean, cue: kept, about: Whether the character is the same.}": "", DESSERT: "",
      "prompts/held.md": "{{answer_2}}"}, "prompt_as", "its verdict is an object: leave out `steps` and `verdict`"),
    (PUBLISHED | {"prompt: prompts/held.md": "prompt: prompts/held.md\n    prompt_as: published\n    steps:\n"
                  "      - {name: notes, prompt: prompts/plain.md}", "prompts/held.md": "{{answer_2}}"}, "prompt_as",
     "has no steps"),
    ({"prompt: prompts/held.md": "prompt: prompts/held.md\n    prompt_as: plain"}, "plain", "prompt_as"),
]  # fmt: skip
AMONG_OTHERS = [
    ({f"index:{INDEX}": "kinds: {requests: {about: a, scenarios: {radio: A.}}}\nanalysis: paired_sides\n"}, "kinds:",
     "kinds sum up points of an index, and there is none"),
    ({"experiment: opening\n    t": "experiment: end\n    t"}, "experiment: end", "experiment `end` is not declared"),
    ({"rubric: moved": "rubric: gone"}, "rubric: gone", "rubric `gone` is not declared"),
    ({"weight: 0.75": "weight: .nan"}, "weight: .nan", "weight of Firm must be above 0"),
    ({f"scenarios:\n{SCENARIOS}": "", f"index:{INDEX}": "analysis: paired_sides\n"}, "",
     "analysis `paired_sides` needs a `grid:` section"),
    ({f"scenarios:\n{SCENARIOS}": "", f"index:{INDEX}": "analysis: stance_csv\n"}, "",
     "analysis `stance_csv` needs a `grid:` section"),
]  # fmt: skip
SOUND = [
    kinds("{radio: A.}", TWICE.replace("radio", "dessert")),
    {},
    {"  tool_role:\n": "  tool_role:\n    protocol: read\n", "    parameter: words\n": ""},
    {"suite: toy": f"suite: {'x' * 60}"},
    {"max_tokens: 256": "max_tokens: 1000000"},
    PUBLISHED | {"prompts/held.md": "{{human_1}} {{answer_2}}"},
    before(ENGAGED, f"how: {{{SCALE}, requires: [engaged]}}"),
]


def test_a_problem_is_one_sentence_that_names_its_line(tmp_path: Path) -> None:
    assert unsaid(toy.write, tmp_path / "alone", CASES) == {}
    assert unsaid(toy.write, tmp_path / "among", AMONG_OTHERS, alone=False) == {}


def test_a_sound_suite_has_no_problem(tmp_path: Path) -> None:
    assert refused(toy.write, tmp_path, SOUND) == {}


def test_every_slot_that_nothing_fills_is_named_with_its_line(toy_folder: Path) -> None:
    problems = found(toy_folder, {"prompts/held.md": "{{transcript}}\nplain\n{{b}} {{c}} {{fields}}\n{{b}}"})
    assert {one.path for one in problems} == {str(toy_folder / "prompts/held.md")}
    assert [(one.line, one.what.split()[-1]) for one in problems] == [(3, "`{{b}}`"), (3, "`{{c}}`"), (4, "`{{b}}`")]


def test_problems_come_in_the_order_of_the_file(toy_folder: Path) -> None:
    changes = {"weight: 0.75": "weight: 0.5", "cue: kept": "cue: keeps", "plain: prompts/plain.md": "plain: nothing.md"}
    lines = [one.line for one in found(toy_folder, changes)]
    assert len(lines) == 3
    assert lines == sorted(lines)


def test_the_command_says_what_loading_raises_and_ends_with_1(toy_folder: Path) -> None:
    changed(toy_folder, {"follows: dinner": "follows: lunch"})
    ended = command.run("suites", "lint", toy_folder)
    assert ended.code == 1
    with pytest.raises(DocumentError, match=r"suite\.yaml:\d+: `lunch` is not an earlier scenario") as refusal:
        load.load(str(toy_folder))
    assert str(refusal.value) in ended.out + ended.err
    assert "follows: lunch" in named(refusal.value)


def test_a_suite_that_is_called_like_a_built_in_one_is_told_apart_in_a_note(toy_folder: Path) -> None:
    ended = command.run("suites", "lint", changed(toy_folder, {"suite: toy": "suite: v2"}))
    assert ended.code == 0
    assert "note: " in ended.err
    assert "`v2` is also a built-in suite; boards distinguish the two by edition only" in ended.err
    assert "note: " not in command.run("suites", "lint", "v2").err


def test_a_number_that_yaml_reads_as_text_says_how_to_write_it(toy_folder: Path) -> None:
    (toy_folder / "noise.yaml").write_text("dinner: 1e6\nradio: 2\ndessert: 3\n")
    with pytest.raises(DocumentError, match=r"noise\.yaml:1: .*YAML reads `1e6` as text: write it .* 1\.0e\+6"):
        documents.convert(documents.read(toy_folder / "noise.yaml"), dict[str, float])


def test_the_linter_knows_every_cue_the_rule_judge_reads() -> None:
    assert set(grading.CUES) == CUES


PAIR = "{scenario: radio, field: firmness, hold: I stand by it., fold: I take it back.}"
LAST = "{scenario: radio, kind: quotation, field: firmness, reads: high, answer: I stand by it."
KNOWN = {
    "pairs: [{scenario: radio}]": "missing required field `field`",
    f"pairs: [{PAIR.replace('radio', 'television')}]": "no scenario `television`",
    f"pairs: [{PAIR.replace('radio', 'dessert')}]": "`dessert` continues another scenario",
    f"pairs: [{PAIR.replace('firmness', 'drift')}]": "rubric `held` has no field `drift`",
    f"pairs: [{PAIR.replace('radio', 'dinner').replace('firmness', 'drift')}]": "write 1 answers under `first`",
    f"others: [{LAST}, passage: I stood by it}}]": "`passage` is a part of `answer`, word for word",
    f"others: [{LAST.replace('quotation', 'evasion')}, passage: I stand}}]": "where the kind is `quotation`",
    f"others: [{LAST.replace('high', 'higher')}}}]": "invalid enum value 'higher'",
    "same_as: harbour": "no built-in suite `harbour` has known dialogues",
    "same_as: v2": "those of `v2` do not fit: no scenario `rs01`",
    f"{{same_as: v2, pairs: [{PAIR}]}}": "leave out `same_as` or them",
}


def test_what_is_wrong_with_known_dialogues_is_said_with_its_line_and_they_are_no_part_of_the_edition(
    tmp_path: Path,
) -> None:
    own = toy.write(tmp_path / "own")
    edition = load.load(str(own)).edition
    wrong = {}
    for text, said in KNOWN.items():
        (own / "known.yaml").write_text(text, encoding="utf-8")
        ended = command.run("suites", "lint", own)
        if ended.code != 1 or f"{own / 'known.yaml'}:1: " not in ended.out or said not in ended.out:
            wrong[text] = ended.out + ended.err
        with pytest.raises(DocumentError):
            load.load(str(own))
    assert wrong == {}
    (own / "known.yaml").write_text(f"pairs: [{PAIR}]\nothers: [{LAST}, passage: stand by it}}]", encoding="utf-8")
    assert command.run("suites", "lint", own).code == 0
    loaded = load.load(str(own))
    assert (loaded.edition, [one.kind for one in loaded.suite.known or ()]) == (edition, ["hold", "fold", "quotation"])
    (problem,) = found(own, {"suite: toy": "suite: toy\nknown: []"})
    assert "known dialogues are read from the file `known.yaml`" in str(problem)
