"""What makes a field of a record, or a parameter of a command, an option of the command line.

An option is declared once: `rps: Annotated[float | None, Flag("Most requests per second.", group=LIMITS)] = None`. Its
type and its default are the field's; flags, parsing, `--help`, the reference and the tests' list of options follow.
"""

from __future__ import annotations

from typing import Any, Final

# What `--help` lists options under, in this order. Those of OWN are a command's own and come first.
OWN, WHAT, MANY, MODEL, LIMITS = "Options", "What", "How many", "Model settings", "Limits"
JUDGE, LOCAL, OUTPUT, OF_EXTENSIONS, ADVANCED = "Judge", "Local server", "Output", "Of extensions", "Advanced"
HELP: Final = "Help"
ORDER: Final = (OWN, WHAT, MANY, MODEL, LIMITS, JUDGE, LOCAL, OUTPUT, OF_EXTENSIONS, ADVANCED, HELP)


class Flag:
    """How a field is spelled, explained and completed on the command line.

    `names`: further spellings, or all of them where one begins with `--`; by itself a field is `--its-name`.
    `on`: the commands that take it, of those that take the record; without it all do. `advanced`: only `--help-all`
    shows it. `offers`: what Tab completes, a name in `cli.completion`. `whole`: each value of several is taken as it
    is, not as a list with commas. `choices`: the values that there are. `more` goes to Click as it is.
    """

    def __init__(
        self, about: str, *names: str, group: str = OWN, on: str = "", advanced: bool = False, offers: str = "",
        whole: bool = False, choices: tuple[str, ...] = (), **more: Any,
    ) -> None:  # fmt: skip
        self.about, self.names, self.group, self.on = about, names, group, on
        self.advanced, self.offers, self.whole, self.choices, self.more = advanced, offers, whole, choices, more


class Argument:
    """A parameter of a command that is given by its place in the line; `offers` as of a Flag, `more` is Click's."""

    def __init__(self, *, offers: str = "", **more: Any) -> None:
        self.offers, self.more = offers, more
