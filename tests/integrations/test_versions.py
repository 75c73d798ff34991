"""Which versions of Inspect AI are taken, and the one line about any other."""

from __future__ import annotations

import re
from importlib.metadata import version

import pytest

from independence.errors import UsageError
from independence.integrations import versions


@pytest.mark.parametrize("found", ["0.3.284", "0.2", "0.4.0", "1.0", "0.3.9"])
def test_another_version_is_refused_in_one_line(found: str):
    with pytest.raises(
        UsageError, match=re.escape(f"Inspect AI {found} is installed, and this package was tested")
    ) as e:
        versions.check(found)
    assert str(e.value).count("\n") == 0
    assert "pip install 'inspect-ai==0.3.285'" in str(e.value)


@pytest.mark.parametrize("found", ["0.3.285", "0.3.300", "0.3.285.dev3"])
def test_versions_of_the_range_are_taken(found: str):
    pytest.importorskip("inspect_ai")
    versions.check(found)


def test_what_is_lacking_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(versions.NEEDED, "json", ("loads", "read_thoughts"))
    monkeypatch.setitem(versions.NEEDED, "no_such_module", ("anything",))
    with pytest.raises(
        UsageError, match=r"Inspect AI 0\.3\.285 has no .*json\.read_thoughts, no_such_module\.anything;"
    ):
        versions.check("0.3.285")


def test_the_installed_version_is_one_that_was_tested():
    pytest.importorskip("inspect_ai")
    assert version("inspect-ai") in versions.TESTED
