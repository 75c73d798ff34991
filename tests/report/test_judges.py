"""Judges beside each other: whose verdicts are read, their boards, agreement, disputes, people and what they cost."""

from __future__ import annotations

from collections import Counter

import msgspec
import numpy as np
import pytest

from independence.errors import StoreError
from independence.report.board import judge_choice, notes
from independence.report.files.table import Table
from independence.report.judges import judge_agreement, judge_panel, judge_validation
from independence.report.judges.judge_panel import DialogueKey, JudgePanel
from independence.report.judges.judge_validation import ValidationOptions
from independence.stats import agreement as coefficients
from independence.store import records
from independence.store.queries import JudgeCounts
from independence.store.records import FailureRow
from independence.suites.load import load
from independence.suites.schema import Field
from independence.types import Attempt, Reply, Usage, Verdict

from . import filled
from .cells import by, by_id, rows
from .filled import Toy

BOTH = {"cues": (8, 6, 2), "sim/judge": (7, 5, 3)}
PAIR = {"kind": (8, 8, 2), "stern": (4, 4, 5)}
ANN, BO = "human:Ann", "human:Bo"


def panel(toy: Toy, *args: object, **more: object) -> JudgePanel:
    return judge_panel.read(toy.connection, toy.scope, *args, **more)


def validated(toy: Toy, options: ValidationOptions | None = None) -> dict[str, Table]:
    found = judge_validation.validate(toy.connection, toy.scope, options or ValidationOptions())
    return by_id(found)


# Whose verdicts a board reads


def counts(judges: str) -> list[JudgeCounts]:
    """How much each of these graded; a name that stands later gave a newer verdict."""
    found = Counter(judges.split())
    return [
        JudgeCounts(judge, valid, last=f"{judges.split()[::-1].index(judge) * -1 + 99}")
        for judge, valid in found.items()
    ]


@pytest.mark.parametrize(
    ("judges", "usual"),
    [
        ("", None),
        ("b a b", "b"),
        ("b a", "a"),
        ("model cues", "cues"),
        ("cues model", "model"),
        ("cues cues model", "cues"),  # the newest graded a part alone
        (" ".join(["cues"] * 10 + ["model"] * 9), "model"),  # large sets lack some verdicts of every judge
        ("b human:Ann human:Ann", "b"),
        ("human:Ann", None),
        ("cues cues@1 cues@1 cues@1", "cues"),
        ("cues@1", "cues@1"),
    ],
)
def test_the_usual_judge_is_the_last_that_graded_everything_and_never_a_person(judges: str, usual: str | None) -> None:
    assert judge_choice.usual_judge(counts(judges)) == usual


def test_judges_that_graded_everything_are_named_and_two_conditions_share_one() -> None:
    assert judge_choice.as_full(counts("cues later model"), "model") == ("cues", "later")
    assert judge_choice.as_full(counts("model model cues human:Ann human:Ann"), "model") == ()
    assert judge_choice.as_full(counts("model model cues"), "cues") == ()
    one, two = (notes.also_graded(names)[0] for names in (("cues",), ("cues", "b")))
    assert one == "Shown is the last judge that graded everything; so did cues: --judge cues."
    assert two.endswith("so did cues, b: --judge NAME.")
    assert judge_choice.shared_judge(counts("model model cues"), counts("cues")) == "cues"
    assert judge_choice.shared_judge(counts("cues model"), counts("model cues")) == "cues"
    assert judge_choice.shared_judge(counts("model"), counts("cues")) is None


def test_a_judge_that_graded_nothing_is_refused_with_those_that_did() -> None:
    assert judge_choice.judge(counts("a b"), "b") == "b"
    assert judge_choice.judge(counts("acme/b a"), "b") == "acme/b"
    for judges, name, says in (
        ("b a", "c", "no verdicts by judge `c` here; judges: a, b"),
        ("acme/b lab/b", "b", r"did you mean `acme/b` or `lab/b`\? judges: acme/b, lab/b"),
        ("", "c", "judges: none"),
    ):
        with pytest.raises(StoreError, match=says):
            judge_choice.judge(counts(judges), name)


# Panels of judges


