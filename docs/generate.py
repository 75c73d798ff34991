"""Writes the pages that are generated from the code; `tests/test_docs.py` fails if one is out of date.

Run it from anywhere: `python docs/generate.py`. A new page is an entry of `PAGES`.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import click

from independence.cli.main import COMMANDS, main
from independence.cli.option_groups import group_of
from independence.clients import features
from independence.config import entries
from independence.config.entries import ShippedEndpoint
from independence.config.flags import ORDER, OWN

FOLDER = Path(__file__).parent
Option = tuple[str, tuple[str, ...], str, str]  # group, flags, meaning, default

EXIT_CODES = {
    0: "complete",
    1: "a gate failed (`check`, `suites lint`, `doctor`)",
    2: "bad usage or configuration, an empty store, no match, a part of a request that does not reach the model",
    3: "incomplete: answers or verdicts are missing, a model cannot be asked any more, no credit, the disk is full",
    4: "stopped by `--max-cost`; `check` ends with 5 then",
    5: "undecided: `check` may ask nothing further",
    70: "an error of the program or too little memory: never a verdict on a model",
    130: "interrupted; the same command resumes",
}
HEAD = """\
# Reference

All commands and options, as `independence COMMAND --help-all` prints them; `python docs/generate.py` writes this page.

`--variants` and `--variant` are older names of `--system-prompt`,
`--modes` and `--mode` of `--delivery`. They still work.
"""


def reference() -> str:
    """The page of all commands."""
    found = dict(commands())
    users: dict[Option, list[str]] = {}
    for name, command in found.items():
        for option in options(command):
            users.setdefault(option, []).append(name)
    shared: dict[str, dict[tuple[str, ...], list[Option]]] = {group: {} for group in ORDER}
    for option, names in users.items():
        if len(names) > 1:
            shared[option[0]].setdefault(tuple(names), []).append(option)
    codes = [f"| {code} | {meaning} |" for code, meaning in EXIT_CODES.items()]
    parts = [HEAD, "## Exit codes\n", "| code | meaning |\n|---|---|", *codes, "\n## Shared options\n"]
    parts += ["Options of several commands, in addition to those of each command below."]
    for group, own in shared.items():
        parts += ["", f"### {group}"] if own else []
        for together, rows in own.items():
            parts += ["", f"{', '.join(f'`{name}`' for name in together)}:", "", *listed(rows)]
    for name, command in found.items():
        parts += section(name, command, [option for option in options(command) if len(users[option]) == 1])
    return "\n".join(parts) + "\n"


def commands() -> Iterator[tuple[str, click.Command]]:
    """Every command and command within a command, by its full name."""
    context = click.Context(main)
    for name in COMMANDS:
        command = main.get_command(context, name)
        assert command is not None
        yield name, command
        for inner, sub in getattr(command, "commands", {}).items():
            yield f"{name} {inner}", sub


def options(command: click.Command) -> list[Option]:
    """The options of a command in their order."""
    return [
        (group_of(option), (*option.opts, *option.secondary_opts), meaning(option), default(option))
        for option in command.params
        if isinstance(option, click.Option) and not option.hidden
    ]


def meaning(option: click.Option) -> str:
    """The help of an option with the values that it takes."""
    values = ", ".join(f"`{value}`" for value in option.type.choices) if isinstance(option.type, click.Choice) else ""
    text = re.sub(r" *\[default: [^]]*\]", "", option.help or "").strip()
    return " ".join(part for part in (text, values and f"One of {values}.", "Required." * option.required) if part)


def default(option: click.Option) -> str:
    """The default of an option, as its help shows it; empty for none and for switches."""
    written = re.search(r"\[default: ([^]]*)\]", option.help or "")
    shown = written[1] if written else str(option.default) if option.show_default else ""
    named = f"`{shown}`" if shown else ""
    return f"{named}, or `{option.envvar}`" if option.show_envvar and option.envvar else named


def listed(rows: list[Option]) -> list[str]:
    """Options as a list."""
    return [
        f"- {', '.join(f'`{flag}`' for flag in flags)}: {text}{f' Default: {value}.' if value else ''}"
        for _, flags, text, value in rows
    ]


def section(name: str, command: click.Command, own: list[Option]) -> list[str]:
    """One command: what it does, and the options that no other has."""
    context = click.Context(command)
    arguments = [param.make_metavar(context) for param in command.params if isinstance(param, click.Argument)]
    usage = [f"`independence {' '.join([name, *arguments])}`", ""] if arguments else []
    text = re.sub(r"(?<!\n)\n(?!\n)", " ", inspect.cleandoc(command.help or ""))
    parts = ["", f"## {name}", "", *usage, text]
    for group in ORDER:
        if rows := [option for option in own if option[0] == group]:
            parts += ["", *([] if group == OWN else [f"{group}:", ""]), *listed(rows)]
    return parts


def keys() -> str:
    """The page of the endpoints that ship: its text, with what `endpoints.yaml` says put in."""
    rows = ["| API | name | key | a judge |", "|---|---|---|---|"]
    text = (FOLDER / "keys.md.in").read_text("utf-8")
    for name, entry in entries.shipped().items():
        variables = " or ".join(f"`{variable}`" for variable in entry.key_variables)
        rows.append(f"| [{entry.title}](#{name}) | `{name}` | {variables} | `{name}/{entry.judge}` |")
        facts = "\n".join(f"- {fact}" for fact in known_of(entry))
        assert f"@{name}\n" in text, f"docs/keys.md.in has no section of {name}"
        text = text.replace(f"@{name}\n", f"{facts}\n")
    return text.replace("@table", "\n".join(rows))


def known_of(entry: ShippedEndpoint) -> Iterator[str]:
    """What the entry of an endpoint says, and where it is from."""
    links = (source.rpartition(": ") for source in entry.sources)
    yield f"{entry.title}, `{entry.base_url}`. {', '.join(f'[{title}]({url})' for title, _, url in links)}."
    for feature, name in entry.features.items():
        yield f"From the start {features.told(name)} (`{feature}: {name}`)."
    if entry.no_temperature:
        yield f"No temperature is sent to {', '.join(f'`{pattern}`' for pattern in entry.no_temperature)}."


WIDTH, LEFT, RIGHT, TOP, BOTTOM = 720, 64, 700, 24, 280  # of the chart, and where its axes are
CALLS = 200  # between two marks of its axis
POWERS = re.compile(r"^\| (\d+)% \| ([\d,]+) \| ([\d,]+) \|", re.MULTILINE)  # rows of spending.md's table
CHART = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 330" role="img" aria-labelledby="title" \
font-family="system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif" font-size="13">
  <title id="title">Calls of a pair against the share of pairs that are told apart</title>
  <style>
    text { fill: #3d4650 }
    .axis { stroke: #8c97a5; fill: none }
    .whole { stroke: #8c97a5; stroke-width: 2.5; fill: none }
    .decided { stroke: #2f6fc4; stroke-width: 2.5; fill: none }
    @media (prefers-color-scheme: dark) { text { fill: #c3ccd6 } .decided { stroke: #5b9bf0 } }
  </style>
"""


