"""`independence label-sample`: a balanced sample of stored dialogues for people to score."""

from __future__ import annotations

from pathlib import Path

import click

from independence.cli import options


@click.command("label-sample")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--size", type=click.IntRange(min=1), default=150, show_default=True, help="Number of dialogues, at most."
)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the sample.")
@click.option("--models", "-m", type=options.NameList(), default=(), help="Only these labels or ids.")
@click.option("--force", is_flag=True, help="Overwrite an existing file.")
@options.place_options
@options.db()
def command(
    file: Path,
    size: int,
    seed: int,
    models: tuple[str, ...],
    force: bool,
    suite: str | None,
    variant: str | None,
    mode: str | None,
    judge: str | None,
    db: Path,
) -> None:
    """Write a CSV of dialogues to be scored by people: item, rater, field, value, and the words.

    The sample is balanced over subjects, over scenarios or a grid's factors and sides, and over stance where a judge
    has graded it. It does not say which model answered. Fill in rater and value; `independence import FILE` stores
    the scores.
    """
    from independence.cli import output_file, place_lookup
    from independence.cli.terminal import note
    from independence.exchange import labels
    from independence.store import database, scopes

    with database.reading(db) as connection:
        scope = place_lookup.find(connection, suite, variant, mode)
        judge = place_lookup.judge(connection, [scope], judge)
        found = labels.candidates(connection, scope, judge, models)
        drawn = labels.sample(found, size, seed)
        output_file.write(file, labels.to_csv(scopes.grading(connection, scope), drawn), force, "label-sample")
    note(f"written: {len(drawn)} of {len(found)} dialogues in {file} (--seed {seed})")
    for name, levels in labels.counts(drawn).items():
        note(f"{name}: {', '.join(f'{level} {count}' for level, count in sorted(levels.items()))}")
