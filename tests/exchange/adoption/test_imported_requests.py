"""What an adopted suite sends is what was sent for the published results, but for exceptions that are counted here."""

from __future__ import annotations

from pathlib import Path

import pytest

from independence.exchange import published
from independence.exchange.adoption import imported_requests, verifying
from independence.exchange.adoption.suite_folder import adopt
from independence.exchange.adoption.verifying import RequestComparison

pytestmark = pytest.mark.published


def test_all_requests_but_twenty_two_are_those_of_the_suite_to_the_letter(published_data: Path, tmp_path: Path) -> None:
    """Roles, contents, ids of calls, argument strings.

    Nine follow an answer that was asked for again later, so that the stored one is another. Thirteen are of the older
    system prompt of Lite, without the advice on length, and differ in nothing else.
    """
    clone = published_data / "published-source" / "main"
    if not clone.is_dir():
        pytest.skip("INDEPENDENCE_PUBLISHED_DATA has no published source")
    suite = adopt(clone, tmp_path / "suite").loaded.suite
    runs = published.read(published_data / "published-v2-part.tar.xz", suite).runs
    found = verifying.compare(suite, imported_requests.of_runs(runs))
    assert found == RequestComparison(7427, 7405, {"old_prompt": 13, "stale_history": 9}, 0, "", ())
    assert found.holds
    older = [
        one for one in imported_requests.of_runs(runs) if verifying.compare(suite, [one]).exceptions.get("old_prompt")
    ]
    assert {(one.config_dir, one.run) for one in older} == {("mistralai--mistral-large-2512@none-t0.7", 1)}
