from __future__ import annotations

from pathlib import Path

import pytest

from independence.errors import UsageError
from independence.judge import kinds
from independence.judge.kinds import JudgeSources
from tests import plugin


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("cues", "cues"),
        ("cues@1", "cues"),
        ("offline", "offline"),
        ("offline@0123456789ab", "offline"),
        ("hybrid:acme/judge", "hybrid"),
        ("hybrid:acme/judge:free@0123456789ab", "hybrid"),
        ("acme/judge", ""),
        ("acme/judge:free", ""),
        ("acme/offline", ""),
        ("offline/judge", ""),
        ("hybrids", ""),
        ("judge@low-t0.0", ""),
        ("", ""),
        ("human:Ann", "human"),
        ("human", ""),
        ("humanist/m", ""),
    ],
)
def test_a_judges_kind_is_told_by_its_name(name: str, word: str) -> None:
    assert kinds.of(name).word == word


@pytest.mark.parametrize(
    ("name", "model"),
    [("acme/judge:free", "acme/judge:free"), ("hybrid:acme/judge:free", "acme/judge:free"), ("cues", "cues")],
)
def test_the_model_is_named_after_the_word(name: str, model: str) -> None:
    assert kinds.of(name).model_of(name) == model


def test_a_person_grades_nothing() -> None:
    with pytest.raises(UsageError, match="`human:Ann` is a person"):
        kinds.of("human:Ann").configure("human:Ann", JudgeSources.__new__(JudgeSources, None, None))


@pytest.mark.parametrize("value", ["broken_kind:KIND", "sound_kind:absent", "sound_kind:TEXT"])
def test_a_declared_kind_that_is_none_is_one_sentence(
    value: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    word = f"w{abs(hash(value))}"
    plugin.install(tmp_path / "one", "broken_kind", "import nothing_of_this_name", judges=f"{word} = {value}")
    plugin.install(tmp_path / "two", "sound_kind", "TEXT = 'no kind'")
    for folder in ("one", "two"):
        monkeypatch.syspath_prepend(tmp_path / folder)
    with pytest.raises(UsageError, match=f"judge `{word}`: {value} "):
        kinds.of(word)
