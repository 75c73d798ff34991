"""Commands out of declarations: the parameters of a function, and the fields of the records it takes, are its options.

`options.command("view")` makes a command of a function. Of each parameter a `Flag` or an `Argument` in its annotation
says how it is given; of a parameter that is a record, as `RunOptions`, the `Flag`s of its fields, and those of the
records in it. A dictionary beside a record, `Annotated[Sampling, {"effort": Flag(...)}]`, adds flags or replaces them.
"""

from __future__ import annotations

import functools
import inspect
import itertools
import types
import typing
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import click
import msgspec

from independence.cli import completion
from independence.cli.option_groups import Command, Option
from independence.cli.output import terminal
from independence.config.flags import ADVANCED, OUTPUT, WHAT, Argument, Flag
from independence.config.options import FORCE, ONLY_MODELS, DecisionOptions
from independence.errors import UsageError


class NameList(click.ParamType):  # type: ignore[type-arg]
    """A comma list of names, blanks trimmed, empty parts refused; a `.md` file that is there may hold commas."""

    name = "A,B"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, ...]:
        """Split, the longest file name first."""
        if isinstance(value, tuple):
            return value
        parts, out = str(value).split(","), list[str]()
        while parts:
            joined = [",".join(parts[:end]).strip() for end in range(len(parts), 0, -1)]
            files = [name for name in joined if name.endswith(".md") and Path(name).is_file()]
            out.append(files[0] if files else parts[0].strip())
            parts = parts[out[-1].count(",") + 1 :]
            if not files and out[-1].encode(errors="replace").decode() != out[-1]:
                self.fail(f"`{terminal.plain(str(value))}` holds a byte that is no UTF-8", param, ctx)
        if not all(out):
            self.fail(f"`{value}` has an empty name in it", param, ctx)
        return tuple(out)


def command(
    name: str, *, into: click.Group | None = None, cls: type[Command] = Command, epilog: str | None = None
) -> Callable[[Callable[..., None]], click.Command]:
    """Makes a command of a function, a part of the group `into` where it is one's."""

    def made(function: Callable[..., None]) -> click.Command:
        hints = typing.get_type_hints(function, include_extras=True)
        usual = {one.name: one.default for one in inspect.signature(function).parameters.values()}

        @functools.wraps(function)
        def called(**values: Any) -> None:
            own = _gathered(hints, values)
            function(**own, **values)  # what other packages have added is left

        params = [*_parameters(hints, usual, name)]
        out = click.command(name, cls=cls, params=params, epilog=epilog)(called)
        if into is not None:
            into.add_command(out)
        return out

    return made


def _parameters(
    hints: Mapping[str, Any], usual: Mapping[str, Any], command: str, also: Mapping[str, Flag] | None = None
) -> Iterator[click.Parameter]:
    """The options and arguments of a function or record; `usual`: defaults, `also`: flags that are said elsewhere."""
    for field, hint in hints.items():
        kind, said = _divided(hint)
        flag = (also or {}).get(field) or next((one for one in said if isinstance(one, Flag | Argument)), None)
        if isinstance(flag, Argument):
            yield _argument(field, kind, usual[field], flag)
        elif flag is not None:
            if not flag.on or command in flag.on.split():
                yield _option(field, kind, usual.get(field), flag)
        elif _is_record(kind):
            inner = next((one for one in said if isinstance(one, dict)), None)
            yield from _parameters(typing.get_type_hints(kind, include_extras=True), _defaults(kind), command, inner)


def _divided(hint: Any) -> tuple[Any, tuple[Any, ...]]:
    """A type without None, and what is annotated beside it."""
    said: tuple[Any, ...] = ()
    if typing.get_origin(hint) is Annotated:
        hint, *beside = typing.get_args(hint)
        said = tuple(beside)
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        hint = next(one for one in typing.get_args(hint) if one is not types.NoneType)
    return hint, said


def _is_record(kind: Any) -> bool:
    return isinstance(kind, type) and (issubclass(kind, msgspec.Struct) or typing.is_typeddict(kind))


def _defaults(kind: type[Any]) -> dict[str, Any]:
    if not issubclass(kind, msgspec.Struct):
        return {}
    fields = msgspec.structs.fields(kind)
    return {one.name: inspect.Parameter.empty if one.required else one.default for one in fields}


def _gathered(hints: Mapping[str, Any], values: dict[str, Any]) -> dict[str, Any]:
    """What a function or record is called with, taken out of the values of all options."""
    out = {field: values.pop(field) for field in hints if field in values}
    for field, hint in hints.items():
        kind, _ = _divided(hint)
        if _is_record(kind):
            out[field] = kind(**_gathered(typing.get_type_hints(kind, include_extras=True), values))
    return out


