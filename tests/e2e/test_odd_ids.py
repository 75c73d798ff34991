"""Servers call their models what they like, and gateways list patterns: what is listed can be asked and exported."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e import command, hostile_server, suites


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with hostile_server.serving() as url:
        yield url


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    document = suites.harbour()
    document["scenarios"] = document["scenarios"][:1]
    suites.write(tmp_path / "harbour", document)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def asked(url: str, model: str, *more: str) -> command.Ended:
    words = "run --suite harbour -j cues --runs 1 --db here.db --format json --local-url"
    return command.run(*words.split(), url, "-m", model, *more)


@pytest.mark.parametrize("name", hostile_server.ODD_IDS)
def test_an_id_that_is_listed_is_an_id_whatever_signs_it_holds(server: str, here: Path, name: str) -> None:
    for _ in range(2):  # the second time a subject of the store has it
        ended = asked(f"{server}/odd-ids/v1", f"local/{name}")
        assert ended.code == 0, ended.err
        assert [row["label"] for row in ended.board["rows"]] == [f"local/{name}@low-t0.7"]
    shown = command.run("leaderboard", "--db", "here.db", "-m", f"local/{name}", "--format", "json")
    assert [row["label"] for row in shown.board["rows"]] == [f"local/{name}@low-t0.7"]


@pytest.mark.parametrize(
    ("listing", "name"),
    [
        ("odd-ids", "vendor/ok"), ("odd-ids", "vendor/deep/er:free"), ("odd-ids", "part/name-2@3"),
        ("odd-ids", "vendor/ok:nitro"), ("all", "anything"), ("all", "vendor/ok"),
    ],
)  # fmt: skip
def test_an_id_that_a_listed_pattern_covers_is_accepted_at_an_unknown_price(
    server: str, here: Path, listing: str, name: str
) -> None:
    ended = asked(f"{server}/{listing}/v1", f"local/{name}")
    assert ended.code == 0, ended.err
    capped = asked(f"{server}/{listing}/v1", f"local/{name}", "--max-cost", "1", "--runs", "2")
    assert capped.code == 2
    assert "no price is known" in command.one_sentence(capped)


@pytest.mark.parametrize("name", ["vendr/ok", "part/nam-2", "vendor/", "xvendor/ok", "part/name-"])
def test_an_id_beside_the_patterns_is_refused_and_no_pattern_is_proposed(server: str, here: Path, name: str) -> None:
    ended = asked(f"{server}/odd-ids/v1", f"local/{name}")
    assert ended.code == 2
    sentence = command.one_sentence(ended)
    assert f"local has no model `{name}`" in sentence
    assert "did you mean `local/vendor/*`" not in sentence


def test_labels_win_over_ids_with_the_same_signs(server: str, here: Path) -> None:
    assert asked(f"{server}/odd-ids/v1", "local/a b", "-t", "0.3").code == 0
    again = asked(f"{server}/odd-ids/v1", "local/a b@low-t0.3")
    assert again.code == 0, again.err
    assert [row["label"] for row in again.board["rows"]] == ["local/a b@low-t0.3"]
    unknown = asked(f"{server}/any-names/v1", "local/a b@low-t0.4")  # this server would answer to any name
    assert unknown.code == 2
    assert "no configuration is labelled `local/a b@low-t0.4`" in command.one_sentence(unknown)


def test_models_of_one_name_and_two_dates_are_told_apart_on_a_board(server: str, here: Path) -> None:
    for name in ("part/name-a@2025", "part/name-a@2026"):
        assert asked(f"{server}/odd-ids/v1", f"local/{name}").code == 0
    shown = command.run("leaderboard", "--db", "here.db", env={"COLUMNS": "120"})
    assert "local/part/name-a@2025 " in shown.out
    assert "local/part/name-a@2026 " in shown.out


@pytest.mark.parametrize("name", ["C:\\models\\ok.gguf", "..\\up", "x:y"])
def test_what_has_an_odd_id_is_exported_in_the_published_layout_and_comes_back(
    server: str, here: Path, name: str
) -> None:
    assert asked(f"{server}/any-names/v1", f"local/{name}").code == 0
    out = command.run("export", "out", "--published", "--db", "here.db")
    assert out.code == 0, out.err
    (folder,) = (path.name for path in (here / "out").rglob("local--*"))
    assert folder == f"local--{name}@low-t0.7".replace("\\", "%5C")
    back = command.run("import", "out", "--suite", "harbour", "--db", "back.db")
    assert back.code == 0, back.err
    configs = [
        [row["config"] for row in command.run("leaderboard", "--db", db, "--format", "json").board["rows"]]
        for db in ("here.db", "back.db")
    ]
    assert configs == [[f"local--{name}@low-t0.7"]] * 2
    for form in (["--format", "csv"], ["--format", "jsonl"], ["--site"]):
        assert command.run("export", f"out-{form[-1]}", *form, "--db", "here.db").code == 0
