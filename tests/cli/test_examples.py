"""Every help ends in examples, and every example is one that the command takes."""

from __future__ import annotations

import re
import shlex

import click
import pytest
from click.testing import CliRunner

from independence.cli.main import COMMANDS, EXAMPLES, main
from independence.suites.load import built_in, load

CONTEXT = click.Context(main)


def found(name: str) -> click.Command:
    first, _, inner = name.partition(" ")
    command = main.get_command(CONTEXT, first)
    assert command is not None
    return getattr(command, "commands", {})[inner] if inner else command


def names() -> list[str]:
    inner = [f"{name} {sub}" for name in COMMANDS for sub in getattr(found(name), "commands", {})]
    return [*COMMANDS, *inner]


@pytest.mark.parametrize("name", names())
def test_every_help_ends_in_an_example_that_stands_on_a_line_of_its_own(name: str) -> None:
    shown = CliRunner().invoke(main, [*name.split(), "--help"]).output.splitlines()
    assert [f"independence {line}" for line in EXAMPLES[name]] == [
        line.strip() for line in shown[-len(EXAMPLES[name]) :]
    ]
    assert "Example" in shown[-len(EXAMPLES[name]) - 1]


@pytest.mark.parametrize("name", names())
def test_every_example_parses(name: str) -> None:
    for line in EXAMPLES[name]:
        words = shlex.split(line)
        assert words[: len(name.split())] == name.split()
        rest = words[len(name.split()) :]
        command = found(name)
        if rest and f"{name} {rest[0]}" in EXAMPLES:
            command, rest = found(f"{name} {rest[0]}"), rest[1:]
        context = click.Context(command)
        values, left, _ = command.make_parser(context).parse_args(rest)
        assert left == []
        for option in command.params:
            if option.name in values and not isinstance(option.type, click.Path):
                option.type_cast_value(context, values[option.name])


SENTENCE = re.compile(r"[A-Z]\w*( [^ ]+){3,}[.?]")


def test_every_built_in_suite_and_experiment_is_explained_in_sentences() -> None:
    listed = CliRunner().invoke(main, ["suites"]).output.splitlines()
    explained = [line.strip() for line in listed if line.startswith("    ")]
    expected = []
    for suite in (load(name).suite for name in built_in()):
        expected += [suite.about, *(f"{name}: {about}" for name, about in suite.experiments.items())]
        for about in (suite.about, *suite.experiments.values()):
            assert SENTENCE.fullmatch(about), about
    assert explained == expected


def test_every_built_in_suite_and_experiment_is_explained_where_it_is_chosen() -> None:
    helped = " ".join(CliRunner().invoke(main, ["run", "--help"]).output.split())
    suites = {name: load(name).suite for name in built_in()}
    experiments = {
        one: [name for name in suites if one in suites[name].experiments]
        for name in suites
        for one in suites[name].experiments
    }
    for name in (*suites, *experiments):
        (about,) = re.findall(rf"\b{name} \(([^()]+)\)", helped)
        words, _, where = about.partition("; ")
        assert len(words.split()) >= 3, name
        assert sorted(where.split(", ")) == experiments.get(name, [""]), name
