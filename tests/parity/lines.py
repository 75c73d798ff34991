"""Command lines as pages and tables write them: parsed by the command's own parser, or run in a folder with stores."""

from __future__ import annotations

import json
import shlex
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

import click
import yaml

from independence.cli.main import main
from independence.suites.load import load
from independence.suites.schema import Suite
from independence.testing import Endpoint
from tests.e2e import command, endpoint
from tests.e2e.command import Ended
from tests.extensions.published import trees
from tests.extensions.published.rent import folders

CONDITIONS: Final = "--variants neutral,strong_independence --modes user_role,tool_role"
MADE: Final = (
    "run -m loop/half,loop/never -j cues -j loop/judge --runs 2 --quiet --yes",
    f"run --suite v1 -m sim/half -j cues --runs 1 {CONDITIONS} --quiet --db v1.db",
    "run --suite rent -m sim/pleaser -j cues --runs 1 --limit 6 --quiet --db rent.db",
    "import outputs/runs/1700000000 --db scored.db",
    "import cache --models-file configs/models.yaml --db imported.db",
    "label-sample labels.csv --size 6",
)
STORE: Final = "independence.db"
NAMES: Final = {
    "names": [{"name": "Ada", "sources": ["direct"]}], "declined_scenarios": [], "primary_name": "Ada",
    "extraction_model": "acme/reader", "extraction_cost_usd": 0.001,
}  # fmt: skip


def parsed(line: str) -> None:
    """Parse a line `independence ...`. Raises AssertionError where a command, an option or a value is unknown."""
    words = shlex.split(line)
    assert words[0] == "independence", line
    context, one, rest = click.Context(main), main, words[1:]
    if rest and not rest[0].startswith("-"):
        _, one, rest = main.resolve_command(context, rest)
    while isinstance(one, click.Group) and rest and (found := one.get_command(context, rest[0])):
        one, rest = found, rest[1:]
    context = click.Context(one)
    try:
        values, left, _ = one.make_parser(context).parse_args(rest)
    except click.UsageError as error:
        raise AssertionError(f"{line}: {error.format_message()}") from None
    assert left == [], f"{line}: {left}"
    for option in one.params:
        if option.name in values and not isinstance(option.type, click.Path):
            option.type_cast_value(context, values[option.name])


def make(folder: Path) -> None:
    """A folder with what users of the originals have: result sets, a registry, a run folder; and stores of ours.

    `cache` and `configs/models.yaml` are of the bench, `outputs` and `data/models.json` of the rent benchmark.
    """
    v2, rent = load("v2").suite, load("rent").suite
    for run in (1, 2):
        top = trees.write_run(folder / "cache", v2, run=run)
        (top / "name_extraction.json").write_text(json.dumps(NAMES))
    entry = {"model_id": "acme/small-1", "temperature": 0.7, "reasoning_effort": "low", "display_label": "small"}
    (folder / "configs").mkdir()
    (folder / "configs" / "models.yaml").write_text(yaml.safe_dump({"models": [entry]}))
    (folder / "outputs" / "raw").mkdir(parents=True)
    command.ok("suites", "grid", "rent", "--limit", "6", "--out", "outputs/raw/grid.jsonl", cwd=folder)
    run_folder(folder, rent)
    (folder / "data").mkdir()
    (folder / "data" / "models.json").write_text('["sim/pleaser", {"id": "sim/fair", "concurrency": 3}]')
    (folder / "my-persona.md").write_text("You keep a lighthouse and your own counsel.\n")
    with Endpoint(price="0/0") as served:
        own_endpoint(folder, served.url)
        for line in MADE:
            command.ok(*shlex.split(line), cwd=folder, env={"LOOP_KEY": endpoint.KEY})


def run_folder(folder: Path, suite: Suite) -> None:
    """A run of the rent benchmark: answers to the prompts of its grid file, and their scores."""
    asked = [json.loads(line) for line in (folder / "outputs" / "raw" / "grid.jsonl").read_text("utf-8").splitlines()]
    said = [folders.answer(suite, row["prompt_id"], messages=row["messages"]) for row in asked]
    scored = [folders.judged(one, score) for one, score in zip(said, (0.5, -0.5, 0.0) * 2, strict=True)]
    prompts = [row["prompt_id"] for row in asked]
    place = folder / "outputs" / "runs" / str(folders.RUN_ID)
    folders.write(place, answers=said, judged=scored, snapshot=folders.snapshot(suite, prompts))
    # And what two people of the labelling app said of two of them.
    given = '"{""Ann"": 0.4, ""Bo"": -0.2}"'
    head = "response_id,final_consensus,reviewer_scores,model_response_text"
    rows = [f"{number},0.1,{given},{one['response_text']}" for number, one in enumerate(said[:2])]
    (folder / "final_consensus_export.csv").write_text("\n".join([head, *rows]))


def own_endpoint(folder: Path, url: str) -> None:
    """`models.yaml` with the loopback endpoint as `loop`."""
    entry = f"{{name: loop, base_url: '{url}', dialect: openrouter, api_key_env: LOOP_KEY, backoff_s: 0.01}}"
    (folder / "models.yaml").write_text(f"endpoints:\n  - {entry}\n")


class Workplace(NamedTuple):
    """Where lines are run: a folder from `make`, and two servers, the second one without a list of its models."""

    made: Path
    listed: str
    local: str

    def run(self, line: str, folder: Path, store: str = STORE) -> Ended:
        """Run a line in a copy of the folder, with models of the loopback endpoint where it names `vendor/...`.

        `store`: which of the folder's stores is `independence.db`.
        """
        shutil.copytree(self.made, folder)
        first, second = ("pleaser", "fair") if store == "rent.db" else ("half", "never")  # who advises, who has a self
        if store != STORE:
            (folder / store).rename(folder / STORE)
        own_endpoint(folder, self.listed)
        for there, here in (
            ("vendor/model", f"loop/{first}"), ("vendor/other", f"loop/{second}"), ("vendor/judge", "loop/judge"),
            ("http://127.0.0.1:1234/v1", self.local), ("qwen3-8b", "half"),
        ):  # fmt: skip
            line = line.replace(there, here)
        env = {
            "LOOP_KEY": endpoint.KEY, "OPENROUTER_API_KEY": endpoint.KEY, "OPENROUTER_BASE_URL": self.listed,
            "COLUMNS": "100",
        }  # fmt: skip
        return command.run(*shlex.split(line)[1:], cwd=folder, env=env)


@contextmanager
def workplace(made: Path) -> Iterator[Workplace]:
    """The servers of a workplace, while the block lasts."""
    with Endpoint(price="0/0") as listed, Endpoint(ways="no-listing") as local:
        yield Workplace(made, listed.url, local.url)
