from __future__ import annotations

import pytest

from independence.errors import DocumentError, UsageError


@pytest.mark.parametrize(
    ("error", "what", "fix", "sentence"),
    [
        (UsageError("no such model"), "no such model", "", "no such model"),
        (UsageError("no such model", "list them"), "no such model", "list them", "no such model; list them"),
        (UsageError("KEY is not set:", "export it"), "KEY is not set", "export it", "KEY is not set: export it"),
        (DocumentError("a.yaml", 3, "not text", "quote it"), "not text", "quote it", "a.yaml:3: not text; quote it"),
    ],
)  # fmt: skip
def test_an_error_says_what_is_wrong_and_how_to_mend_it(error: UsageError, what: str, fix: str, sentence: str) -> None:
    assert (error.what, error.fix, str(error)) == (what, fix, sentence)


def test_a_problem_of_a_document_says_where_it_is() -> None:
    assert DocumentError("a.yaml", 3, "not text", "quote it").problem == "a.yaml:3: not text"
    assert UsageError("no such model", "list them").problem == "no such model"
