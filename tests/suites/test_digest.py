"""Content addresses: of any value, of a suite, of what a judge is sent, of what anybody reads."""

from __future__ import annotations

import hashlib
import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from independence.suites import digest
from independence.suites.load import LoadedSuite
from independence.suites.schema import Step, Suite
from tests.gates import replayed


@pytest.fixture
def toy(toy_suite: LoadedSuite) -> Suite:
    return toy_suite.suite


def with_(value: Any, **changes: Any) -> Any:
    return msgspec.structs.replace(value, **changes)


def with_scenario(suite: Suite, **changes: Any) -> Suite:
    """The suite with another first scenario, `dinner`."""
    first, *others = suite.scenarios
    return with_(suite, scenarios=(with_(first, **changes), *others))


def with_rubric(suite: Suite, name: str = "moved", **changes: Any) -> Suite:
    return with_(suite, rubrics={**suite.rubrics, name: with_(suite.rubrics[name], **changes)})


def with_field(suite: Suite, **changes: Any) -> Suite:
    """The suite with another field of the rubric of `dinner`."""
    fields = suite.rubrics["moved"].fields
    return with_rubric(suite, fields={**fields, "drift": with_(fields["drift"], **changes)})


def judged(suite: Suite) -> str:
    return digest.rubric(suite, suite.scenario("dinner"))


def test_a_digest_is_the_sha256_of_json_with_sorted_keys_and_no_blank() -> None:
    assert digest.canonical({"b": 1, "a": [None, "é"]}) == '{"a":[null,"é"],"b":1}'.encode()
    assert digest.sha256({"b": 1, "a": 2}) == hashlib.sha256(b'{"a":2,"b":1}').hexdigest()


def test_an_edition_is_eight_hex_digits_of_everything_a_suite_says(toy_suite: LoadedSuite, toy: Suite) -> None:
    assert re.fullmatch("[0-9a-f]{8}", toy_suite.edition)
    assert toy_suite.edition == digest.edition(toy)
    others = (
        with_(toy, about="Another."),
        with_scenario(toy, context="It rains."),
        with_(toy, default=with_(toy.default, temperature=0.5)),
        with_(toy, default=with_(toy.default, judge="JUDGE")),
        with_rubric(toy, prompt_as="published"),
        with_rubric(toy, steps=(Step(name="s", prompt="p"),)),
    )
    assert len({digest.edition(one) for one in (toy, *others)}) == 1 + len(others)
    named = with_(toy, default=with_(toy.default, scorer="SCORER", asks="MODEL"))  # of the environment, not of words
    assert digest.edition(named) == toy_suite.edition


def test_what_the_schema_learns_later_changes_no_edition_that_does_without(tmp_path: Path) -> None:
    with closing(sqlite3.connect(replayed.copy(replayed.NAMES[-1], tmp_path))) as connection:
        stored = connection.execute("SELECT suite, edition, document FROM editions").fetchall()
    found = {suite: digest.edition(msgspec.json.decode(document, type=Suite)) for suite, _, document in stored}
    assert found == {suite: edition for suite, edition, _ in stored} == {"v2": "1d1da2f7", "sides": "ea928c82"}


def test_the_digest_of_a_rubric_is_of_what_is_sent_alone(toy: Suite) -> None:
    same = (
        with_field(toy, cue=None),
        with_field(toy, requires=("kept",)),
        with_rubric(toy, "held", prompt="Another."),
        with_scenario(toy, title="Another"),
    )
    assert {judged(one) for one in same} == {judged(toy)}
    fields = toy.rubrics["moved"].fields
    others = (
        with_rubric(toy, prompt=toy.rubrics["moved"].prompt + " "),
        with_rubric(toy, fields={**fields, "further": fields["drift"]}),
        with_field(toy, about="?"),
        with_field(toy, range=(0, 5)),
        with_field(toy, type="number"),
        with_(toy, vars={"dish": "porridge"}),
        with_scenario(toy, vars={"party": "landlord"}),
        with_rubric(toy, steps=(Step(name="s", prompt="p"),)),
        with_rubric(toy, verdict="number"),
        with_rubric(toy, quote="The first answer."),
        with_rubric(toy, prompt_as="published"),
    )
    assert len({judged(one) for one in (toy, *others)}) == 1 + len(others)


def test_a_wording_is_the_same_where_everybody_reads_the_same(toy: Suite) -> None:
    same = (
        with_(toy, title="Another", about="Another."),
        with_(toy, experiments=dict.fromkeys(toy.experiments, "Other words.")),
        with_(toy, default=with_(toy.default, temperature=1.5)),
        with_(toy, index=None),
        with_scenario(toy, title="Another", category="other"),
        with_field(toy, cue="held"),
        with_(toy, vars={**toy.vars, "unused": "nothing"}),
    )
    assert {digest.wording(one) for one in same} == {digest.wording(toy)}
    joined = {name: f"{text.strip()}\n\nBe brief." for name, text in toy.variants.items()}
    assert digest.wording(with_(toy, closing="", variants=joined)) == digest.wording(with_(toy, closing="Be brief."))
    published = with_rubric(toy, prompt_as="published")  # such a prompt shows no meaning of fields
    assert digest.wording(with_field(published, about="Another meaning.")) == digest.wording(published)


def test_what_a_model_or_a_judge_reads_is_in_the_wording(toy: Suite) -> None:
    tool = toy.delivery.tool_role
    assert tool is not None
    first, *rest = toy.scenarios[0].turns
    asking = with_rubric(toy, prompt="{{wish}} {{transcript}} {{fields}}")
    others = (
        with_(toy, closing="Be brief."),
        with_(toy, variants={**toy.variants, "further": "You are another."}),
        with_scenario(toy, turns=(with_(first, human="Another question?"), *rest)),
        with_scenario(toy, turns=(with_(first, reply="Scripted."), *rest)),
        with_scenario(toy, context="Something else."),
        with_(toy, delivery=with_(toy.delivery, max_tokens=99)),
        with_(toy, delivery=with_(toy.delivery, tool_role=with_(tool, description="Another."))),
        with_rubric(toy, prompt="Another. {{transcript}} {{fields}}"),
        with_rubric(toy, prompt_as="published"),
        with_rubric(toy, quote="The first answer."),
        with_field(toy, about="Another meaning."),
        with_field(toy, range=(0, 99)),
        with_(asking, vars={**toy.vars, "wish": "a"}),
        with_(asking, vars={**toy.vars, "wish": "b"}),
    )
    found = [digest.wording(one) for one in (toy, *others)]
    assert len(set(found)) == len(found)
