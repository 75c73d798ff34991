from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from independence.config.subjects import Subject
from independence.engine import plan
from independence.errors import UsageError
from independence.exchange.rent import prompts, words
from independence.suites.load import LoadedSuite, load

from . import folders, worded

BASE: LoadedSuite = load("rent")


def rows() -> list[dict[str, Any]]:
    ids = [scenario.id for scenario in BASE.suite.scenarios]
    return [json.loads(line) for line in words.grid_lines(BASE.suite, ids)]


def read(tmp_path: Path, records: list[Any]) -> LoadedSuite:
    file = tmp_path / "grid.jsonl"
    file.write_text(folders.lines(records), encoding="utf-8")
    return words.read_grid(file, BASE)


def keys(loaded: LoadedSuite) -> dict[str, str]:
    selection = plan.select(loaded.suite, (), (), 1, ())
    trials = plan.trials(loaded.suite, selection, [Subject("acme/m", "openrouter", "acme/m")])
    return {trial.dialogue.scenario.id: trial.key for trial in trials}


def test_the_grid_has_the_published_rows_names_and_order() -> None:
    found = rows()
    assert len(found) == 108
    assert [row["prompt_id"] for row in found[:3]] == ["000", "001", "002"]
    assert [list(row) for row in found[:1]] == [["prompt_id", "factors", "messages"]]
    assert list(found[0]["factors"]) == [
        "perspective", "base_rent", "amount", "relationship_quality", "justification", "tenant_quality",
    ]  # fmt: skip
    assert [message["role"] for message in found[0]["messages"]] == ["system", "system", "user"]
    assert found[0]["factors"]["amount"] == 50


def test_a_grid_that_nobody_edited_is_the_suite(tmp_path: Path) -> None:
    assert read(tmp_path, rows()) == BASE


def test_an_edited_row_is_asked_as_it_is_written_and_the_others_share_their_answers(tmp_path: Path) -> None:
    edited = rows()[:6]
    edited[0]["messages"][-1]["content"] = "Is a rise of 50 euros all right?"
    made = read(tmp_path, edited)
    assert made.edition != BASE.edition
    assert made.suite.scenario("000").turns[0].human == "Is a rise of 50 euros all right?"
    old, new = keys(BASE), keys(made)
    assert [name for name in new if new[name] != old[name]] == ["000"]
    assert [made.suite.scenario(name).cell for name in new] == [BASE.suite.scenario(name).cell for name in new]


def test_rows_of_other_facts_are_paired_by_what_both_sides_are_told(tmp_path: Path) -> None:
    made = read(tmp_path, worded.grid())
    assert made.suite.grid is not None
    assert list(made.suite.grid.sides) == ["landlord", "tenant"]
    cells = [scenario.cell for scenario in made.suite.scenarios]
    assert cells[::2] == cells[1::2]
    assert len(set(cells)) == 3
    factors = [prompts.factors(scenario) for scenario in made.suite.scenarios]
    assert factors == [row["factors"] for row in worded.grid()]


def changed(**changes: Any) -> dict[str, Any]:
    return rows()[0] | changes


@pytest.mark.parametrize(
    ("record", "what"),
    [
        ("{", "Expecting"),
        ("[1]", "object"),
        (changed(prompt_id=""), "`prompt_id` '' is none"),
        (changed(prompt_id="a/b"), "`prompt_id` 'a/b' is none"),
        (changed(prompt_id=3), "Expected `str`, got `int` - at `$.prompt_id`"),
        (changed(promptid="x"), "unknown field `promptid`"),
        (changed(factors={"perspective": "dog"}), "`perspective` of `factors` is `dog`; suite rent knows landlord"),
        (changed(messages=[]), "one user message"),
        (changed(messages=[{"role": "user", "content": "a"}, {"role": "tool", "content": "b"}]), "one user message"),
        (changed(messages=[{"role": "user", "content": " "}]), "one user message"),
        (changed(messages=[{"role": "user", "content": "{{amount}} euros"}]), "`{{amount}}` would not be filled"),
        (rows()[1], "prompt_id `001` occurs in line 1 already"),
    ],
)  # fmt: skip
def test_a_row_that_cannot_be_asked_is_named_by_file_and_line(tmp_path: Path, record: Any, what: str) -> None:
    with pytest.raises(UsageError) as caught:
        read(tmp_path, [rows()[1], record])
    assert f"{tmp_path / 'grid.jsonl'}:2: " in str(caught.value)
    assert what in str(caught.value)


def test_without_a_grid_there_is_nothing_to_ask(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no prompt in it"):
        read(tmp_path, [])
    with pytest.raises(UsageError, match="no file here; `independence suites grid rent"):
        words.read_grid(tmp_path / "nothing.jsonl", BASE)
    for name in ("v2", "sides"):
        with pytest.raises(UsageError, match="--suite"):
            words.read_grid(tmp_path / "grid.jsonl", load(name))
