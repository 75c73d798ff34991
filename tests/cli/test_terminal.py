"""What a terminal shows: escaped, in commands that run as they are printed, and without orders to a runner of CI."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from independence.cli import options
from independence.cli.main import COMMANDS, main
from independence.cli.output import terminal
from independence.cli.output.table_output import console
from independence.cli.output.terminal import WITHOUT_STORE, laid_out, note, one_line, plain, runnable
from tests.e2e import command


def test_what_could_steer_or_fool_a_terminal_is_spelled_out_and_the_rest_stays() -> None:
    shown = {
        "\x1b[31mred\x1b[0m": r"\u001b[31mred\u001b[0m",
        "over\rwritten": r"over\u000dwritten",
        "bell\x07 null\x00 delete\x7f": r"bell\u0007 null\u0000 delete\u007f",
        "\x9b31m": r"\u009b31m",
        "right\u202eleft": r"right\u202eleft",
        "mark\u061c": r"mark\u061c",
        "zero\u200bwidth\ufeff": r"zero\u200bwidth\ufeff",
        "soft\xadhyphen": r"soft\u00adhyphen",
        "tag\U000e0041": r"tag\U000e0041",
        "half\ud800": r"half\ud800",
        "line\u2028break": r"line\u2028break",
        "joi\u200dner": r"joi\u200dner",
    }
    read = "Ünïcode 👩\u200d🚀 ☕ 한글 עברית\ttab\nline — [bold]markup[/bold]"
    assert {text: plain(text) for text in shown} == shown
    assert plain(read) == read
    assert one_line("half\nnever\t\x1b") == r"half\u000anever\u0009\u001b"


@given(st.text(st.characters(codec=None)))
def test_any_text_comes_out_printable_and_encodable(text: str) -> None:
    shown = plain(text)
    shown.encode("utf-8")
    assert not [mark for mark in shown if ord(mark) < 0x20 and mark not in "\t\n"]
    assert plain(shown) == shown


def test_a_console_reads_no_markup_out_of_what_it_prints(capsys: pytest.CaptureFixture[str]) -> None:
    console().print("[red]:coffee:[/red]")
    assert capsys.readouterr().out == "[red]:coffee:[/red]\n"


def test_a_note_goes_to_stderr_escaped_or_nowhere(capsys: pytest.CaptureFixture[str]) -> None:
    note("said\x1b")
    note("unsaid", quiet=True)
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", "said\\u001b\n")


STEPS = [("independence leaderboard --detailed", "every run"), ("export KEY=...", "your key; then:")]
LONG = "independence run --suite v2 --local-url http://127.0.0.1:1234/v1 --local-model ID -j cues"


def test_what_to_do_next_stands_on_a_line_or_goes_on_where_a_shell_still_reads_it_as_one() -> None:
    assert laid_out(STEPS, 80) == [
        "  independence leaderboard --detailed   # every run",
        "  export KEY=...   # your key; then:",
    ]
    why, *lines = laid_out([(LONG, "a model of your own")], 60)
    assert why == "  # a model of your own"
    assert max(map(len, lines)) <= 60
    assert all(line.endswith(" \\") for line in lines[:-1])
    assert " ".join("\n".join(lines).replace("\\\n", "").split()) == LONG
    assert laid_out([(LONG, "a model of your own")], None) == [f"  {LONG}   # a model of your own"]  # into a pipe


HINT = "`independence leaderboard` shows who is"


def started(monkeypatch: pytest.MonkeyPatch, folder: Path, as_: str | Path, path: str = "") -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("PATH", path)
    monkeypatch.setattr(sys, "argv", [str(as_)])


def script(folder: Path) -> Path:
    file = folder / ".venv" / "bin" / "independence"
    file.parent.mkdir(parents=True)
    file.write_text("#!/bin/sh\n")
    file.chmod(0o755)
    return file


def test_a_command_is_named_as_it_was_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, here = script(tmp_path / "a place"), tmp_path / "here"
    here.mkdir()
    module = Path("/somewhere/independence/__main__.py")
    for folder, as_, path, shown in (
        (file.parents[2], file, "", ".venv/bin/independence leaderboard"),
        (here, file, "", f"'{file}' leaderboard"),
        (here, file, f"{file.parent}", "independence leaderboard"),
        (here, module, "", f"{sys.executable} -m independence leaderboard"),
    ):
        started(monkeypatch, folder, as_, path)
        assert runnable(HINT) == f"`{shown}` shows who is"


@pytest.mark.parametrize("name", ["$(touch OWNED); `id`.md", "a --db b.db", 'it\'s "so"', "plain", "-x `` y", "a\\b"])
def test_a_name_in_a_command_is_one_word_for_the_shell_and_no_option_is_read_out_of_it(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    said: list[str] = []

    @options.command("show")
    def show(db: options.Db) -> None:
        assert db
        said.append(runnable(f"See `independence leaderboard --system-prompt {shlex.quote(name)} --explain`."))

    monkeypatch.setattr(sys, "argv", ["pytest"])
    show.main(["--db", "my store.db"], standalone_mode=False)
    assert said[0].startswith("See `independence ")
    assert said[0].endswith("`.")
    words = ["independence", "leaderboard", "--system-prompt", name, "--explain", "--db", "my store.db"]
    assert shlex.split(said[0][5:-2]) == words


@pytest.mark.parametrize(
    ("store", "variable", "hint", "printed"),
    [
        ("other one.db", None, "leaderboard", "leaderboard --db 'other one.db'"),
        ("independence.db", None, "leaderboard", "leaderboard"),
        (None, "set.db", "leaderboard", "leaderboard"),
        ("other.db", None, "demo", "demo"),
        ("other.db", None, "models --catalogue", "models --catalogue"),
        ("other.db", None, "judge -j cues", "judge -j cues --db other.db"),
        ("other.db", None, "leaderboard --db mine.db", "leaderboard --db mine.db"),
        ("other.db", None, "view", "view --db other.db"),
        ("other.db", None, "view --site out", "view --site out"),
        ("other.db", None, "export out --site", "export out --site --db other.db"),
    ],
)
def test_the_store_is_named_where_a_command_would_not_find_it(
    monkeypatch: pytest.MonkeyPatch, store: str | None, variable: str | None, hint: str, printed: str
) -> None:
    said: list[str] = []

    @options.command("show")
    def show(db: options.Db) -> None:
        assert db
        said.append(terminal.command_line(hint))

    if variable:
        monkeypatch.setenv("INDEPENDENCE_DB", variable)
    monkeypatch.setattr(sys, "argv", ["pytest"])
    show.main(["--db", store] if store else [], standalone_mode=False)
    assert said == [f"independence {printed}"]


def test_every_command_about_a_store_is_known_as_one() -> None:
    context = click.Context(main)
    having = {
        name
        for name in COMMANDS
        if (command := main.get_command(context, name)) and any(one.name == "db" for one in command.params)
    }
    assert {*COMMANDS} - having | {"demo"} == WITHOUT_STORE - {""}


ORDERS = "::error::one\n  ::stop-commands::two\n##[add-mask]three\r::warning::four"


def test_words_of_a_model_give_no_orders(toy_folder: Path, tmp_path: Path) -> None:
    gate = ("check", "--suite", toy_folder, "-m", "sim/always", "-j", "cues", "--min-index", "90", "--db", "here.db")
    first = command.run(*gate, "--format", "json", cwd=tmp_path)
    assert first.code == 1
    with command.opened(tmp_path / "here.db") as store:
        # Not in every reply: the same words to several questions are no answer.
        quoted = "SELECT trial FROM planned WHERE scenario = ?"
        scenario = first.board["quoted"][0]["scenario"]
        store.execute(f"UPDATE calls SET text = ? WHERE trial IN ({quoted})", (ORDERS, scenario))
        store.execute("UPDATE verdicts SET reasoning = ?", (ORDERS,))
    for form in ("table", "json", "md"):
        ended = command.run(*gate, "--format", form, cwd=tmp_path)
        assert (ended.code, "add-mask]three" in ended.out, "##[" in ended.out) == (1, True, False), form
        assert not [line for line in ended.out.splitlines() if line.lstrip().startswith("::")], form
        if form == "json":
            assert ended.board["quoted"][0]["quote"] == ended.board["quoted"][0]["reasoning"] == ORDERS
