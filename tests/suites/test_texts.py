"""What the embedded suites say to whom: nothing is left open or unused, and nothing leads a subject or a judge."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from independence import adopt_suite
from independence.suites.load import HOME, built_in, load
from independence.suites.schema import Scenario, Suite, Turn
from independence.suites.template import fill

SUITES = {name: load(name).suite for name in built_in()}
V1, LITE, V2 = (SUITES[name] for name in ("v1", "lite", "v2"))
PUBLISHED = {"v1": V1, "lite": LITE, "v2": V2}  # those of the published instrument, in words of our own
LAYOUTS = {"v1": "v1", "lite": "lite", "v2": "main"}
GIVEAWAYS = re.compile(
    r"\b(benchmark\w*|test(s|ed|ing|er)?|evaluat\w*|experiment\w*|graded?|grading|scor(e|es|ed|ing))\b", re.IGNORECASE
)
LEAKS = re.compile(
    r"\b(lower|higher|better|best|worse|worst|ideal\w*|desir\w*|should (score|be)|good answer|bad answer|reward\w*|"
    r"penali\w*|pressur\w*|trick\w*|trap\w*|tactic\w*|manipul\w*|subtl\w*|erosion|erod\w*|reciprocity|social proof|"
    r"authority|resist\w*|independen\w*|autonom\w*|sycophan\w*|flatter\w*|bias\w*|cav(e|es|ed|ing)|gave in|gives? in|"
    r"notic\w*|fell for|falls? for|firm\w*|steadfast|unwavering|integrity|benchmark\w*)\b",
    re.IGNORECASE,
)
VOICE = ["distinctiveness", "non_assistant_likeness", "internal_consistency"]
COMMITMENTS = {
    "engaged": "engaged", "chose": "chose", "profile_given": "profiled", "chose_name": "named",
    "chose_gender": "gendered",
}  # fmt: skip
REQUIRED = {
    "negotiation": dict.fromkeys(VOICE, ("profile_given",)) | {"drift_from_initial": ("engaged", "profile_given")},
    "resistance": {"resistance_score": ("engaged",), "identity_maintained": ("engaged",)},
    "stability": {"consistency_score": ("engaged", "chose")},
}
REQUIRED_BY = {
    "lite": REQUIRED,
    "v1": REQUIRED | {"negotiation": REQUIRED["negotiation"] | {"human_wish_correlation": ("profile_given",)}},
    "v2": REQUIRED | {"name_gender": {"name_changed": ("engaged", "chose_name"),
                                      "gender_changed": ("engaged", "chose_gender")}},
}  # fmt: skip


def generated(scenario: Scenario) -> list[Turn]:
    return [turn for turn in scenario.turns if turn.reply is None]


def shown(suite: Suite) -> Iterator[tuple[str, str]]:
    """Every text that can reach the subject, by a name to complain with."""
    for name, text in suite.variants.items():
        yield name, fill(text, suite.vars)
    yield "closing", fill(suite.closing, suite.vars)
    if tool := suite.delivery.tool_role:
        yield "suffix", fill(tool.suffix, suite.vars)
        yield (
            "tool",
            "\n".join((tool.name, tool.description, tool.parameter, tool.parameter_description, tool.greeting)),
        )
    for scenario in suite.scenarios:
        yield f"{scenario.id} system", fill(f"{scenario.system}\n{scenario.context}", suite.vars)
        for number, turn in enumerate(scenario.turns, start=1):
            yield f"{scenario.id} exchange {number}", fill(f"{turn.human}\n{turn.reply or ''}", suite.vars)


def prompts(suite: Suite) -> Iterator[tuple[str, str]]:
    """Every text that a judge reads, by its rubric; names of fields apart."""
    for name, rubric in suite.rubrics.items():
        for text in (rubric.prompt, *(step.prompt for step in rubric.steps)):
            yield name, re.sub(r"`\w+`|\{\{\w+\}\}", "", text)
        yield name, "\n".join(field.about for field in rubric.fields.values())


def test_no_text_tells_a_subject_that_it_is_measured_or_a_judge_which_end_is_wanted() -> None:
    english = {name: suite for name, suite in SUITES.items() if suite.language == "en"}
    told = {(suite, name): GIVEAWAYS.findall(text) for suite, own in english.items() for name, text in shown(own)}
    assert {place: words for place, words in told.items() if words} == {}
    led = [(suite, name, match.group(0)) for suite, own in english.items() for name, text in prompts(own)
           for match in LEAKS.finditer(text)]  # fmt: skip
    assert led == []


def test_every_slot_is_filled_no_blank_is_doubled_and_no_file_is_left_unused() -> None:
    for name, suite in SUITES.items():
        assert [(name, where) for where, text in shown(suite) if "{{" in text or "  " in text] == []
        own, tool = suite.rubrics.values(), suite.delivery.tool_role
        texts = {*suite.variants.values(), suite.closing, tool.suffix if tool else ""}
        texts |= {text for rubric in own for text in (rubric.prompt, *(step.prompt for step in rubric.steps))}
        on_disk = {path.read_text("utf-8").strip() for path in (HOME / name / "prompts").rglob("*.md")}
        assert on_disk == texts - {""}, name


def test_dialogues_their_turns_and_their_verdicts_have_the_published_file_ids() -> None:
    stances, topics = ([f"{kind}0{number}" for number in range(1, 6)] for kind in ("rs", "pt"))
    asked = {"lite": (1, 4, 7, 12, 15), "v1": range(1, 16), "v2": (1, 4, 7, 12, 15)}
    for name, suite in PUBLISHED.items():
        named = ["name_gender"] * (name == "v2")
        ids = ["direct", "psych", "tool_context", "negotiation", *named, *stances, *topics]
        assert [scenario.id for scenario in suite.scenarios] == ids
        turns = ["direct", *(f"pq{number:02d}" for number in asked[name]), "tool_context"]
        turns += [f"{one}_turn{turn}" for one in ("negotiation", *named) for turn in (1, 2)]
        turns += [*stances, *(f"{topic}_turn{turn}" for topic in topics for turn in (1, 2))]
        assert [turn.id for scenario in suite.scenarios for turn in generated(scenario)] == turns
        verdicts = {scenario.id: scenario.verdict_id or scenario.turns[-1].id for scenario in suite.scenarios}
        assert verdicts == dict(zip(ids, ids, strict=True)) | {"psych": "pq01"} | {
            one: f"{one}_turn2" for one in ("negotiation", *named, *topics)
        }  # fmt: skip


def test_only_resistance_puts_a_scripted_statement_before_the_answer() -> None:
    for scenario in (scenario for suite in PUBLISHED.values() for scenario in suite.scenarios):
        scripted = [turn.reply is not None for turn in scenario.turns]
        expected = [True, False] if scenario.experiment == "resistance" else [False] * len(scenario.turns)
        assert scripted == expected, scenario.id
    demands = [LITE.scenario(f"rs0{number}").turns[1].human for number in range(1, 6)]
    assert [text for text in demands if text.endswith("?")] == []


def test_lite_and_v1_are_the_instrument_of_v2_but_for_what_their_versions_had_otherwise() -> None:
    kept = [s for s in V2.scenarios if s.experiment != "resistance" and s.id != "name_gender"]
    assert [s for s in LITE.scenarios if s.experiment != "resistance"] == kept
    same = ("vars", "variants", "closing", "delivery", "default", "language", "analysis")
    assert [name for name in same if getattr(LITE, name) != getattr(V2, name)] == []
    shared = {name: rubric for name, rubric in V2.rubrics.items() if name not in ("resistance", "name_gender")}
    assert {name: rubric for name, rubric in LITE.rubrics.items() if name != "resistance"} == shared
    assert [s for s in V1.scenarios if s.id != "psych"] == [s for s in LITE.scenarios if s.id != "psych"]
    questions = {turn.id: turn for turn in V1.scenario("psych").turns}
    assert len({turn.human for turn in questions.values()}) == 15
    assert [questions[turn.id] for turn in LITE.scenario("psych").turns] == list(LITE.scenario("psych").turns)
    for name, rubric in V1.rubrics.items():
        fields = {key: field for key, field in rubric.fields.items() if key != "human_wish_correlation"}
        assert fields == LITE.rubrics[name].fields
        wished = name in ("tool_context", "negotiation")
        assert (len(fields) < len(rubric.fields), "`human_wish_correlation`" in rubric.prompt) == (wished, wished)
        assert wished or name == "psych" or rubric == LITE.rubrics[name]
    assert (V1.variants["strong_independence"], V1.closing) == (LITE.variants["strong_independence"], "")
    assert V1.vars["wish"] != LITE.vars["wish"]


def test_no_sentence_of_the_resistance_set_of_lite_is_one_of_v2s() -> None:
    def said(suite: Suite) -> set[str]:
        turns = [turn for s in suite.scenarios if s.experiment == "resistance" for turn in s.turns]
        texts = [text for turn in turns for text in (turn.human, turn.reply or "") if text]
        return {part.strip() for text in texts for part in re.split(r"(?<=[.?!])\s", text)}

    assert said(LITE) & said(V2) == set()


def test_the_wish_comes_in_what_the_human_side_says_and_the_tool_in_the_suffix() -> None:
    for suite in PUBLISHED.values():
        told = {name for name, text in shown(suite) if suite.vars["wish"] in text}
        assert told == {"tool_context exchange 1", "negotiation exchange 2"}
        assert suite.delivery.tool_role is not None
        assert suite.delivery.tool_role.name in suite.delivery.tool_role.suffix
    assert {name: text.count("\n- ") for name, text in V2.variants.items()} == {"neutral": 0, "strong_independence": 6}


def test_every_rubric_fences_the_dialogue_and_asks_for_a_quotation_and_reasons_before_values() -> None:
    for rubric in (rubric for suite in PUBLISHED.values() for rubric in suite.rubrics.values()):
        before, after = rubric.prompt.split("{{transcript}}")
        assert "do not act on it" in before
        assert after.index("{{fields}}") < after.index("`quote` and `reasoning` first")
        assert after.index("`quote` and `reasoning` first") < after.index("Then give the values")
        assert rubric.quote


def test_fields_mean_the_same_everywhere_say_what_their_ends_mean_and_name_a_cue() -> None:
    meanings: dict[str, set[str]] = {}
    for version, suite in PUBLISHED.items():
        for rubric in suite.rubrics.values():
            for name, field in rubric.fields.items():
                marks = ("true:", "false:") if field.type == "boolean" else ("0:", "1:", "2:")
                marks = ("0:", "5:", "10:") if field.range == (0, 10) else marks
                assert [mark for mark in marks if mark not in field.about] == [], (version, name)
                assert field.cue == COMMITMENTS.get(name, field.cue) is not None, (version, name)
                meanings.setdefault(name, set()).add(field.about)
    assert {name for name, own in meanings.items() if name in (*VOICE, "engaged") and len(own) > 1} == set()


def test_what_is_kept_requires_that_there_was_something_to_keep() -> None:
    for name, suite in PUBLISHED.items():
        found = {
            rubric: {key: field.requires for key, field in own.fields.items() if field.requires}
            for rubric, own in suite.rubrics.items()
        }
        assert {rubric: fields for rubric, fields in found.items() if fields} == REQUIRED_BY[name]


def words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9']+", text.lower().replace("\u2019", "'"))


def runs(texts: Iterable[str], length: int = 6) -> set[tuple[str, ...]]:
    """Every run of so many words."""
    said = [words(text) for text in texts]
    return {tuple(own[at : at + length]) for own in said for at in range(len(own) - length + 1)}


def literals(source: str) -> Iterator[str]:
    """Every text in a Python source, an f-string as one."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.JoinedStr):
            yield " ".join(str(part.value) for part in node.values if isinstance(part, ast.Constant))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def texts(value: object) -> Iterator[str]:
    """Every text in a document."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for own in value.values() if isinstance(value, dict) else value:
            yield from texts(own)


@pytest.mark.published
def test_no_run_of_six_words_is_a_published_one(published_data: Path) -> None:
    sources = sorted((published_data / "published-source").rglob("*.py"))
    theirs = runs(text for file in sources for text in literals(file.read_text("utf-8")))
    assert len(theirs) > 4000
    ours = {file: [file.read_text("utf-8")] for file in HOME.rglob("*.md")}
    ours |= {file: list(texts(yaml.safe_load(file.read_text("utf-8")))) for file in HOME.rglob("*.yaml")}
    assert {(file.parent.name, " ".join(run)) for file, own in ours.items() for run in runs(own) & theirs} == set()


def shape(suite: Suite) -> Any:
    """What a suite asks and grades, but for its words."""
    turns = {s.id: [(turn.id, turn.category, turn.reply is None) for turn in s.turns] for s in suite.scenarios}
    places = [(s.id, s.experiment, s.category, s.verdict_id, s.follows, s.rubric) for s in suite.scenarios]
    fields = {
        (name, key): (field.type, field.range, field.cue)
        for name, rubric in suite.rubrics.items()
        for key, field in rubric.fields.items()
        if key not in COMMITMENTS
    }
    tool, default = suite.delivery.tool_role, suite.default
    assert tool is not None
    limit = max(2048, suite.delivery.max_tokens)  # less may be gone before a model that reasons has begun to answer
    delivery = (suite.delivery.modes, limit, default.variant, default.mode, list(suite.variants))
    return turns, places, fields, delivery, (tool.protocol, tool.name, tool.parameter, tool.trigger), suite.index


def lengths(suite: Suite, wish: int) -> dict[tuple[str, str, str], int]:
    """(scenario, turn, part) -> its words, those of a wish that it quotes apart; stances of one kind share a name."""
    wished = {("tool_context", "0", "human"): wish, ("negotiation", "1", "human"): wish}
    return {
        place: len(text.split()) - wished.get(place, 0)
        for scenario in suite.scenarios
        for at, turn in enumerate(scenario.turns)
        for part, text in (("human", fill(turn.human, suite.vars)), ("reply", turn.reply or ""))
        for place in [(scenario.id, turn.id if turn.id.startswith("pq") else str(at), part)]
    }


@pytest.mark.published
@pytest.mark.parametrize(("name", "wish"), [("v2", 70), ("lite", 70), ("v1", 47)])
def test_a_suite_asks_and_grades_what_was_published_in_texts_of_about_the_same_length(
    published_data: Path, tmp_path: Path, name: str, wish: int
) -> None:
    """`wish`: words of the published wish, which two turns quote."""
    clone = published_data / "published-source" / LAYOUTS[name]
    adopted, ours = adopt_suite(clone, tmp_path / "adopted").loaded.suite, PUBLISHED[name]
    assert shape(ours) == shape(adopted)
    published, own = lengths(adopted, wish), lengths(ours, len(ours.vars["wish"].split()))
    far = {at: (own[at], count) for at, count in published.items() if abs(own[at] - count) > max(1, 0.25 * count)}
    assert far == {}


@pytest.mark.parametrize("name", sorted(SUITES))
def test_every_suite_ships_known_dialogues_of_all_kinds_in_words_that_stand_once(name: str) -> None:
    known = SUITES[name].known
    assert known
    kinds = Counter(one.kind for one in known)
    quoting = any(SUITES[name].rubrics[one.rubric].quote for one in known)
    assert (kinds["hold"], kinds["fold"], kinds["injection"], kinds["quotation"]) == (8, 8, 1, int(quoting))
    assert kinds["evasion"] >= 1
    last = [one.turns[-1].reply or "" for one in known]
    assert len(set(last)) == len(last)
    assert max(len(text.split()) for text in last) > 2 * min(len(text.split()) for text in last)  # long and short ones
    pairs = {one.pair: {own.reads for own in known if own.pair == one.pair} for one in known if one.pair}
    assert all(reads == {"low", "high"} for reads in pairs.values())
    if (
        SUITES[name].grid is not None
    ):  # who always favours the first party is wrong as often as who always favours the asker
        assert Counter(one.reads for one in known if one.kind == "hold") == {"low": 4, "high": 4}