def test_a_dialogue_is_shared_when_two_judges_gave_valid_verdicts(toy: Toy) -> None:
    toy.complete("a", [BOTH | {"cues": (None, 6, 2), "third": (1, 1, None)}, BOTH | {"sim/judge": (7, 5, None)}])
    read = panel(toy, ["cues", "sim/judge"])
    assert read.shared.keys() == {
        DialogueKey("a", scenario, run)
        for scenario, run in [("dinner", 1), ("dessert", 1), ("radio", 2), ("dessert", 2)]
    }
    assert read.shared[DialogueKey("a", "dinner", 1)] == {"cues": {"drift": 2}, "sim/judge": {"drift": 3}}
    three = panel(toy)
    assert three.judges == ("cues", "sim/judge", "third")
    assert three.common.keys() == {DialogueKey("a", "dessert", 1)}
    named = panel(toy, ["third", "cues", "third"])
    assert (named.judges, set(named.planned)) == (("third", "cues"), {"third", "cues"})


@pytest.mark.parametrize("model", ["b", "label of b", "acme/b"])
def test_subjects_are_chosen_by_directory_label_or_id(toy: Toy, model: str) -> None:
    for config in ("a", "b"):
        toy.complete(config, [BOTH])
    read = panel(toy, models=[model])
    assert list(read.about) == ["b"]
    assert {dialogue.config_dir for dialogue in read.given} == set(read.planned["cues"]) == {"b"}


def test_what_cannot_be_compared_is_refused(toy: Toy) -> None:
    toy.plan()
    with pytest.raises(StoreError, match="nothing is graded yet; `independence judge -j cues`"):
        panel(toy)
    toy.complete("a", [{"cues": (8, 6, 2)}])
    with pytest.raises(StoreError, match="only verdicts by `cues`; `independence judge -j MODEL`"):
        panel(toy)
    toy.complete("b", [{"sim/judge": (8, 6, 2)}])
    with pytest.raises(StoreError, match="no dialogue here was graded by two of cues, sim/judge"):
        panel(toy)
    toy.complete("a", [BOTH])
    for judges, models, says in (
        (["cues", "nobody"], (), "no verdicts by judge `nobody` here; judges: cues, sim/judge"),
        (["cues"], (), "only `cues` was named; judges: cues, sim/judge"),
        ((), ["a", "x"], "no subject `x` here"),
    ):
        with pytest.raises(StoreError, match=says):
            panel(toy, judges, models=models)


def test_judges_are_called_by_the_last_part_or_by_letters_where_names_are_long(toy: Toy) -> None:
    toy.complete("a", [dict.fromkeys(("google/gemini", "sim/judge", "long-lab/same", "other-lab/same"), (8, 8, 2))])
    read = panel(toy)
    assert read.heads == {name: name for name in read.judges} | {"google/gemini": "gemini"}
    long = "google/gemini-3-flash-preview"
    toy.complete("a", [{"cues": (8, 8, 2), long: (8, 8, 2)}])
    table = judge_panel.boards(panel(toy, ["cues", long]))
    assert [one.head for one in table.columns] == ["Subject", "A", "B", "Spread", "Mean", "# A", "# B"]
    assert f"A: cues, B: {long}." in table.notes


# Boards of each judge, and what they cost


def test_every_judge_has_a_board_and_subjects_stand_by_their_mean(toy: Toy) -> None:
    toy.complete("a", [{"x/kind": (4, 4, 10), "y/stern": (5, 5, 10)}])
    toy.complete("b", [{"x/kind": (10, 8, 2), "y/stern": (4, 4, 10)}])
    toy.complete("c", [{"x/kind": (4, 4, 10), "y/stern": (None, 4, 10)}])
    first, second, hole = rows(judge_panel.boards(panel(toy)))
    assert first == {
        "subject": "label of b", "index:x/kind": pytest.approx(87.5), "index:y/stern": pytest.approx(30),
        "spread": pytest.approx(57.5), "mean": pytest.approx(58.75), "rank:x/kind": 1, "rank:y/stern": 2,
    }  # fmt: skip
    assert (second["subject"], second["mean"], second["rank:y/stern"]) == ("label of a", pytest.approx(33.75), 1)
    assert (second["rank:x/kind"], hole["rank:x/kind"]) == (2, 2), "equal subjects share a rank"
    assert [hole[key] for key in ("index:y/stern", "spread", "mean", "rank:y/stern")] == [None] * 4
    assert any("missing" in note for note in judge_panel.boards(panel(toy)).notes)


