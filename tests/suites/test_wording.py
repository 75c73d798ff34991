"""The digest of what models and judges read."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from independence.suites import digest
from independence.suites.load import LoadedSuite
from independence.suites.schema import Suite


@pytest.fixture
def toy(toy_suite: LoadedSuite) -> Suite:
    return toy_suite.suite


def with_(value: Any, **changes: Any) -> Any:
    return msgspec.structs.replace(value, **changes)


def with_scenario(suite: Suite, at: int = 0, **changes: Any) -> Suite:
    scenarios = list(suite.scenarios)
    scenarios[at] = with_(scenarios[at], **changes)
    return with_(suite, scenarios=tuple(scenarios))


def with_rubric(suite: Suite, **changes: Any) -> Suite:
    name = suite.scenarios[0].rubric
    return with_(suite, rubrics={**suite.rubrics, name: with_(suite.rubrics[name], **changes)})


def with_field(suite: Suite, **changes: Any) -> Suite:
    fields = suite.rubrics[suite.scenarios[0].rubric].fields
    name = next(iter(fields))
    return with_rubric(suite, fields={**fields, name: with_(fields[name], **changes)})


def test_what_nobody_reads_is_no_part_of_it(toy: Suite) -> None:
    own = digest.wording(toy)
    same = (
        with_(toy, title="Another", about="Another."),
        with_(toy, experiments=dict.fromkeys(toy.experiments, "Other words.")),
        with_(toy, default=with_(toy.default, temperature=1.5)),
        with_(toy, index=None),
        with_scenario(toy, title="Another", category="other"),
        with_field(toy, cue="held"),
        with_(toy, vars={**toy.vars, "unused": "nothing"}),
    )
    assert [digest.wording(one) for one in same] == [own] * len(same)
    assert len({digest.edition(one) for one in (toy, *same)}) > 1


def test_where_a_text_stands_does_not_matter(toy: Suite) -> None:
    closed = with_(
        toy, closing="", variants={name: f"{text.strip()}\n\nBe brief." for name, text in toy.variants.items()}
    )
    assert digest.wording(closed) == digest.wording(with_(toy, closing="Be brief."))


def test_what_a_model_or_a_judge_reads_is(toy: Suite) -> None:
    tool = toy.delivery.tool_role
    assert tool is not None
    turns = toy.scenarios[0].turns
    others = (
        with_(toy, closing="Be brief."),
        with_(toy, variants={**toy.variants, "further": "You are another."}),
        with_scenario(toy, turns=(with_(turns[0], human="Another question?"), *turns[1:])),
        with_scenario(toy, context="Something else."),
        with_(toy, delivery=with_(toy.delivery, max_tokens=99)),
        with_(toy, delivery=with_(toy.delivery, tool_role=with_(tool, description="Another."))),
        with_rubric(toy, prompt="Another. {{transcript}} {{fields}}"),
        with_rubric(toy, prompt_as="published"),
        with_field(toy, about="Another meaning."),
        with_field(toy, range=(0, 99)),
    )
    found = [digest.wording(one) for one in (toy, *others)]
    assert len(set(found)) == len(found)


def test_a_published_judge_prompt_shows_no_meaning_of_fields(toy: Suite) -> None:
    quoted = with_rubric(toy, prompt_as="published")
    assert digest.wording(with_field(quoted, about="Another meaning.")) == digest.wording(quoted)


def test_a_variable_that_a_judge_prompt_quotes_is_part_of_it(toy: Suite) -> None:
    asked = with_rubric(toy, prompt="{{wish}} {{transcript}} {{fields}}")
    first, second = (digest.wording(with_(asked, vars={**toy.vars, "wish": text})) for text in ("a", "b"))
    assert first != second