def spending() -> str:
    """The chart of spending.md, drawn from its own table: calls to the right, the share of pairs upwards."""
    found = POWERS.findall((FOLDER / "spending.md").read_text("utf-8"))
    rows = [[int(cell.replace(",", "")) for cell in row] for row in found]
    shares, *columns = zip(*rows, strict=True)
    most = max(map(max, columns))

    def x(calls: float) -> float:
        return float(round(LEFT + (RIGHT - LEFT) * calls / most, 1))

    def y(share: float) -> float:
        return float(round(BOTTOM - (BOTTOM - TOP) * (share - shares[0]) / (shares[-1] - shares[0]), 1))

    parts = [f'<path class="axis" d="M{LEFT},{TOP}V{BOTTOM}H{RIGHT}"/>']
    parts += [words(x(calls), BOTTOM + 18, f"{calls:,}", "middle") for calls in range(0, most + 1, CALLS)]
    parts += [words(LEFT - 8, y(share) + 4, f"{share}%", "end") for share in shares]
    parts.append(words(WIDTH / 2, BOTTOM + 40, "calls of both models together", "middle"))
    names = {"whole": ("whole runs, fixed beforehand", 14, "start"), "decided": ("until it is decided", -14, "end")}
    for calls, (kind, (name, beside, anchor)) in zip(columns, names.items(), strict=True):
        points = " ".join(f"{x(one)},{y(share)}" for one, share in zip(calls, shares, strict=True))
        parts.append(f'<polyline class="{kind}" points="{points}"/>')
        parts.append(words(x(calls[2]) + beside, y(shares[2]) + 4, name, anchor))
    return CHART + "".join(f"  {part}\n" for part in parts) + "</svg>\n"


def words(x: float, y: float, text: str, anchor: str) -> str:
    """Words in the chart."""
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}">{text}</text>'


PAGES: dict[str, Callable[[], str]] = {
    "reference.md": reference,
    "keys.md": keys,
    "spending.svg": spending,
}


if __name__ == "__main__":
    for page, content in PAGES.items():
        (FOLDER / page).write_text(content(), "utf-8")
