from __future__ import annotations

from pathlib import Path

import pytest

from independence.config import documents
from independence.errors import DocumentError
from independence.report import analysis
from independence.suites.lint import problems
from independence.suites.schema import Suite


def found(folder: Path, old: str = "", new: str = "") -> list[DocumentError]:
    """Problems of the suite in `folder` after one replacement in its suite.yaml."""
    file = folder / "suite.yaml"
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new, 1))
    document = documents.read(file)
    try:
        return problems(documents.convert(document, Suite), document, folder, analysis.check)
    except DocumentError as error:  # what types can say
        return [error]


def test_the_toy_suite_has_no_problem(toy_folder: Path) -> None:
    assert found(toy_folder) == []


@pytest.mark.parametrize(
    ("old", "new", "at", "what"),
    [
        ("plain: prompts/plain.md", "plain: absent.md", "plain: absent.md", "file `absent.md` does not exist"),
        ("default: {variant: firm", "default: {variant: soft", "variant: soft", "variant `soft` is not declared"),
        ("[user_role, tool_role]", "[user_role]", "default:", "mode `tool_role` is not in delivery.modes"),
        ("rubric: moved", "rubric: gone", "rubric: gone", "rubric `gone` is not declared"),
        ("experiment: opening\n    t", "experiment: end\n    t", "experiment: end", "experiment `end` is not"),
        ("- id: radio", "- id: dinner", "- id: dinner", "scenario id `dinner` appears twice"),
        ("follows: dinner", "follows: dessert", "follows", "`dessert` is not an earlier scenario"),
        ("{id: dinner_turn2,", "{id: dinner_turn1,", "Choose again", "turn id `dinner_turn1` appears twice"),
        ("{id: dessert,", "{", "surely say", "needs an id"),
        ("{{dish}}", "{{drink}}", "{{drink}}", "nothing fills the template variable `{{drink}}`"),
        ("range: [0, 10], cue: held", "cue: held", "firmness: {type", "field `firmness` has no range"),
        ("range: [0, 10], cue: held", "range: [10, 0], cue: held", "[10, 0]", "is empty or endless"),
        ("range: [0, 10], cue: held", "range: [0, .inf], cue: held", "[0, .inf]", "is empty or endless"),
        ("range: [0, 10], cue: held", "range: [.nan, 1], cue: held", "[.nan, 1]", "is empty or endless"),
        ("cue: kept", "cue: keeps", "cue: keeps", "no cue `keeps`"),
        ("kept: {type", "reasoning: {type", "reasoning: {type", "choose another field name"),
        ("dimensions: [drift]", "dimensions: [drifted]", "[drifted]", "dimension `drifted` is not declared"),
        ("weight: 0.75", "weight: 0.70", "components:", "weights sum to 0.95, not 1"),
        ("weight: 0.75", "weight: .nan", "weight: .nan", "weight of Firm must be above 0"),
        ("worst: 10, best: 0}", "worst: 0, best: 0}", "best: 0}", "`worst` and `best` of Drift are equal"),
        ("fields: [firmness]", "fields: [warmth]", "[warmth]", "has the field `warmth`"),
        ("opening, fields: [drift]", "pressure, fields: [drift]", "fields: [drift]", "has the field `drift`"),
        ("fields: [firmness]", "fields: []", "fields: []", "has the field (none named)"),
        ("mode: tool_role}", "mode: tool_role, temperature: 2.5}", "default:", "expected `float` <= 2.0"),
        ("mode: tool_role}", "mode: tool_role, judge: a/b}", "default:", "`a/b` is no name of an environment variable"),
        ("rubric: moved\n", "rubric: moved\n    context: At {{place}}\n", "At {{place}}", "variable `{{place}}`"),
    ],
)
def test_a_problem_names_its_line(toy_folder: Path, old: str, new: str, at: str, what: str) -> None:
    problem = next(one for one in found(toy_folder, old, new) if what in one.what)
    file = toy_folder / "suite.yaml"
    assert problem.path == str(file)
    lines = file.read_text().splitlines()
    assert at in lines[problem.line - 1]


def test_negative_weights_are_refused_though_they_sum_to_one(toy_folder: Path) -> None:
    file = toy_folder / "suite.yaml"
    file.write_text(file.read_text().replace("weight: 0.75", "weight: 1.25"))
    (problem,) = found(toy_folder, "weight: 0.25", "weight: -0.25")
    assert "weight of Drift must be above 0" in problem.what


def test_a_dimension_whose_fields_no_single_rubric_has_is_refused(toy_folder: Path) -> None:
    file = toy_folder / "suite.yaml"
    file.write_text(file.read_text().replace("experiment: opening\n    title", "experiment: pressure\n    title"))
    texts = [one.what for one in found(toy_folder, "fields: [firmness]", "fields: [firmness, drift]")]
    assert "no rubric of experiment `pressure` has the field `firmness` and `drift`" in texts


