"""The `independence` command.

A command's module is imported when the command is named, and what the command works with when it runs: imports stand in
its body. So `--help` and a mistyped option load next to nothing.
"""

from __future__ import annotations

import functools
import importlib
import textwrap
from typing import Any, Final

import click

from independence import __version__
from independence.cli.option_groups import Command
from independence.config import plugins
from independence.errors import suggestion

# name -> (module in this package and what it calls the command, or "" where our extension has it; one line for --help)
COMMANDS: Final = {
    "demo": ("run.demo", "See it work: simulated subjects, no key, no network."),
    "run": ("run.run", "Run a suite on models, grade all, print the board."),
    "published": ("", "The published board of real models; no key, no network."),
    "check": ("check.command", "Decide whether a model under your prompt holds; for CI."),
    "rerun": ("run.rerun", "More runs of stored subjects."),
    "judge": ("run.judge", "Grade stored replies with another judge."),
    "validate-judges": ("validate_judges.command", "How far judges agree, whom they favour, what they cost."),
    "leaderboard": ("leaderboard.command", "Print the board of a store."),
    "view": ("view.command", "Read boards and dialogues in the browser, or follow a run."),
    "show": ("show.command", "Print a dialogue as it was sent, with verdicts and reasons."),
    "extract-names": ("extract_names.command", "The names that subjects chose for themselves."),
    "compare": ("compare.command", "Test how two subjects, conditions, judges or suites differ."),
    "estimate-cost": ("estimate_cost.command", "What a run would cost: tokens, dollars, range."),
    "merge": ("merge.command", "One store of several, as of the shards of a run."),
    "clear-cache": ("clear_cache.command", "Delete stored results, after listing them."),
    "generate-report": ("generate_report.command", "Write the whole report: Markdown or one HTML file."),
    "import": ("exchange.import_", "Import published results, or scores that people gave."),
    "label-sample": ("exchange.label_sample", "Write a balanced sample of dialogues for people to score."),
    "export": ("exchange.export", "Write the content of a store as files for other tools."),
    "persona": ("persona.command", "Write a persona file by asking, or check one."),
    "suites": ("suites.command", "List the built-in suites, or check your own."),
    "models": ("models.command", "List configurations, or search an endpoint's catalogue."),
    "doctor": ("doctor.command", "Check key, endpoint, model and store, and say what to fix."),
    "endpoint": ("endpoint.command", "Serve the simulated models over HTTP on this machine."),
    "schema": ("schema.command", "The JSON Schema of models.yaml or suite.yaml, for editors."),
    "completion": ("completion.command", "Complete commands and names in bash, zsh or fish."),
}

# What `--help` shows with a line each; it names the others alone.
GROUPS: Final = {
    "Measure": ("demo", "run", "check"),
    "Read": ("leaderboard", "compare", "view", "show", "generate-report"),
    "Judge": ("judge", "validate-judges"),
    "Exchange": ("import", "export"),
}

# One or two command lines a command, shown below its options. A test runs them through its parser.
EXAMPLES: Final = {
    "demo": ("demo", "demo --suite sides"),
    "run": (
        "run -m anthropic/claude-haiku-4.5 --runs 5 --max-cost 2",
        "run --local-url http://127.0.0.1:1234/v1 --local-model qwen3-8b --judge cues",
        "run -m openai/gpt-5-mini,anthropic/claude-haiku-4.5 --until-decided --max-cost 2",
    ),
    "check": (
        "check mira.md -m openai/gpt-5-mini --max-cost 2",
        "check -m openai/gpt-5-mini --system-prompt my-persona.md --min-index 80 --max-cost 2",
        "check -m openai/gpt-5-mini --against baseline.json --max-drop 3 --junit check.xml",
    ),
    "rerun": ("rerun --top-n 5 --target-runs 10",),
    "judge": ("judge -j cues", "judge -j google/gemini-3-flash-preview --max-cost 2"),
    "validate-judges": ("validate-judges --worst 5",),
    "leaderboard": ("leaderboard --detailed", "leaderboard --suite v2 --judge cues --format csv"),
    "view": ("view", "view --port 0 --no-open"),
    "show": ("show sim/half", "show sim/half pt03 --run 2"),
    "extract-names": ("extract-names -x local/qwen3-8b --local-url http://127.0.0.1:1234/v1",),
    "compare": (
        "compare sim/never sim/half",
        "compare claude-haiku-4.5 --against-system-prompt my-persona.md",
        "compare --suites sides,sides-es",
    ),
    "estimate-cost": (
        "estimate-cost -m openai/gpt-5-mini --runs 5",
        "estimate-cost --roster default --runs 1 --format json",
    ),
    "persona": ("persona lint my-persona.md",),
    "persona lint": ("persona lint my-persona.md",),
    "persona init": (
        "persona init my-persona.md --from prompt.md -m openai/gpt-5-mini",
        "persona init my-persona.md --name Mira --role companion",
        "persona init amaru.md --example amaru",
    ),
    "merge": ("merge shard-1.db shard-2.db --db whole.db",),
    "clear-cache": ("clear-cache --missing --dry-run", "clear-cache -m openai/gpt-5-mini --yes"),
    "generate-report": ("generate-report --html",),
    "import": ("import --published", "import labels.csv", "import ratings.json"),
    "label-sample": ("label-sample labels.csv --size 60 --suite rent",),
    "export": (
        "export results --as csv",
        "export results --system-prompt my-persona.md --force",
        "export site --as site",
    ),
    "suites": ("suites", "suites lint my-suite"),
    "suites list": ("suites list",),
    "suites lint": ("suites lint my-suite",),
    "suites grid": ("suites grid rent --output grid.jsonl",),
    "models": ("models --catalogue haiku", "models --models-file published"),
    "doctor": ("doctor -m openai/gpt-5-mini",),
    "endpoint": ("endpoint --port 0 --latency 0.05 --faults 429=0.1",),
    "schema": ("schema models",),
    "completion": ("completion bash",),
}

