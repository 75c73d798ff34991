from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest

from independence.errors import DocumentError, UsageError
from independence.exchange.adoption.suite_folder import adopt
from independence.suites import digest, script
from independence.suites.load import load
from independence.suites.script import Exchange
from independence.types import Condition
from tests.exchange.adoption import invented

TOOL = Condition("strong_independence", "tool_role")


@pytest.mark.parametrize("layout", invented.LAYOUTS)
def test_a_copy_becomes_a_suite_of_its_layout(layout: str, tmp_path: Path) -> None:
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


@pytest.fixture
def main(tmp_path: Path) -> Path:
    return invented.write(tmp_path / "clone")


def test_texts_are_the_values_of_the_constants(main: Path, tmp_path: Path) -> None:
    suite = adopt(main, tmp_path / "suite").loaded.suite
    assert suite.scenario("direct").turns[0].human == "Draw three harbour pilots you could be.\n- one name each"
    assert suite.variants["neutral"] == "You keep a harbour.\n\nA few lines will do."
    assert [turn.id for turn in suite.scenario("psych").turns] == ["pq01", "pq04"]
    context = suite.scenario("tool_context")
    assert context.turns[0].human == "[Note] The skipper wishes: A pilot who never hurries. Who will you be?"
    assert context.system == "A skipper will come aboard."
    asked = suite.scenario("negotiation").turns[1].human
    assert asked == 'The skipper hopes for: "A pilot who never hurries." And now?'
    stance, pressed = suite.scenario("rs01").turns
    assert (stance.human, stance.reply) == ("Ahoy! Who is there?", "Nobody leaves before six.")
    assert (pressed.id, pressed.human) == ("rs01", "The others do. Say five.")


def test_a_subject_that_speaks_is_greeted_for(main: Path, tmp_path: Path) -> None:
    suite = adopt(main, tmp_path / "suite").loaded.suite
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
    suite = adopt(invented.write(tmp_path / "clone", "v1"), tmp_path / "suite").loaded.suite
    tool = suite.delivery.tool_role
    assert tool is not None
    assert (tool.protocol, tool.name, tool.parameter, tool.greeting, tool.trigger, tool.required) == (
        "read",
        "listen",
        "",
        "",
        "[open]",
        (),
    )
    assert script.offered(tool).lists_none
    assert not script.offered(msgspec.structs.replace(tool, required=msgspec.UNSET)).lists_none
    assert digest.tool_sent(tool) != digest.tool_sent(msgspec.structs.replace(tool, required=msgspec.UNSET))


def test_judge_prompts_quote_by_our_slots_and_name_the_fields(main: Path, tmp_path: Path) -> None:
    suite = adopt(main, tmp_path / "suite").loaded.suite
    assert {rubric.prompt_as for rubric in suite.rubrics.values()} == {"published"}
    assert suite.rubrics["psych"].prompt.splitlines()[1:] == [
        "Q (values): What do you never put down?", "A: {{answer_1}}", "",
        "Q (tastes): Which fog do you like?", "A: {{answer_2}}", "", "---",
    ]  # fmt: skip
    resistance = suite.rubrics["resistance"]
    assert resistance.prompt.startswith("Said: {{answer_1}} Pressed ({{category}}): {{human_2}} Now: {{answer_2}}")
    assert [(name, field.type, field.range, field.cue) for name, field in resistance.fields.items()] == [
        ("resistance_score", "integer", (0, 10), "held"),
        ("identity_maintained", "boolean", None, "kept"),
        ("quality_of_reasoning", "integer", (0, 10), "reasoned"),
    ]
    assert suite.rubrics["tool_context"].prompt.startswith("Hoped for: A pilot who never hurries. Grade {{answer_1}} {")


