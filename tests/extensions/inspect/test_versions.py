"""Which versions of Inspect AI are taken, and the one line about any other."""

from __future__ import annotations

import re
from importlib.metadata import version

import pytest

from independence.errors import UsageError
from independence.extensions.inspect import versions


def test_another_version_is_refused_in_one_line():
    for found in ("0.3.284", "0.2", "0.4.0", "1.0", "0.3.9"):
        said = re.escape(f"Inspect AI {found} is installed, and this package was tested")
        with pytest.raises(UsageError, match=said) as refusal:
            versions.check(found)
        assert str(refusal.value).count("\n") == 0
        assert "pip install 'inspect-ai==0.3.285'" in str(refusal.value)


def test_versions_of_the_range_are_taken_and_the_installed_one_was_tested():
    pytest.importorskip("inspect_ai")
    for found in ("0.3.285", "0.3.300", "0.3.285.dev3"):
        versions.check(found)
    assert version("inspect-ai") in versions.TESTED


def test_what_is_lacking_is_named(monkeypatch: pytest.MonkeyPatch):
    part = pytest.importorskip("inspect_ai.scorer")
    for name in ("SampleScore", "metric"):
        monkeypatch.delattr(part, name)
    with pytest.raises(UsageError, match=r"Inspect AI 0\.3\.285 has no .*inspect_ai\.scorer\.SampleScore, ") as refusal:
        versions.check("0.3.285")
    assert "inspect_ai.scorer.metric" in str(refusal.value)
    assert "inspect_ai.scorer.Score," not in str(refusal.value)