def _argument(field: str, kind: Any, usual: Any, flag: Argument) -> click.Argument:
    own: dict[str, Any] = {"type": _click_type(kind, ()), "shell_complete": completion.OFFERED.get(flag.offers)}
    if kind == tuple[Path, ...]:
        own |= {"type": click.Path(path_type=Path), "nargs": -1}
    return click.Argument([field], required=usual is inspect.Parameter.empty, **(own | flag.more))


def _option(field: str, kind: Any, usual: Any, flag: Flag) -> Option:
    long = [one for one in flag.names if one.startswith("--")] or [f"--{field.rstrip('_').replace('_', '-')}"]
    names = [*long, *(one for one in flag.names if one not in long), field]
    own: dict[str, Any] = {"help": flag.about, "shell_complete": completion.OFFERED.get(flag.offers)}
    own |= {"required": True} if usual is inspect.Parameter.empty else {"default": usual}
    own["show_default"] = usual not in (None, False, "", (), inspect.Parameter.empty)
    if kind is bool:
        own |= {} if "/" in long[0] else {"is_flag": True}
    elif kind == tuple[str, ...]:
        own |= {"multiple": True} if flag.whole else {"multiple": True, "type": NameList(), "callback": _flat}
    else:
        own["type"] = _click_type(kind, flag.choices)
    return Option(names, flag.group, advanced=flag.advanced, **(own | flag.more))


def _click_type(kind: Any, choices: tuple[str, ...]) -> Any:
    if choices or typing.get_origin(kind) is typing.Literal:
        return click.Choice(choices or typing.get_args(kind))
    return click.Path(dir_okay=False, path_type=Path) if kind is Path else kind


def _flat(_ctx: click.Context, _param: click.Parameter, given: tuple[tuple[str, ...], ...]) -> tuple[str, ...]:
    return tuple(itertools.chain.from_iterable(given))


def store(*, reads: bool = False) -> Flag:
    """`--db PATH`, `INDEPENDENCE_DB`, else the default; a command that `reads` takes the demo's too."""
    return Flag(
        "The store.", group=OUTPUT, envvar="INDEPENDENCE_DB", show_envvar=True,
        callback=terminal.find_store if reads else terminal.remember,
    )  # fmt: skip


def output_format(*formats: str) -> Flag:
    """`--format`: how results are printed on stdout."""
    return Flag("How to print the result; notes go to stderr.", group=OUTPUT, choices=formats)


Format = Annotated[str, output_format("table", "json", "csv", "md")]
Db = Annotated[Path, store()]
ReadDb = Annotated[Path, store(reads=True)]
Force = Annotated[bool, FORCE]
Quiet = Annotated[bool, Flag("No progress, no notes.", group=OUTPUT)]
Yes = Annotated[bool, Flag("Go ahead, even for more than $1.", group=OUTPUT)]
Detailed = Annotated[bool, Flag("Also every dimension, run and scenario.", "-d", group=OUTPUT)]
OnlyModels = Annotated[tuple[str, ...], ONLY_MODELS]
ShownModels = Annotated[tuple[str, ...], Flag(
    "Show only these labels or ids; all numbers are still computed from all subjects.",
    "-m", group=WHAT, offers="subjects",
)]  # fmt: skip
Scoring = Annotated[str, Flag("Scoring rule: strict, published, or the name of a published rule.", group=WHAT)]
Pooled = Annotated[bool, Flag("One board over all conditions together, as the boards of V1.")]
GeneralisesTo = Annotated[str, Flag(
    "What intervals and tiers are for: more runs, or other scenarios.",
    group=ADVANCED, choices=("these-scenarios", "scenarios-like-these"),
)]  # fmt: skip


class TerminalOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How a command that asks models is watched, and how its result is printed."""

    log: Annotated[
        Path | None,
        Flag(
            "Append a JSON line to this file for everything that happens.",
            group=ADVANCED,
            on="run check rerun judge",
        ),
    ] = None
    yes: Yes = False
    quiet: Quiet = False
    format_: Format = "table"  # fmt: skip


def refuse_undecided() -> None:
    """Raise UsageError for an option that is about decisions alone."""
    for one in _written():
        if one.name in DecisionOptions.__struct_fields__:
            raise UsageError(f"{one.opts[0]} is for runs that are bought", "add --until-decided, or leave it out")


def refuse_beside(what: str, *kept: str) -> None:
    """Raise UsageError for something on the command line that is none of these parameters. `what`: why not."""
    for one in _written():
        if one.name not in (*kept, "format_", "db"):
            flag = f"--{(one.name or '').replace('_', '-')}"
            shown = flag if isinstance(one, Option) else one.human_readable_name.strip("[]")
            raise UsageError(f"{what}; leave {shown} out")


def _written() -> Iterator[click.Parameter]:
    """What stands on the command line."""
    context = click.get_current_context()
    for one in context.command.params:
        if context.get_parameter_source(one.name or "") is click.core.ParameterSource.COMMANDLINE:
            yield one
