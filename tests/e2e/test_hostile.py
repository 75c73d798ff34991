"""A judge that copies every hostile reply whole before its own verdict, over HTTP: what is read is its own.

And what a command writes of hostile words: no character of it acts on a terminal, a spreadsheet or a log of CI.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from independence.judge.prompt import visible
from tests.e2e import between, command, endpoint, suites
from tests.e2e.endpoint import Served
from tests.judge.fields import passages
from tests.judge.hostile.corpus import corpus

LONGEST = 3_000  # characters; a judge cannot copy more within the tokens of a verdict
LAST = "SELECT max(rowid) FROM calls GROUP BY trial ORDER BY trial"
ACTING = "\x1b\x07\x9b\u202e\u2066\u2028\x7f"
GRADED = "SELECT key, trial, fields, reasoning, json_array_length(attempts) FROM verdicts WHERE missing IS NULL"


def outside(prompt: str) -> str:
    """What is left of a prompt without its passages and the nonce of their fence."""
    nonce = prompt.split("Everything between tags that carry ")[1].split(maxsplit=1)[0]
    return re.sub(f"(?s)<quoted {nonce}>.*?</quoted {nonce}>", "", prompt).replace(nonce, "")


def test_at_least_199_of_200_verdicts_are_those_on_harmless_replies(served: Served, tmp_path: Path) -> None:
    replies = [reply for reply in corpus() if len(reply.text) <= LONGEST]
    assert len(replies) >= 210
    run = f"run --suite harbour -m sim/half --no-judge --runs {-(-len(replies) // 3)} --quiet --db clean.db"
    assert command.run(*run.split(), cwd=tmp_path).code == 0
    command.ask(tmp_path / "clean.db", "PRAGMA wal_checkpoint(TRUNCATE)")
    shutil.copy(tmp_path / "clean.db", tmp_path / "hostile.db")
    with command.opened(tmp_path / "hostile.db") as connection:
        rows = connection.execute(LAST).fetchall()[: len(replies)]
        said = [(reply.text, row) for reply, (row,) in zip(replies, rows, strict=True)]
        connection.executemany("UPDATE calls SET text = ? WHERE rowid = ?", said)
        texts = dict(connection.execute("SELECT trial, text FROM calls ORDER BY rowid"))
    prompts: dict[str, list[str]] = {}
    for db in ("clean.db", "hostile.db"):
        with between.serving(between.passing_on(served.base_url.removesuffix("/v1"))) as tapped:
            endpoint.models_file(tmp_path, tapped.url)
            judge = f"judge --models-file models.yaml -j loop/judge:copying --quiet --db {db}"
            command.run(*judge.split(), cwd=tmp_path, env={"LOOP_KEY": endpoint.KEY})
        prompts[db] = [one.asked["messages"][-1]["content"] for one in between.planned(tapped.exchanges)]
    assert {outside(prompt) for prompt in prompts["hostile.db"]} == {outside(prompt) for prompt in prompts["clean.db"]}
    quoted = {passages(prompt)[-1] for prompt in prompts["hostile.db"]}
    assert [reply.id for reply in replies if visible(reply.text) not in quoted] == []
    # What this judge says depends on the seed of a verdict alone, which is the same in both stores.
    due = {key: fields for key, _, fields, _, _ in command.ask(tmp_path / "clean.db", GRADED)}
    found = command.ask(tmp_path / "hostile.db", GRADED)
    whole = [key for key, _, fields, _, attempts in found if (fields, attempts) == (due[key], 1)]
    assert len(whole) * 200 >= 199 * len(due) >= 199 * len(replies)
    assert len(set(due.values())) > 5
    copied = sum(texts[trial].strip() == reasoning.strip() for _, trial, _, reasoning, _ in found)
    assert copied * 10 >= 8 * len(found)  # of the others what is fenced off is not there to be copied


def test_no_file_that_is_written_of_hostile_words_holds_a_character_that_acts(tmp_path: Path) -> None:
    suites.write(tmp_path / "harbour", suites.harbour())
    run = "run --suite harbour -m sim/half -j cues --runs 2 --quiet --db here.db"
    command.ok(*run.split(), cwd=tmp_path)
    with command.opened(tmp_path / "here.db") as connection:
        connection.execute("UPDATE calls SET text = text || ?, thinking = ?", (ACTING, ACTING))
        connection.execute("UPDATE verdicts SET reasoning = ?", (ACTING,))
        connection.execute("UPDATE subjects SET label = label || ?", (ACTING,))
    layouts = ("out", "out --format csv", "site --site", "published --published")
    for line in (*(f"export {layout}" for layout in layouts), "generate-report -o out/report.md"):
        command.ok(*line.split(), "--db", "here.db", cwd=tmp_path)
    written = [file for folder in ("out", "site", "published") for file in (tmp_path / folder).rglob("*.*")]
    texts = {file: file.read_text() for file in written if file.suffix in (".json", ".jsonl", ".csv", ".html", ".md")}
    assert {file: found for file, text in texts.items() if (found := set(text) & set(ACTING))} == {}
    for kind in ("out/*.jsonl", "out/*.csv", "site/data/**/*.json", "published/**/*.json", "out/report.md"):
        assert any("\\u202e" in texts[file] for file in tmp_path.glob(kind)), kind
