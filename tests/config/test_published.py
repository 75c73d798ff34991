"""The registry that ships: what the published project lists, by the name `published`."""

from __future__ import annotations

from pathlib import Path

import pytest

from independence.config import environment, registry

ROOT = Path(__file__).parents[2]
SHIPPED = registry.load(Path(registry.PUBLISHED))


def test_the_registry_that_ships_is_read_by_its_name() -> None:
    assert len(SHIPPED.subjects) == len({subject.label for subject in SHIPPED.subjects}) >= 70
    (nano,) = SHIPPED.resolve("openai/gpt-5-nano")
    assert (nano.label, nano.temperature_supported, nano.sent.temperature) == ("gpt-5-nano@low-t1.0", False, None)


def test_its_default_roster_has_33_ids_and_every_one_stands_for_a_configuration() -> None:
    assert len(set(SHIPPED.roster)) == 33
    found = SHIPPED.of_roster()
    assert {subject.model_id for subject in found} == set(SHIPPED.roster)
    assert len({subject.label for subject in found}) == len(found)


def test_a_file_of_that_name_goes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "published").write_text("models: [sim/half]\nroster: [sim/half]\n")
    own = registry.load(Path("published"))
    assert [subject.label for subject in own.of_roster()] == ["sim/half@none-t0.7"]


def test_the_sample_of_an_environment_holds_no_key_and_only_what_is_read() -> None:
    lines = (ROOT / ".env.example").read_text().splitlines()
    settings = [line.removeprefix("# ").split("=", 1) for line in lines if "=" in line and " " not in line[2:]]
    assert [settings[0][0], settings[1][0]] == ["OPENROUTER_API_KEY", "OPENROUTER_BASE_URL"]
    assert all(environment.is_placeholder(value) for name, value in settings if "KEY" in name)
    read = "\n".join(
        path.read_text() for path in (ROOT / "src" / "independence").rglob("*") if path.suffix in (".py", ".yaml")
    )
    assert [name for name, _ in settings if name not in read] == []
