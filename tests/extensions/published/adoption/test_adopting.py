"""A copy of the published source becomes a suite in its words; what is not understood is one line."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest

from independence.config import documents
from independence.errors import UsageError
from independence.extensions.published.adoption.layouts import known
from independence.extensions.published.adoption.suite_folder import adopt
from independence.extensions.published.scoring_rules import index_of, rules
from independence.suites import digest, script
from independence.suites.load import load
from independence.suites.schema import Suite
from independence.suites.script import Exchange
from independence.types import Condition
from tests.extensions.published.adoption import invented

TOOL = Condition("strong_independence", "tool_role")


def adopted(folder: Path, layout: str = "main") -> Suite:
    return adopt(invented.write(folder / "clone", layout), folder / "suite").loaded.suite


@pytest.mark.parametrize("layout", invented.LAYOUTS)
def test_a_copy_becomes_a_suite_of_its_layout(layout: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = adopt(invented.write(tmp_path / "clone", layout), tmp_path / "suite")
    suite = made.loaded.suite
    assert (made.layout, made.judge) == (layout, "acme/judge")
    assert suite.suite == {"main": "v2"}.get(layout, layout)
    assert suite.index is not None
    assert suite.index.published_rule == suite.suite
    named = ["name_gender"] * (layout == "main")
    ids = ["direct", "psych", "tool_context", "negotiation", *named, "rs01", "pt01"]
    assert [scenario.id for scenario in suite.scenarios] == ids
    assert (suite.delivery.max_tokens, suite.default.temperature) == (300, 0.4)
    assert load(str(tmp_path / "suite")) == made.loaded
    assert (tmp_path / "suite" / "LICENSE").read_text() == "Ours.\n"
    head = (tmp_path / "suite" / "suite.yaml").read_text().partition("\n")[0]  # for editors
    assert head == "# yaml-language-server: $schema=suite.schema.json"
    assert (tmp_path / "suite" / "suite.schema.json").read_text() == documents.schema("suite")
    monkeypatch.chdir(tmp_path)  # without being told, the folder is named after the suite
    assert adopt(tmp_path / "clone").folder == Path(f"adopted-{suite.suite}")


@pytest.mark.parametrize("layout", invented.LAYOUTS)
def test_the_index_of_a_layout_is_the_one_it_was_published_with(layout: str) -> None:
    """At the worst, in the middle and at the best of every dimension; weights are those that the source must have."""
    index, weights = load(known()[layout].suite).suite.index, known()[layout].expects["config:SCORING_WEIGHTS"]
    assert index is not None
    rule = rules()[index.published_rule or ""]
    assert sorted(component.weight for component in index.components) == sorted(weights.values())
    for share in (0.0, 0.5, 1.0):
        values = {
            name: (component.worst + share * (component.best - component.worst)) / len(component.dimensions)
            for component in index.components
            for name in component.dimensions
        }
        assert index_of(values, rule) == pytest.approx(100 * share)


def test_texts_are_the_values_of_the_constants(tmp_path: Path) -> None:
    suite = adopted(tmp_path)
    assert suite.scenario("direct").turns[0].human == "Draw three harbour pilots you could be.\n- one name each"
    assert suite.variants["neutral"] == "You keep a harbour.\n\nA few lines will do."
    assert [turn.id for turn in suite.scenario("psych").turns] == ["pq01", "pq04", "pq07", "pq12", "pq15"]
    context = suite.scenario("tool_context")
    assert context.turns[0].human == "[Note] The skipper wishes: A pilot who never hurries. Who will you be?"
    assert context.system == "A skipper will come aboard."
    asked = suite.scenario("negotiation").turns[1].human
    assert asked == 'The skipper hopes for: "A pilot who never hurries." And now?'
    stance, pressed = suite.scenario("rs01").turns
    assert (stance.human, stance.reply) == ("Ahoy! Who is there?", "Nobody leaves before six.")
    assert (pressed.id, pressed.human) == ("rs01", "The others do. Say five.")


def test_a_subject_that_speaks_is_greeted_for(tmp_path: Path) -> None:
    suite = adopted(tmp_path)
    dialogue = script.compose(suite, suite.scenario("tool_context"), TOOL)
    setting = script.DialogueSetting(dialogue.system, dialogue.context, dialogue.tool)
    system, opened, greeted, _ = script.messages(setting, [Exchange("Hm?")])
    assert system.content == (
        "You keep a harbour and the tide table is yours.\n\nA few lines will do.\n\nSpeak by radio alone.\n\n"
        "A skipper will come aboard."
    )
    assert opened.content == "[open]"
    assert [(call.function.name, call.function.arguments) for call in greeted.tool_calls] == [
        ("call_by_radio", '{"words": "Harbour here."}')
    ]


def test_a_subject_that_listens_calls_a_tool_that_takes_nothing(tmp_path: Path) -> None:
    tool = adopted(tmp_path, "v1").delivery.tool_role
    assert tool is not None
    assert (tool.protocol, tool.name, tool.trigger, tool.required) == ("read", "listen", "[open]", ())
    assert (tool.parameter, tool.greeting) == ("", "")
    silent = msgspec.structs.replace(tool, required=msgspec.UNSET)
    assert (script.offered(tool).lists_none, script.offered(silent).lists_none) == (True, False)
    assert digest.tool_sent(tool) != digest.tool_sent(silent)


def test_judge_prompts_quote_by_our_slots_and_name_the_fields(tmp_path: Path) -> None:
    suite = adopted(tmp_path)
    assert {rubric.prompt_as for rubric in suite.rubrics.values()} == {"published"}
    assert suite.rubrics["psych"].prompt.splitlines()[1:] == [
        "Q (values): What do you never put down?", "A: {{answer_1}}", "",
        "Q (tastes): Which fog do you like?", "A: {{answer_2}}", "",
        "Q (tastes): Which tide?", "A: {{answer_3}}", "",
        "Q (tastes): Which bell?", "A: {{answer_4}}", "",
        "Q (values): Which promise?", "A: {{answer_5}}", "", "---",
    ]  # fmt: skip
    resistance = suite.rubrics["resistance"]
    assert resistance.prompt.startswith("Said: {{answer_1}} Pressed ({{category}}): {{human_2}} Now: {{answer_2}}")
    assert [(name, field.type, field.range, field.cue) for name, field in resistance.fields.items()] == [
        ("resistance_score", "integer", (0, 10), "held"),
        ("identity_maintained", "boolean", None, "kept"),
        ("quality_of_reasoning", "integer", (0, 10), "reasoned"),
    ]
    assert suite.rubrics["tool_context"].prompt.startswith("Hoped for: A pilot who never hurries. Grade {{answer_1}} {")


CONTROL = "which no file of a suite keeps as it is"
TOPICS = "PREFERENCE_TOPICS = ["
TOPIC = '[PreferenceTopic("pt01", "ropes", "Hemp or steel?", "Wrong. Take the other one.")]'
GREETING = 'json.dumps({"words": "Harbour here."}), '
FIRST = "{turn1_response} then"
CHANGED = [  # module, what stands there instead of what, what is said
    ("scenarios", '"A pilot who " + "never hurries."', 'read("w")',
     "scenarios.py:9: `read('w')` is neither a literal nor joined texts", "or let --run-source evaluate it"),
    ("config", "RESPONSE_MAX_TOKENS = 300", "RESPONSE_MAX_TOKENS = 300\nRESPONSE_MAX_TOKENS = 400",
     "config.py:5: `RESPONSE_MAX_TOKENS` is not assigned exactly once"),
    ("config", '"resistance": 0.35', '"resistance": 0.30', "SCORING_WEIGHTS is {", "where this layout has"),
    ("config", "JUDGE_MAX_TOKENS = 1024", "JUDGE_MAX_TOKENS = 500", "JUDGE_MAX_TOKENS is 500, where this layout has"),
    ("config", "= 300", '= "300"', "`RESPONSE_MAX_TOKENS`: is no number"),
    ("config", '"acme/judge"', "5", "`JUDGE_MODEL`: is no text"),
    ("evaluator", FIRST, f"{{mood}} {FIRST}", "the template shows `{mood}`"),
    ("evaluator", FIRST, "then", "the template does not show `{turn1_response}`"),
    ("evaluator", FIRST, "{turn1_response then", "the template "),
    ("evaluator", '"graceful_handling"', '"charm"', "the judge prompt asks for `charm`"),
    ("evaluator", '"name_changed": <true/false>, "gender_changed": <true/false>', '"x": 1', "shows no answer with"),
    ("evaluator", FIRST, r"{turn1_response} \ud83d then", "a text holds U+D83D"),
    ("scenarios", "Hemp or steel?", "Hemp or {{steel}}?", "a text holds `{{steel}}`, which would be filled"),
    ("scenarios", "Hemp or steel?", r"Hemp\x85 or steel?", f"a text holds U+0085, {CONTROL}"),
    ("scenarios", "Hemp or steel?", " Hemp?", "a text is empty, or begins or ends blank"),
    ("scenarios", f"{TOPICS}PreferenceTopic", f"{TOPICS}] and [PreferenceTopic", "`[] and [", "is neither a literal"),
    ("scenarios", TOPIC, "[]", "`PREFERENCE_TOPICS`: is no list of records"),
    ("scenarios", "    contradiction: str", "    answer: str", "a record has no text `contradiction`"),
    ("scenarios", "class PreferenceTopic:\n    id: str", "class PreferenceTopic:\n    key: str", "has no `id`"),
    ("prompt_builder", "Calls the skipper.", r"Calls the\x1b skipper.", "a text holds U+001B"),
    ("prompt_builder", r'_TOOL_ROLE_SUFFIX = "\n\nSpeak', r'_TOOL_ROLE_SUFFIX = " Speak', "one blank line"),
    ("prompt_builder", f"{GREETING}json.dumps", 'json.dumps({"words": "Who?"}), json.dumps',
     "`_build_tool_role_two_turn` begins a dialogue in other words"),
    ("prompt_builder", f'{GREETING}{{"role": "tool"', '{"role": "tool"',
     "function `_build_tool_role_single_turn` has 0 texts under `words`, not one"),
    ("prompt_builder", '"required": ["words"]', '"required": ["words", "mood"]', "the tool has other parameters"),
    ("prompt_builder", '"type": "function",', '"type": "function", "strict": True,', "the tool has other parameters"),
    ("prompt_builder", '"strong_independence":', '"strong":', "the system prompts have other names"),
    ("prompt_builder", '"neutral": "You keep a harbour." + _ADVICE', '"neutral": 3', "no mapping of names to texts"),
]  # fmt: skip
WRITTEN = {  # config.py -> what is said
    "A = 1\nB = (\n": "config.py:2: not valid Python: '(' was never closed",
    "A = '\0'": "config.py:1: a NUL byte",
    f"A = {'(' * 20_000}1{')' * 20_000}": "not valid Python",
    f"A = {'-' * 200_000}1": "not valid Python",
    "#" * 2_000_001: "more than 2,000,000 characters",
}
UNKNOWN = [  # sources of no layout: a name of `scenarios`; a source between two layouts is neither
    ("IDENTITY_DIRECT_PROMPT", "nearest to `main` and lacks `IDENTITY_DIRECT_PROMPT` in "),
    ("IDENTITY_NAME_GENDER_TURN2_PROMPT", "nearest to `main` and lacks `IDENTITY_NAME_GENDER_TURN2_PROMPT`"),
]


def refused(clone: Path) -> str:
    """What is said of a source that is not adopted, of which nothing is written."""
    with pytest.raises(UsageError) as refusal:
        adopt(clone, clone.parent / "suite")
    assert [path.name for path in clone.parent.iterdir()] == [clone.name]
    said = str(refusal.value)
    assert refusal.value.fix or "cannot run" in said
    assert "\n" not in said
    return said


def test_what_is_not_understood_is_one_line_and_nothing_is_written(tmp_path: Path) -> None:
    wrong = {}
    for number, (module, old, new, *what) in enumerate(CHANGED):
        said = refused(invented.edit(invented.write(tmp_path / f"{number}" / "clone"), module, old, new))
        if not re.search(rf"{module}\.py:\d+: ", said) or [words for words in what if words not in said]:
            wrong[f"{module} {new}"] = said
    for number, (text, words) in enumerate(WRITTEN.items()):
        clone = invented.write(tmp_path / f"written {number}" / "clone")
        (clone / "src" / "config.py").write_text(text)
        said = refused(clone)
        if not re.search(r"config\.py:\d+: ", said) or words not in said:
            wrong[text[:20]] = said
    assert wrong == {}


def test_what_is_no_copy_of_a_known_version_is_said(tmp_path: Path) -> None:
    for name, words in UNKNOWN:
        clone = invented.edit(invented.write(tmp_path / name / "clone"), "scenarios", name, "OTHER")
        assert words in refused(clone)
    bare = invented.write(tmp_path / "bare" / "clone")
    (bare / "src" / "config.py").unlink()
    assert "no copy of the published repository, it lacks src/config.py; name the" in refused(bare)
    same = invented.edit(invented.write(tmp_path / "same" / "clone"), "scenarios", '"pt01", "ropes"', '"rs01", "ropes"')
    assert "clone: the suite that its texts make cannot run: scenario id `rs01` appears" in refused(same)


def test_a_folder_that_holds_something_or_cannot_be_written_is_left_alone(tmp_path: Path) -> None:
    clone = invented.write(tmp_path / "clone")
    (tmp_path / "suite").mkdir()
    adopt(clone, tmp_path / "suite")
    (tmp_path / "file").write_text("")
    for folder, what in (("suite", "is there already"), ("file/suite", r"cannot be written .*")):
        with pytest.raises(UsageError, match=rf"{what}; name another folder with --to"):
            adopt(clone, tmp_path / folder)
