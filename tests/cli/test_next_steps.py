"""What to do next, on terminals of different widths."""

from __future__ import annotations

from independence.cli.terminal import laid_out

STEPS = [("independence leaderboard --detailed", "every run"), ("export KEY=...", "your key; then:")]
LONG = "independence run --suite v2 --local-url http://127.0.0.1:1234/v1 --local-model ID -j cues"


def test_a_command_stands_on_one_line_with_what_it_is_good_for() -> None:
    assert laid_out(STEPS, 80) == [
        "  independence leaderboard --detailed   # every run",
        "  export KEY=...   # your key; then:",
    ]


def test_a_command_without_room_goes_on_where_a_shell_still_reads_it_as_one() -> None:
    why, *lines = laid_out([(LONG, "a model of your own")], 60)
    assert why == "  # a model of your own"
    assert max(map(len, lines)) <= 60
    assert all(line.endswith(" \\") for line in lines[:-1])
    assert " ".join("\n".join(lines).replace("\\\n", "").split()) == LONG


def test_into_a_pipe_every_command_is_whole() -> None:
    assert laid_out([(LONG, "a model of your own")], None) == [f"  {LONG}   # a model of your own"]
