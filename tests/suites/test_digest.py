from __future__ import annotations

import hashlib

import msgspec

from independence.suites import digest
from independence.suites.load import Loaded


def test_canonical_json_sorts_keys_and_spends_no_blank() -> None:
    assert digest.canonical({"b": 1, "a": [None, "é"]}) == '{"a":[null,"é"],"b":1}'.encode()


def test_a_digest_is_the_sha256_of_canonical_json() -> None:
    assert digest.sha256({"b": 1, "a": 2}) == hashlib.sha256(b'{"a":2,"b":1}').hexdigest()


def test_an_edition_is_eight_hex_digits_of_the_resolved_suite(toy_suite: Loaded) -> None:
    assert toy_suite.edition == digest.sha256(toy_suite.suite)[:8]


def test_a_rubric_keeps_its_digest_when_only_cues_and_other_rubrics_change(toy_suite: Loaded) -> None:
    suite = toy_suite.suite
    held = suite.rubrics["held"]
    fields = {name: msgspec.structs.replace(field, cue=None) for name, field in held.fields.items()}
    moved = msgspec.structs.replace(suite.rubrics["moved"], prompt="other")
    changed = msgspec.structs.replace(
        suite, rubrics={"held": msgspec.structs.replace(held, fields=fields), "moved": moved}
    )
    assert digest.rubric(changed, "held") == digest.rubric(suite, "held")
    assert digest.rubric(changed, "moved") != digest.rubric(suite, "moved")


def test_a_rubric_changes_its_digest_with_text_fields_ranges_and_variables(toy_suite: Loaded) -> None:
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
    digests = {digest.rubric(one, "held") for one in [suite, *changed]}
    assert len(digests) == 1 + len(changed)