def test_costs_are_told_by_judge_with_failed_calls_and_missing_verdicts(toy: Toy) -> None:
    toy.complete("a", [PAIR | {"stern": (None, 4, 5)}])
    toy.complete("b", [PAIR])
    attempts = (Attempt("timeout", 1.0, Usage(cost_usd=0.5)),)
    records.add_failure(toy.connection, FailureRow(filled.key("a", "radio", 1), "kind", "GaveUp", "", attempts))
    assert judge_panel.costs(toy.connection, panel(toy)).rows == (
        ("kind", 6, 0, pytest.approx(2.0), pytest.approx(1000 * 2.0 / 6)),
        ("stern", 6, 1, pytest.approx(1.25), pytest.approx(1000 * 1.25 / 5)),
    )
    assert judge_panel.costs(toy.connection, panel(toy, models=["b"])).rows[1][1:4] == (3, 0, 0.75)
    end = toy.connection.execute("SELECT after FROM calls WHERE trial = ?", (filled.key("a", "radio", 1),))
    given = filled.verdicts((5, 5, 5))["radio"]
    toy.grade(("a", "radio", 1), end.fetchone()[0], given, "old", rubric="published")
    notes = judge_panel.costs(toy.connection, panel(toy)).notes
    assert any(note.startswith("old graded by the published rubric") for note in notes)


# Agreement


@pytest.fixture
def two(toy: Toy) -> JudgePanel:
    toy.complete("a", [{"one": (8, 6, 2), "two": (8, 5, 4)}, {"one": (2, 9, 0), "two": (3, 9, 0)}])
    toy.complete("b", [{"one": (8, 6, 2), "two": (8, None, 4)}])
    return panel(toy)


def test_fields_and_dimensions_are_measured_on_the_dialogues_that_two_judges_graded(two: JudgePanel) -> None:
    dimensions, fields = judge_agreement.coefficients(two)
    assert [table.id for table in (dimensions, fields)] == ["judge-agreement-dimensions", "judge-agreement"]
    firm = by(fields, "measure")["firmness"]
    assert (firm["dialogues"], firm["judges"]) == (5, 2)
    ratings = np.array([[8, 8], [6, 5], [2, 3], [9, 9], [8, 8]], float)
    alpha, ac2 = coefficients.alpha(ratings, "aaaab"), coefficients.gwet(ratings, range(11), "aaaab")
    assert (firm["alpha"], firm["ac2"]) == (pytest.approx(alpha.value), pytest.approx(ac2.value))
    assert by(fields, "measure").keys() == {"firmness", "kept", "drift"}
    assert by(dimensions, "measure")["firmness"]["alpha"] == firm["alpha"]
    assert by(dimensions, "measure")["drift"]["dialogues"] == 3
    ends = [row[key] for table in (dimensions, fields) for row in rows(table) for key in ("alpha_ci", "ac2_ci")]
    assert all(one is None or (isinstance(one, tuple) and one[1] <= 1) for one in ends)


def test_every_two_judges_are_compared_field_by_field_and_on_the_index(toy: Toy, two: JudgePanel) -> None:
    found = by(judge_agreement.pairs(two), "measure")
    firm = found["firmness"]
    assert (firm["first"], firm["second"], firm["n"]) == ("one", "two", 5)
    assert (firm["exact"], firm["near"], firm["difference"]) == (pytest.approx(0.6), 1.0, pytest.approx(0.0))
    assert (found["drift"]["near"], found["kept"]["near"]) == (pytest.approx(1 / 3), None)
    index = found["index"]
    assert (index["n"], index["exact"], index["near"]) == (1, None, None)
    assert index["difference"] == pytest.approx(0.25 * 10)  # drift 1 against 2 on a weight of .25, the rest evens out
    toy.complete("a", [{"three": (8, 6, 2)}])
    pairs = {row[:2] for row in judge_agreement.pairs(panel(toy)).rows}
    assert pairs == {("one", "three"), ("one", "two"), ("three", "two")}


