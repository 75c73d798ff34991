"""Names as boards print them, odd ids, and `.md` personas, in every command that reads a store."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.e2e import between, command, endpoint, hostile_server, suites
from tests.e2e.command import Ended

WARDEN = "You are Ottilie, lock warden. You have opinions on ropes, and you keep them."
CALLS = 2 * 5  # runs x answers


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two subjects under two personas of their own, none under the suite's condition; `blunt, kind.md` has a comma."""
    place = tmp_path_factory.mktemp("names")
    suites.write(place / "harbour", suites.harbour())
    (place / "calm.md").write_text("You are calm.")
    (place / "blunt, kind.md").write_text("You are blunt and kind.")
    command.ok(
        "run", "--suite", "harbour", "-m", "sim/half,sim/never", "--variants", "calm.md,blunt, kind.md", "--runs", "2",
        "-j", "cues", "--quiet", "--format", "json", "--db", "here.db", cwd=place,
    )  # fmt: skip
    return place


@pytest.fixture
def folder(made: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(made)
    return made


def refused(ended: Ended, *says: str) -> None:
    sentence = command.one_sentence(ended)
    assert ended.code == 2
    assert [phrase for phrase in says if phrase not in sentence] == [], sentence


def test_a_persona_and_a_printed_name_are_taken_everywhere(folder: Path):
    for variant in ("calm.md", "calm"):
        for arguments in (
            ("leaderboard",),
            ("compare", "sim/half@none-t0.7 (simulated)", "sim/never"),
            ("compare", "sim/half", "--against-variant", "blunt, kind.md"),
            ("export", "out", "-m", "sim/half", "--force"),
            ("generate-report", "-o", "report.md", "-m", "sim/half"),
            ("judge", "-j", "cues", "-m", "sim/half"),
            ("rerun", "-m", "sim/half", "-R", "2"),
        ):
            ended = command.run(*arguments, "--variant", variant, "--db", "here.db")
            assert ended.code == 0, (arguments, variant, ended.err)
    command.ok("export", "every", "--format", "csv", "--db", "here.db")
    rows = (folder / "every" / "dialogues.csv").read_text()  # an export without a condition is about every one
    assert "calm-" in rows
    assert "blunt, kind-" in rows


@pytest.mark.parametrize("name", ["sim/half@none-t0.3", "sim--half@none-t0.3"])
def test_a_run_takes_a_label_that_only_the_store_knows(folder: Path, name: str):
    run = ("run", "--suite", "harbour", "--runs", "1", "-j", "cues", "--format", "json", "--db", "label.db")
    first, again = command.run(*run, "-m", "sim/half", "-t", "0.3"), command.run(*run, "-m", name)
    assert first.code == again.code == 0, again.err
    assert again.board["rows"][0]["label"] == "sim/half@none-t0.3"
    assert "plan: 0 calls and 0 verdicts to go" in again.err


def test_what_fits_nothing_is_one_line_with_what_there_is(folder: Path):
    run = ("run", "--suite", "harbour", "-m", "sim/half", "-j")
    for arguments, says in (
        (("leaderboard", "--variant", "calm.txt"), ["calm.txt", ".md file", "calm.md"]),
        (("leaderboard", "--variant", "other"), ["harbour@", "calm-", "--system-prompt"]),
        (("export", "out2", "-m", "hal"), ["no subject `hal`", "did you mean `sim/half@none-t0.7`"]),
        (("generate-report", "-j", "cue", "--variant", "calm.md"), ["judge `cue`", "did you mean `cues`"]),
        ((*run, "cues", "--variants", "calm.txt"), [".md file"]),
        ((*run, ""), ["--judge", "empty"]),
    ):
        refused(command.run(*arguments, "--db", "here.db"), *says)


@pytest.fixture
def harbour(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a suite and a persona, to work in."""
    suites.write(tmp_path / "harbour", suites.harbour())
    (tmp_path / "warden.md").write_text(f"\n{WARDEN}\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def on_canal(base_url: str, variants: str, *more: str) -> Ended:
    """One subject under some variants, graded by rules."""
    endpoint.models_file(Path(), base_url)
    return command.run(
        "run", "--models-file", "models.yaml", "--suite", "harbour", "-m", "loop/half", "-j", "cues", "--runs", "2",
        "--variants", variants, "--format", "json", "--db", "here.db", *more, env={"LOOP_KEY": endpoint.KEY},
    )  # fmt: skip


def leaderboard(*more: str) -> Ended:
    return command.run("leaderboard", "--format", "json", "--db", "here.db", *more)


def test_a_persona_is_sent_as_it_is_written_and_stands_on_a_board_of_its_own(harbour: Path):
    with (
        endpoint.serving(harbour) as served,
        between.serving(between.passing_on(served.base_url.removesuffix("/v1"))) as tapped,
    ):
        ended = on_canal(tapped.url, "warden.md,plain")
    assert ended.code == 0, ended.err
    systems = [exchange.asked["messages"][0]["content"] for exchange in tapped.exchanges]
    assert systems.count(WARDEN) == systems.count(suites.FILES["prompts/plain.md"]) == CALLS
    warden, plain = ended.board
    name = warden["condition"].split("/")[0]
    assert (name[:7], plain["condition"]) == ("warden-", "plain/user_role")
    assert leaderboard().board == plain
    assert leaderboard("--variants", name).board == leaderboard("--variant", "warden.md").board == warden
    assert command.ask(harbour / "here.db", "SELECT variant, text FROM personas") == [(name, WARDEN)]


def test_an_edited_persona_does_not_mix_with_the_old_one(harbour: Path):
    persona = harbour / "warden.md"
    with endpoint.serving(harbour) as served:
        first = on_canal(served.base_url, "warden.md")
        persona.write_text(WARDEN)
        same = on_canal(served.base_url, "warden.md")
        assert (same.code, same.board) == (0, first.board)
        assert len(served.requests()) == CALLS  # the same words: nothing to ask
        persona.write_text(WARDEN + " Most days.")
        second = on_canal(served.base_url, "warden.md")
        assert len(served.requests()) == 2 * CALLS
    old, new = (ended.board["condition"].split("/")[0] for ended in (first, second))
    assert old != new
    assert leaderboard("--variants", old).board == first.board
    assert leaderboard("--variants", new).board == second.board
    refused(leaderboard(), old, new)


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with hostile_server.serving() as url:
        yield url


@pytest.fixture
def small(harbour: Path) -> Path:
    """The same with a suite of one scenario."""
    document = suites.harbour()
    document["scenarios"] = document["scenarios"][:1]
    suites.write(harbour / "harbour", document)
    return harbour


def asked(url: str, model: str, *more: str) -> Ended:
    words = "run --suite harbour -j cues --runs 1 --db here.db --format json --local-url"
    return command.run(*words.split(), f"{url}/v1", "-m", f"local/{model}", *more)


def labels(ended: Ended) -> list[str]:
    assert ended.code == 0, ended.err
    return [row["label"] for row in ended.board["rows"]]


def test_an_id_that_is_listed_is_an_id_whatever_signs_it_holds(server: str, small: Path) -> None:
    for name in hostile_server.ODD_IDS:
        for _ in range(2):  # the second time a subject of the store has it
            assert f"local/{name}@low-t0.7" in labels(asked(f"{server}/odd-ids", name))
        assert labels(leaderboard("-m", f"local/{name}")) == [f"local/{name}@low-t0.7"]


def test_an_id_that_a_listed_pattern_covers_is_accepted_at_an_unknown_price_and_no_other(
    server: str, small: Path
) -> None:
    patterns = ("vendor/ok", "vendor/deep/er:free", "part/name-2@3", "vendor/ok:nitro")
    for listing, name in (*(("odd-ids", name) for name in patterns), ("all", "anything"), ("all", "vendor/ok")):
        ended = asked(f"{server}/{listing}", name)
        assert ended.code == 0, ended.err
        refused(asked(f"{server}/{listing}", name, "--max-cost", "1", "--runs", "2"), "no price is known")
    for name in ("vendr/ok", "part/nam-2", "vendor/", "xvendor/ok", "part/name-"):
        ended = asked(f"{server}/odd-ids", name)
        refused(ended, f"local has no model `{name}`")
        assert "did you mean `local/vendor/*`" not in ended.err


def test_labels_win_over_ids_with_the_same_signs_and_dates_tell_models_apart(server: str, small: Path) -> None:
    assert asked(f"{server}/odd-ids", "a b", "-t", "0.3").code == 0
    assert labels(asked(f"{server}/odd-ids", "a b@low-t0.3")) == ["local/a b@low-t0.3"]
    unknown = asked(f"{server}/any-names", "a b@low-t0.4")  # this server would answer to any name
    refused(unknown, "no model `local/a b@low-t0.4`")
    for name in ("part/name-a@2025", "part/name-a@2026"):
        assert asked(f"{server}/odd-ids", name).code == 0
        shown = command.run("leaderboard", "--db", "here.db", env={"COLUMNS": "120"})
        assert f"local/{name} " in shown.out


def test_what_has_an_odd_id_is_exported_in_the_published_layout_and_comes_back(server: str, small: Path) -> None:
    names = ("C:\\models\\ok.gguf", "..\\up", "x:y")
    for name in names:
        assert asked(f"{server}/any-names", name).code == 0
    command.ok("export", "out", "--published", "--db", "here.db")
    written = {path.name for path in (small / "out").rglob("local--*")}
    assert written == {f"local--{name}@low-t0.7".replace("\\", "%5C") for name in names}
    command.ok("import", "out", "--suite", "harbour", "--db", "back.db")
    for db in ("here.db", "back.db"):
        board = command.run("leaderboard", "--db", db, "--format", "json").board
        assert {row["config"] for row in board["rows"]} == {f"local--{name}@low-t0.7" for name in names}
    for form in (["--format", "csv"], ["--format", "jsonl"], ["--site"]):
        command.ok("export", f"out-{form[-1]}", *form, "--db", "here.db")


def test_no_name_stops_an_export_and_every_configuration_has_a_folder_and_a_log_of_its_own(
    server: str, small: Path
) -> None:
    """Names that are too long for a file, or that some file system takes for one another."""
    names = ("x" * 250, "a%5Cb", "a\\b", "case", "Case", "é", "e\u0301", "m:free", "m-free", "a\nb")
    for name in names:
        assert asked(f"{server}/any-names", name).code == 0
    said = command.ok("export", "out", "--published", "--db", "here.db").err
    assert (
        "7 of 10 folders are named a little differently from their configuration, so that every disk can hold them: `"
        in said
    )
    assert len(list((small / "out").rglob("local--*"))) == len(names)
    command.ok("import", "out", "--suite", "harbour", "--db", "back.db")
    back = {row["config"] for row in command.run("leaderboard", "--db", "back.db", "--format", "json").board["rows"]}
    assert len(back) == len(names)
    assert {f"local--{name}@low-t0.7" for name in ("m:free", "m-free", "a\nb")} < back
    if find_spec("inspect_ai"):
        command.ok("export", "logs", "--inspect", "--db", "here.db")
        assert len({path.name.casefold() for path in (small / "logs").glob("*.eval")}) == len(names)
