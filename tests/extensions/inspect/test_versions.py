"""Which releases of Inspect AI are taken, and the one line about any other."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from independence.errors import UsageError
from independence.extensions.inspect import versions

ROOT = Path(__file__).parents[3]


def test_another_release_is_refused_in_one_line():
    for found in ("0.3.260", "0.2", "0.4.0", "1.0", "0.3.9"):
        said = f"Inspect AI {found} is installed, and this package takes 0.3.261 up to below 0.4"
        with pytest.raises(UsageError, match=re.escape(said)) as refusal:
            versions.check(found)
        assert str(refusal.value).count("\n") == 0
        assert "pip install 'inspect-ai>=0.3.261,<0.4'" in str(refusal.value)


def test_releases_of_the_range_are_taken_and_the_extra_brings_one_of_them():
    for found in ("0.3.261", "0.3.300", "0.3.285.dev3"):
        versions.check(found)
    extra = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]["inspect"]
    assert f"inspect-ai>={versions.FLOOR},<{versions.BELOW}" in extra
    assert f"from {versions.FLOOR} (" in (ROOT / "docs" / "inspect.md").read_text("utf-8")


def test_what_a_release_lacks_is_named():
    pytest.importorskip("inspect_ai")
    said = r"Inspect AI \S+ lacks something that this package imports: cannot import name 'gone' from 'inspect_ai\.log'"
    with pytest.raises(UsageError, match=said) as refusal, versions.fitting():
        from inspect_ai.log import gone  # noqa: F401
    assert "pip install 'inspect-ai==0.3.261'" in str(refusal.value)
    with pytest.raises(UsageError, match=r"No module named 'inspect_ai\.gone'"), versions.fitting():
        import inspect_ai.gone  # noqa: F401


def test_a_fault_of_ours_is_not_called_one_of_the_release():
    pytest.importorskip("inspect_ai")
    with pytest.raises(ModuleNotFoundError), versions.fitting():
        import independence.gone  # noqa: F401