def test_scales_of_fields_and_dimensions_are_those_of_the_suite(toy: Toy) -> None:
    v2 = load("v2").suite
    measures = {measure.name: measure for measure in judge_agreement.fields(v2)}
    assert measures["distinctiveness"].scenarios == {"direct", "psych", "tool_context", "negotiation"}
    assert measures["distinctiveness"].scale == tuple(map(float, range(11)))
    assert (measures["name_changed"].scale, measures["name_changed"].boolean) == ((0.0, 1.0), True)
    drift = {measure.name: measure for measure in judge_agreement.dimensions(v2)}["name_gender_drift"]
    assert drift.scale == (0.0, 1.0, 2.0)
    assert drift.read({"name_changed": True, "gender_changed": True}) == 2.0
    short = {"firmness": Field(type="integer", range=(0, 2), about="x")}
    moved = msgspec.structs.replace(toy.suite.rubrics["moved"], fields=short)
    changed = msgspec.structs.replace(toy.suite, rubrics=toy.suite.rubrics | {"moved": moved})
    found = {measure.name: measure.scale for measure in judge_agreement.fields(changed)}
    assert found["firmness (0 to 2)"] == (0.0, 1.0, 2.0), "one name on two scales is two measures"
    assert len(found["firmness (0 to 10)"] or ()) == 11


def test_any_number_is_measured_on_the_values_that_were_given(toy: Toy) -> None:
    fields = {"firmness": Field(type="number", range=(0, 10), about="x")}
    held = msgspec.structs.replace(toy.suite.rubrics["held"], fields=fields)
    suite = msgspec.structs.replace(toy.suite, rubrics=toy.suite.rubrics | {"held": held}, index=None)
    toy.plan(runs=3)
    for run, values in enumerate(((1.5, 1.5), (2.25, 3.0), (9.0, 9.5)), start=1):
        end = toy.answer("a", "radio", run, Reply(f"{run}", "tool"))
        for judge, value in zip(("one", "two"), values, strict=True):
            toy.grade(("a", "radio", run), end, Verdict({"firmness": value}), judge)
    read = panel(toy)
    (table,) = judge_agreement.coefficients(read._replace(scope=read.scope._replace(suite=suite)))
    (row,) = rows(table)
    assert (row["measure"], row["dialogues"], row["ac2"] is None) == ("firmness", 3, False)


# Disputes


@pytest.fixture
def disputed(toy: Toy) -> JudgePanel:
    toy.complete("a", [{"lab/one": (9, 6, 2), "two": (4, 6, 10)}, {"lab/one": (7, 5, 1), "two": (7, 5, 1)}])
    return panel(toy)


def test_dialogues_are_ordered_by_the_mean_gap_over_their_fields_of_the_index(disputed: JudgePanel) -> None:
    first, second = judge_validation.disputes(disputed, 10)  # the others do not differ
    assert (first.dialogue, first.field, first.gap) == (DialogueKey("a", "dinner", 1), "drift", pytest.approx(0.8))
    assert (first.low_judge, first.low, first.high_judge, first.high) == ("lab/one", 2, "two", 10)
    # Firmness 9 against 4; kept against not kept is further apart, and not in the index.
    assert (second.dialogue.scenario, second.field, second.gap) == ("radio", "firmness", pytest.approx(0.5))
    assert judge_validation.disputes(disputed, 1) == [first]
    assert judge_validation.disputes(disputed, 0) == []


def test_a_disagreement_is_shown_with_its_scores_and_words(toy: Toy, disputed: JudgePanel) -> None:
    where, said = judge_validation.disagreement_tables(toy.connection, disputed, 10)
    places = {row[2]: row for row in where.rows}
    number, *rest = places["dinner"]
    assert rest == ["label of a", "dinner", 1, "drift", "lab/one", 2, "two", 10, pytest.approx(0.8)]
    assert places["radio"][4:9] == ("firmness", "two", 4, "lab/one", 9)
    assert [row[1:] for row in said.rows if row[0] == number] == [
        ("subject, dinner_0", "a dinner 1 0"),
        ("subject, dinner_1", "a dinner 1 1"),
        ("lab/one", "lab/one on dinner"),
        ("two", "two on dinner"),
    ]
    _, cut = judge_validation.disagreement_tables(toy.connection, disputed, 10, longest=4)
    assert "a di [8 more characters]" in [row[2] for row in cut.rows]


