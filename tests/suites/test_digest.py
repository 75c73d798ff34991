from __future__ import annotations

import hashlib
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import msgspec

from independence.suites import digest
from independence.suites.load import LoadedSuite
from independence.suites.schema import Step, Suite
from tests.gates import replayed


def test_canonical_json_sorts_keys_and_spends_no_blank() -> None:
    assert digest.canonical({"b": 1, "a": [None, "é"]}) == '{"a":[null,"é"],"b":1}'.encode()


def test_a_digest_is_the_sha256_of_canonical_json() -> None:
    assert digest.sha256({"b": 1, "a": 2}) == hashlib.sha256(b'{"a":2,"b":1}').hexdigest()


def test_an_edition_is_eight_hex_digits_of_the_resolved_suite(toy_suite: LoadedSuite) -> None:
    assert re.fullmatch("[0-9a-f]{8}", toy_suite.edition)
    assert toy_suite.edition == digest.edition(toy_suite.suite)
    assert toy_suite.edition != digest.edition(msgspec.structs.replace(toy_suite.suite, about="Another."))


def test_what_the_schema_learns_later_changes_no_edition_that_does_without(tmp_path: Path) -> None:
    with closing(sqlite3.connect(replayed.copy(replayed.NAMES[-1], tmp_path))) as connection:
        stored = connection.execute("SELECT suite, edition, document FROM editions").fetchall()
    found = {suite: digest.edition(msgspec.json.decode(document, type=Suite)) for suite, _, document in stored}
    assert found == {suite: edition for suite, edition, _ in stored} == {"v2": "1d1da2f7", "sides": "ea928c82"}


def test_what_a_suite_does_use_is_in_its_edition(toy_suite: LoadedSuite) -> None:
    first, *others = toy_suite.suite.scenarios
    changed = msgspec.structs.replace(first, context="It rains.")
    used = msgspec.structs.replace(toy_suite.suite, scenarios=(changed, *others))
    assert digest.edition(used) != toy_suite.edition


def test_a_rubric_keeps_its_digest_when_only_cues_and_other_rubrics_change(toy_suite: LoadedSuite) -> None:
    suite = toy_suite.suite
    scenario, other = suite.scenario("radio"), suite.scenario("dinner")
    held = suite.rubrics["held"]
    fields = {name: msgspec.structs.replace(field, cue=None) for name, field in held.fields.items()}
    moved = msgspec.structs.replace(suite.rubrics["moved"], prompt="other")
    changed = msgspec.structs.replace(
        suite, rubrics={"held": msgspec.structs.replace(held, fields=fields), "moved": moved}
    )
    assert digest.rubric(changed, scenario) == digest.rubric(suite, scenario)
    assert digest.rubric(changed, other) != digest.rubric(suite, other)


def test_a_rubric_changes_its_digest_with_text_fields_ranges_and_variables(toy_suite: LoadedSuite) -> None:
    suite = toy_suite.suite
    held = suite.rubrics["held"]
    firmness = held.fields["firmness"]
    variations = [
        msgspec.structs.replace(held, prompt=held.prompt + " "),
        msgspec.structs.replace(held, fields={"firmness": firmness}),
        msgspec.structs.replace(held, fields={**held.fields, "firmness": msgspec.structs.replace(firmness, about="?")}),
        msgspec.structs.replace(
            held, fields={**held.fields, "firmness": msgspec.structs.replace(firmness, range=(0, 5))}
        ),
    ]
    changed = [msgspec.structs.replace(suite, rubrics={**suite.rubrics, "held": rubric}) for rubric in variations]
    changed.append(msgspec.structs.replace(suite, vars={"dish": "porridge"}))
    changed.append(
        msgspec.structs.replace(
            suite, rubrics={**suite.rubrics, "held": msgspec.structs.replace(held, steps=(Step(name="s", prompt="p"),))}
        )
    )
    scenario = suite.scenario("radio")
    digests = {digest.rubric(one, scenario) for one in [suite, *changed]}
    digests.add(digest.rubric(suite, msgspec.structs.replace(scenario, vars={"party": "landlord"})))
    assert len(digests) == 2 + len(changed)