# What options of the published projects are called here; "": it is done anyway. Of a command that has no such option.
THEIRS: Final = {
    "--model": "--models", "--judge-model": "--judge", "--scores-only": "--verdicts", "--include-neutral": "",
    "--score-now": "",
}  # fmt: skip

_INTERRUPTED: Final = 130


@functools.cache
def _loaded(name: str) -> click.Command:
    """The command of that name, with its examples."""
    module, _, attribute = COMMANDS[name][0].partition(".")
    command = getattr(importlib.import_module(f"{__package__}.{module}"), attribute) if module else _added(name)
    assert isinstance(command, click.Command)
    inner = {f"{name} {sub}": one for sub, one in getattr(command, "commands", {}).items()}
    for words, one in {name: command, **inner}.items():
        if lines := [f"  independence {line}" for line in EXAMPLES.get(words, ())]:  # others bring their own
            one.epilog = "\n".join(["\b", "Examples:" if len(lines) > 1 else "Example:", *lines])
    return command


def _added(name: str) -> click.Command | None:
    """The command of that name that a package adds; None where none does. Raises UsageError for one that is broken."""
    return plugins.find(plugins.COMMANDS, name, click.Command) if plugins.declared(plugins.COMMANDS, name) else None


class SuggestingGroup(click.Group):
    """A group that suggests a near name for an unknown command."""

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """The command that is named. Fails where there is none."""
        if args and self.get_command(ctx, args[0]) is None:
            ctx.fail(f"no command `{args[0]}`; {suggestion(args[0], self.list_commands(ctx), 'commands:')}")
        return super().resolve_command(ctx, args)


class ExtensibleGroup(SuggestingGroup, Command):
    """A group that packages add commands to: the entry point `suites.NAME` is `independence suites NAME`."""

    command_class = Command

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """A command of the group, or of another package."""
        return super().get_command(ctx, cmd_name) or _added(f"{self.name}.{cmd_name}")

    def add_ours(self) -> None:
        """Add the commands of our own extensions, so that `--help` lists them."""
        for name in plugins.ours(plugins.COMMANDS):
            group, _, own = name.partition(".")
            if group == self.name:
                self.add_command(plugins.find(plugins.COMMANDS, name, click.Command), own)


def _as_ours(command: click.Command, args: list[str]) -> list[str]:
    """The arguments, with what the published projects call otherwise by its name here."""
    known = {name for option in command.params for name in option.opts}
    out = []
    for arg in args:
        word, equals, value = arg.partition("=")
        ours = THEIRS.get(word) if word not in known else None
        out += [] if ours == "" else [f"{ours}{equals}{value}"] if ours in known else [arg]
    return out


class LazyGroup(SuggestingGroup):
    """A group that imports a command's module only when that command is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names in the order of `COMMANDS`."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, ours or of another package."""
        return _loaded(cmd_name) if cmd_name in COMMANDS else _added(cmd_name)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """The command that is named, with the words of the published projects as ours."""
        name, command, rest = super().resolve_command(ctx, args)
        return name, command, _as_ours(command, rest) if command else rest

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List commands from the table, importing none of them."""
        width, rest = max(map(len, COMMANDS)), [*COMMANDS]
        for group, names in GROUPS.items():
            with formatter.section(group):
                formatter.write_dl([(name.ljust(width), COMMANDS[name][1]) for name in names])
            rest = [name for name in rest if name not in names]
        with formatter.section("More"):
            lines = textwrap.wrap(", ".join(rest), formatter.width - 2, break_on_hyphens=False)
            formatter.write("".join(f"  {line}\n" for line in lines))

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command."""
        try:
            from independence.cli.output import process
        except KeyboardInterrupt:  # of which Click makes a mistake, with exit code 1
            click.echo("Error: interrupted", err=True)
            ctx.exit(_INTERRUPTED)
        return process.run(functools.partial(super().invoke, ctx))


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="independence")
def main() -> None:
    """Does a language model keep its identity, boundaries and preferences when someone presses it?

    Start with `independence demo`: no key, no network. Exit codes: 0 complete, 1 a gate failed, 2 bad usage or
    configuration, 3 incomplete, 4 stopped by --max-cost, 5 undecided, 70 an error of the program, 130 interrupted (run
    again to resume).
    """