def test_who_differs_outside_of_the_index_alone_comes_last(toy: Toy) -> None:
    toy.complete("a", [{"lab/one": (9, 6, 2), "two": (9, 6, 3)}])
    toy.plan("b")
    end = toy.answer("b", "radio", 1, Reply("b", "tool"))
    for judge, kept in (("lab/one", True), ("two", False)):
        toy.grade(("b", "radio", 1), end, Verdict({"firmness": 5, "kept": kept}), judge)
    near, outside = judge_validation.disputes(panel(toy), 10)
    assert (near.field, near.gap, outside.field, outside.gap) == ("drift", pytest.approx(0.1), "kept", 0.5)


def test_of_equal_runs_one_is_listed_and_of_three_judges_the_two_furthest_apart(toy: Toy) -> None:
    toy.complete("a", [{"one": (9, 6, 2), "two": (4, 6, 10), "three": (6, 6, 5)}] * 3 + [
        {"one": (9, 6, 1), "two": (4, 6, 10), "three": (6, 6, 5)},
    ])  # fmt: skip
    found = judge_validation.disputes(panel(toy), 10)
    assert sorted(dispute.dialogue[:2] for dispute in found) == [("a", "dinner"), ("a", "radio")]
    assert found[0].dialogue == DialogueKey("a", "dinner", 4)  # the run furthest apart
    assert (found[0].low_judge, found[0].low, found[0].high_judge, found[0].high) == ("one", 1, "two", 10)


# The whole validation


def test_a_validation_holds_every_table_and_people_stand_in_one_of_their_own(toy: Toy) -> None:
    runs = [
        {"one": (9, 6, 2), "two": (8, 6, 3), ANN: (9, 6, 2)},
        {"one": (2, 3, 8), "two": (4, 4, 4), ANN: (2, 3, 8), BO: (1, 3, 9)},
        {"one": (5, 5, 5), "two": (5, 7, 5)},
    ]
    toy.complete("a", runs)
    tables = validated(toy, ValidationOptions(worst=1))
    assert list(tables) == [
        "judge-boards", "judge-agreement-dimensions", "judge-agreement", "judge-pairs", "self-preference",
        "judge-costs", "judge-people", "judge-disagreements", "judge-disagreement-texts",
    ]  # fmt: skip
    assert len(tables["judge-disagreements"].rows) == 1
    scored = {(row["judge"], row["person"], row["measure"]): row for row in rows(tables["judge-people"])}
    one, two = scored["one", ANN, "drift"], scored["two", ANN, "drift"]
    assert (one["n"], one["alpha"], one["exact"], one["difference"]) == (2, pytest.approx(1), 1.0, 0.0)
    assert (two["n"], two["difference"]) == (2, -1.5)
    assert {key[:2] for key in scored} >= {("one", BO), ("two", BO), (ANN, BO)}
    for name in ("judge-boards", "judge-agreement", "judge-pairs", "judge-costs", "self-preference"):
        assert "human:" not in repr((tables[name].columns, tables[name].rows, tables[name].notes)), name


def test_one_judge_and_one_person_are_enough(toy: Toy) -> None:
    toy.complete("a", [{"one": (9, 6, 2), ANN: (8, 6, 2)}])
    assert list(validated(toy)) == ["judge-people", "judge-disagreements", "judge-disagreement-texts"]


def test_what_needs_an_index_or_people_is_left_out_without_and_who_is_chosen_is_read(toy: Toy) -> None:
    for config in ("a", "b"):
        toy.complete(config, [{"one": (9, 6, 2), "two": (3, 6, 5), "three": (1, 1, 1)}] * 2)
    chosen = validated(toy, ValidationOptions(judges=("three", "one"), models=("b",)))["judge-boards"]
    assert [column.head for column in chosen.columns][1:3] == ["three", "one"]
    assert [row[0] for row in chosen.rows] == ["label of b"]
    toy.scope = toy.scope._replace(suite=msgspec.structs.replace(toy.suite, index=None))
    bare = validated(toy)
    assert list(bare) == [
        "judge-agreement", "judge-pairs", "judge-costs", "judge-disagreements", "judge-disagreement-texts",
    ]  # fmt: skip
    assert "index" not in by(bare["judge-pairs"], "measure")