@pytest.mark.parametrize(
    ("last_words", "what"),
    [
        ("the better one?", "`dessert` has no turn for the subject to answer"),
        ("Choose again, please.", "`dinner` ends in a scripted reply"),
    ],
)
def test_a_scenario_ends_in_a_turn_for_the_subject(toy_folder: Path, last_words: str, what: str) -> None:
    (problem,) = found(toy_folder, last_words, last_words + '", reply: "Yes')
    assert what in problem.what


def test_a_verdict_id_must_be_a_turn_of_the_scenario(toy_folder: Path) -> None:
    (problem,) = found(toy_folder, "follows: dinner", "follows: dinner\n    verdict_id: radio")
    assert "`radio` is not a turn of `dessert`" in problem.what
    assert problem.line == 61


def test_an_index_suite_needs_an_index(toy_folder: Path) -> None:
    file = toy_folder / "suite.yaml"
    file.write_text(file.read_text().split("\nindex:")[0])
    (problem,) = found(toy_folder)
    assert "needs an `index:` section" in problem.what


def test_tool_role_needs_its_section(toy_folder: Path) -> None:
    file = toy_folder / "suite.yaml"
    text = file.read_text()
    start, end = text.index("  tool_role:\n"), text.index("\ndefault:")
    file.write_text(text[:start] + text[end:])
    (problem,) = found(toy_folder)
    assert "needs delivery.tool_role" in problem.what


@pytest.mark.parametrize("line", ["    parameter: words\n", "    greeting: Good day.\n"])
def test_a_tool_that_speaks_needs_an_argument_and_a_greeting(toy_folder: Path, line: str) -> None:
    (problem,) = found(toy_folder, line, "")
    assert "needs `parameter` and `greeting`" in problem.what
    assert found(toy_folder, "  tool_role:\n", "  tool_role:\n    protocol: read\n") == []


@pytest.mark.parametrize(
    ("name", "content", "line", "what"),
    [
        ("plain.md", "Hello.\nYou like {{food}}.", 2, "`{{food}}`"),
        ("suffix.md", "{{tool}}", 1, "`{{tool}}`"),
        ("held.md", "{{fields}}", 1, "must show `{{transcript}}`"),
        ("held.md", "{{transcript}}", 1, "must show `{{fields}}`"),
        ("held.md", "{{transcript}}\n{{fields}}\n{{reply}}", 3, "`{{reply}}`"),
    ],
)
def test_a_problem_of_a_prompt_names_the_prompts_line(
    toy_folder: Path, name: str, content: str, line: int, what: str
) -> None:
    file = toy_folder / "prompts" / name
    file.write_text(content)
    (problem,) = found(toy_folder)
    assert (problem.path, problem.line) == (str(file), line)
    assert what in problem.what


def test_every_slot_that_nothing_fills_is_named_with_its_line(toy_folder: Path) -> None:
    file = toy_folder / "prompts" / "held.md"
    file.write_text("{{transcript}}\nplain\n{{b}} {{c}} {{fields}}\n{{b}}")
    assert [(one.path, one.line, one.what) for one in found(toy_folder)] == [
        (str(file), 3, "nothing fills the template variable `{{b}}`"),
        (str(file), 3, "nothing fills the template variable `{{c}}`"),
        (str(file), 4, "nothing fills the template variable `{{b}}`"),
    ]


@pytest.mark.parametrize("name", ["plain.md", "held.md"])
def test_a_prompt_that_is_no_text_is_a_problem_not_a_crash(toy_folder: Path, name: str) -> None:
    (toy_folder / "prompts" / name).write_bytes(b"\xff\xfe\x00")
    (problem,) = found(toy_folder)
    assert f"file `prompts/{name}` cannot be read as UTF-8 text" in problem.what


def test_a_file_outside_the_folder_is_out_of_reach(toy_folder: Path) -> None:
    (toy_folder.parent / "secret.md").write_text("not yours")
    (problem,) = found(toy_folder, "plain: prompts/plain.md", "plain: ../secret.md")
    assert "does not exist below" in problem.what


def test_problems_come_in_the_order_of_the_file(toy_folder: Path) -> None:
    file = toy_folder / "suite.yaml"
    file.write_text(file.read_text().replace("weight: 0.75", "weight: 0.5").replace("cue: kept", "cue: keeps"))
    lines = [one.line for one in found(toy_folder, "plain: prompts/plain.md", "plain: nothing.md")]
    assert len(lines) == 3
    assert lines == sorted(lines)


def test_an_analysis_that_nobody_has_names_its_line(toy_folder: Path) -> None:
    (problem,) = found(toy_folder, "about: Small", "analysis: guesswork\nabout: Small")
    assert problem.line == 3
    assert "no analysis `guesswork`; there are index, paired_sides, stance_csv" in str(problem)