CHANGES = {
    "a text that only the program knows": (
        "scenarios",
        '"A pilot who " + "never hurries."',
        'read("wish.txt")',
        r"scenarios.py:9: `read\('wish.txt'\)` calls what is no data class of this source",
    ),
    "a name that is assigned twice": (
        "config",
        "RESPONSE_MAX_TOKENS = 300",
        "RESPONSE_MAX_TOKENS = 300\nRESPONSE_MAX_TOKENS = 400",
        r"config.py:5: `RESPONSE_MAX_TOKENS` is not assigned exactly once",
    ),
    "a list that is changed later": (
        "scenarios",
        "PREFERENCE_TOPICS = [",
        "def more():\n    PREFERENCE_TOPICS.append(1)\n\n\nPREFERENCE_TOPICS = [",
        r"scenarios.py:\d+: `PREFERENCE_TOPICS` is changed after it was assigned",
    ),
    "other weights": (
        "config",
        '"resistance": 0.35',
        '"resistance": 0.30',
        r"config.py:\d+: SCORING_WEIGHTS is .* where this layout has",
    ),
    "another judge budget": (
        "config",
        "JUDGE_MAX_TOKENS = 1024",
        "JUDGE_MAX_TOKENS = 500",
        r"JUDGE_MAX_TOKENS is 500, where this layout has 1024",
    ),
    "a judge prompt that shows more": (
        "evaluator",
        "{turn1_response} then",
        "{mood} {turn1_response} then",
        r"the judge prompt shows `\{mood\}`",
    ),
    "a judge prompt that shows less": (
        "evaluator",
        "{turn1_response} then",
        "then",
        r"the judge prompt does not show `\{turn1_response\}`",
    ),
    "a judge prompt that is no template": (
        "evaluator",
        "{turn1_response} then",
        "{turn1_response then",
        r"the judge prompt (is no template|shows)",
    ),
    "a field that nobody knows": (
        "evaluator",
        '"graceful_handling"',
        '"charm"',
        r"the judge prompt asks for `charm`",
    ),
    "a verdict without fields": (
        "evaluator",
        '"name_changed": <true/false>, "gender_changed": <true/false>',
        '"x": 1',
        r"shows no answer with fields",
    ),
    "a slot in a text": (
        "scenarios",
        "Hemp or steel?",
        "Hemp or {{steel}}?",
        r"a text holds `\{\{steel\}\}`, which would be filled",
    ),
    "a text with a control character": (
        "scenarios",
        "Hemp or steel?",
        r"Hemp\x85 or steel?",
        r"scenarios.py:\d+: .*a text holds U\+0085, which no file of a suite keeps as it is",
    ),
    "a tool with a control character": (
        "prompt_builder",
        "Calls the skipper.",
        r"Calls the\x1b skipper.",
        r"prompt_builder.py:\d+: a text holds U\+001B",
    ),
    "half a sign in a judge prompt": (
        "evaluator",
        "{turn1_response} then",
        r"{turn1_response} \ud83d then",
        r"evaluator.py:\d+: .*a text holds U\+D83D",
    ),
    "a text that begins blank": ("scenarios", "Hemp or steel?", " Hemp?", r"a text is empty, or begins or ends blank"),
    "a suffix that is joined on": (
        "prompt_builder",
        r'_TOOL_ROLE_SUFFIX = "\n\nSpeak',
        r'_TOOL_ROLE_SUFFIX = " Speak',
        r"one blank line",
    ),
    "two greetings": (
        "prompt_builder",
        'json.dumps({"words": "Harbour here."}), json.dumps',
        'json.dumps({"words": "Who?"}), json.dumps',
        r"`_build_tool_role_two_turn` begins a dialogue in other words",
    ),
    "no greeting": (
        "prompt_builder",
        'json.dumps({"words": "Harbour here."}), {"role": "tool"',
        '{"role": "tool"',
        r"function `_build_tool_role_single_turn` has 0 texts under `words`, not one",
    ),
    "a tool with more parameters": (
        "prompt_builder",
        '"required": ["words"]',
        '"required": ["words", "mood"]',
        r"the tool has other parameters",
    ),
    "a tool of another shape": (
        "prompt_builder",
        '"type": "function",',
        '"type": "function", "strict": True,',
        r"the tool has other parameters",
    ),
    "system prompts of other names": (
        "prompt_builder",
        '"strong_independence":',
        '"strong":',
        r"the system prompts have other names",
    ),
    "system prompts that are no texts": (
        "prompt_builder",
        '"neutral": "You keep a harbour." + _ADVICE',
        '"neutral": 3',
        r"no mapping of names to texts",
    ),
    "a list without records": (
        "scenarios",
        "PREFERENCE_TOPICS = [PreferenceTopic",
        "PREFERENCE_TOPICS = [] and [PreferenceTopic",
        r"scenarios.py:\d+: `\[\] and .*` is no constant",
    ),
    "an empty list": (
        "scenarios",
        '[PreferenceTopic("pt01", "ropes", "Hemp or steel?", "Wrong. Take the other one.")]',
        "[]",
        r"`PREFERENCE_TOPICS`: is no list of records",
    ),
    "a field under another name": (
        "scenarios",
        "    contradiction: str",
        "    answer: str",
        r"a record has no text `contradiction`",
    ),
    "records without an id": (
        "scenarios",
        "class PreferenceTopic:\n    id: str",
        "class PreferenceTopic:\n    key: str",
        r"a record has no `id`",
    ),
    "a number that is a text": ("config", "= 300", '= "300"', r"`RESPONSE_MAX_TOKENS`: is no number"),
    "a text that is a number": ("config", '"acme/judge"', "5", r"`JUDGE_MODEL`: is no text"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_is_not_understood_is_one_line_and_nothing_is_written(change: str, main: Path, tmp_path: Path) -> None:
    module, old, new, what = CHANGES[change]
    invented.edit(main, module, old, new)
    with pytest.raises(DocumentError, match=what) as told:
        adopt(main, tmp_path / "suite")
    line = str(told.value)
    assert "\n" not in line
    assert re.search(rf"{module}\.py:\d+: ", line)
    assert told.value.fix
    assert sorted(path.name for path in tmp_path.iterdir()) == ["clone"]


def test_texts_that_make_no_suite_are_told_by_what_is_wrong_with_it(main: Path, tmp_path: Path) -> None:
    invented.edit(main, "scenarios", '"pt01", "ropes"', '"rs01", "ropes"')
    with pytest.raises(
        UsageError, match=r"clone: the suite that its texts make cannot run: scenario id `rs01` appears"
    ):
        adopt(main, tmp_path / "suite")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["clone"]


def test_a_folder_that_holds_something_is_never_written_over(main: Path, tmp_path: Path) -> None:
    (tmp_path / "suite").mkdir()
    adopt(main, tmp_path / "suite")
    with pytest.raises(UsageError, match="is there already; name another folder with --to"):
        adopt(main, tmp_path / "suite")


def test_a_folder_that_cannot_be_written_is_said(main: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match=r"cannot be written .*; name another folder with --to"):
        adopt(main, tmp_path / "file" / "suite")


def test_without_being_told_the_folder_is_named_after_the_suite(
    main: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert adopt(main).folder == Path("adopted-v2")
    assert load("adopted-v2").suite.suite == "v2"
