"""Dialogues of a store as `.eval` logs by Inspect's own writer, one for each subject and condition, and back.

The metadata of samples hold the rows of the store, in logs that `inspect eval` made of our tasks too.
"""

from __future__ import annotations

import functools
import re
import sqlite3
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec
from inspect_ai.log import (
    EvalConfig,
    EvalDataset,
    EvalLog,
    EvalMetric,
    EvalResults,
    EvalScore,
    EvalSpec,
    EvalStats,
    read_eval_log,
    write_eval_log,
)

from independence import __version__
from independence.api.formats import ExportContents
from independence.api.reading import Names, Store, names
from independence.config import user_files
from independence.config.options import Place
from independence.errors import IndependenceError, UsageError
from independence.exchange import export_tables, logged, logged_storing, output, streamed_files
from independence.exchange.logged import LoggedEdition
from independence.exchange.logged_storing import LoggedFile, StoredLogs
from independence.exchange.output import Manifest
from independence.exchange.requests import Requests
from independence.extensions.inspect import board, eval_samples, suites
from independence.extensions.inspect.dialogues import INHERITED
from independence.store import dialogues, plans, records
from independence.store.dialogues import Dialogue
from independence.store.scopes import BoardScope, grading
from independence.types import Where

SUFFIX: Final = ".eval"
MEMBER: Final = 64 * 2**20  # bytes unpacked of one file in a log: a reply has 16 MB at most
_PART: Final = 2**20  # bytes
_VERSION: Final = 2  # of Inspect's format
BoardRows = Callable[[Where, str], dict[str, dict[str, float]]]


class LogPlace(NamedTuple):
    """What one log is about: a subject under a condition."""

    scope: BoardScope
    edition: LoggedEdition
    config: str  # of the subject

    @property
    def name(self) -> str:
        """What tells it from others."""
        place = f"{self.scope.where.suite}-{self.scope.condition.variant}-{self.scope.condition.mode}"
        return f"{place}-{self.config}"


def contents(store: Store, models: Names, place: Place) -> ExportContents:
    """The logs of one edition, each made while it is written. Raises UsageError where nothing is planned."""
    with store.reading() as connection:
        found = list(_places(store, connection, models, place))
        if not found:
            raise UsageError("no dialogue is planned here, so there is no log to write; `independence run` asks")
        boards = functools.cache(partial(_board, store))
        wanted = {own.name: (re.sub("[^A-Za-z0-9.@+-]", "-", own.name), SUFFIX) for own in found}
        file_names = output.distinct_names(wanted)
        files = {file_names[own.name]: _written(connection, own, boards) for own in found}
    where, conditions = found[0].scope.where, dict.fromkeys(str(own.scope.condition) for own in found)
    return ExportContents(files, Manifest(suite=where.suite, edition=where.edition, conditions=tuple(conditions)))


def _places(store: Store, connection: sqlite3.Connection, models: Names, place: Place) -> Iterator[LogPlace]:
    for scope in store.places(place):
        chosen = export_tables.chosen_subjects(connection, scope, names(models))
        edition = logged.stored_edition(connection, scope.where)
        planned = {one.config_dir for one in plans.planned_trials(connection, scope.where)}
        for config in sorted(planned & chosen.keys()):
            yield LogPlace(scope, edition, config)


def _written(connection: sqlite3.Connection, own: LogPlace, boards: BoardRows) -> Iterator[bytes]:
    """The bytes of a log, made when they are read."""
    with tempfile.TemporaryDirectory(prefix="independence-") as folder:
        path = Path(folder, f"dialogues{SUFFIX}")
        write_eval_log(_log(connection, own, boards), str(path))
        with path.open("rb") as file:
            while part := file.read(_PART):
                yield part


def _log(connection: sqlite3.Connection, own: LogPlace, boards: BoardRows) -> Any:
    where, condition = own.scope.where, own.scope.condition
    suite, requests, config = grading(connection, own.scope), Requests(connection, own.scope), own.config
    held = list(dialogues.read(connection, where, [config]))
    samples = [eval_samples.sample(stored, requests.of(stored), suite, _context(own, stored)) for stored in held]
    times = sorted(sample.completed_at for sample in samples if sample.completed_at) or [records.now()]
    scores, usage, ids = [], dict[str, Any](), list(dict.fromkeys(sample.id for sample in samples))
    for judge in sorted({name for sample in samples for name in sample.scores}):
        row = boards(where, judge).get(config, {})
        metrics = {name: EvalMetric(name=name, value=value, group="board") for name, value in row.items()}
        scores.append(EvalScore(name=judge, scorer=judge, metrics=metrics))
    for sample in samples:
        for name, spent in sample.model_usage.items():
            usage[name] = usage[name] + spent if name in usage else spent
    spec = EvalSpec(
        created=times[0], task=suites.task_name(where.suite), task_version=where.edition,
        task_args={"variant": condition.variant, "mode": condition.mode}, model=eval_samples.model_of(held[0]),
        dataset=EvalDataset(name=where.edition_name, samples=len(ids), sample_ids=ids),
        config=EvalConfig(epochs=max(sample.epoch for sample in samples)),
        packages={"ai-independence-bench": __version__}, metadata=logged.to_metadata(own.edition),
    )  # fmt: skip
    return EvalLog(
        status="success", eval=spec, samples=samples,
        results=EvalResults(total_samples=len(samples), completed_samples=len(samples), scores=scores),
        stats=EvalStats(started_at=times[0], completed_at=times[-1], model_usage=usage),
    )  # fmt: skip


def _context(own: LogPlace, stored: Dialogue) -> dict[str, object]:
    """What a scorer needs beside a dialogue: the answers before it, and the text of a persona."""
    before = [turn.reply.text for turns in stored.before.values() for turn in turns if not turn.reply.missing]
    text = own.edition.personas.get(own.scope.condition.variant)
    return {INHERITED: before} | ({} if text is None else {suites.PERSONA: text})


def _board(store: Store, where: Where, judge: str) -> dict[str, dict[str, float]]:
    """The rows of the board of a condition by one judge; a suite or a judge without a board has none."""
    try:
        return board.rows(store, where, judge)
    except IndependenceError:
        return {}


def import_logs(path: Path | str, store: Path | str, say: Callable[[str], object] = str) -> StoredLogs:
    """As `logs.import_logs`."""
    return logged_storing.store((_read(file) for file in files(Path(path))), Path(store), say)


def files(path: Path) -> list[Path]:
    """The logs that a path means: itself, or those in the folder."""
    return sorted(path.glob(f"*{SUFFIX}")) if path.is_dir() else [path]


def _read(path: Path) -> LoggedFile:
    user_files.opened(path).close()  # or a pipe would be waited for
    try:
        _measure(path)
        log = read_eval_log(str(path), resolve_attachments=True)
    except UsageError:
        raise
    except Exception as error:
        why = " ".join(str(error).split())[:120] or type(error).__name__
        why = why if zipfile.is_zipfile(path) else "it is no ZIP archive, or a cut one"
        what = f"{path}: no log of Inspect AI that can be read ({why})"
        raise UsageError(what, "name a .eval file that is whole") from error
    if log.version != _VERSION:
        what = f"{path}: a log of Inspect's format {log.version}, and this package reads {_VERSION}"
        raise UsageError(what, "`inspect log convert` writes the format of the installed version")
    try:
        edition = logged.of_metadata(log.eval.metadata, logged.edition_of_json)
    except msgspec.ValidationError as error:
        raise _unlike(path, error) from error
    if edition is None:
        what = f"{path}: a log of task `{log.eval.task}`, which is none of this package"
        raise UsageError(what, "import logs of `inspect eval independence/...` or of an export")
    return LoggedFile(path, edition, _dialogues(path, log))


def _measure(path: Path) -> None:
    """Unpack a log part by part and keep nothing: Inspect's reader takes all of it into memory, whatever that is.

    Raises UsageError for one that is too large, and what `zipfile` raises.
    """
    total = 0
    with zipfile.ZipFile(path) as archive:
        if len(archive.infolist()) > streamed_files.MEMBERS:
            raise streamed_files.over_budget(path)
        for member in archive.infolist():
            # What the log says of a size can be wrong, and reading would end there.
            member.file_size = MEMBER + 2 * _PART
            with archive.open(member) as source:
                size = 0
                while part := source.read(_PART):
                    size, total = size + len(part), total + len(part)
                    if size > MEMBER:
                        what = f"{path}: one of its files has more than {MEMBER // 2**20} MB when unpacked"
                        raise UsageError(what, "import a log of fewer or shorter samples")
                    if total > streamed_files.WHOLE:
                        raise streamed_files.over_budget(path)


def _dialogues(path: Path, log: Any) -> Iterator[Dialogue]:
    if log.status != "success":
        what = f"{path}: the evaluation did not finish (status `{log.status}`)"
        raise UsageError(what, f"`inspect eval-retry {path}` finishes it; import its log then")
    failed = [f"{sample.id} (epoch {sample.epoch})" for sample in log.samples or () if sample.error]
    if failed:
        what = f"{path}: {len(failed)} samples failed, the first is {failed[0]}"
        raise UsageError(what, f"`inspect eval-retry {path}` asks for them again; import its log then")
    for sample in log.samples or ():
        try:
            own = logged.of_metadata(sample.metadata, logged.of_json)
            scores = (sample.scores or {}).values()
            scored = [
                found for one in scores if (found := logged.of_metadata(one.metadata, logged.of_json)) is not None
            ]
        except msgspec.ValidationError as error:
            raise _unlike(path, error) from error
        if own is None:
            what = f"{path}: sample {sample.id} (epoch {sample.epoch}) holds no dialogue of this package"
            raise UsageError(what, "run the task with its own solver")
        yield _with_verdicts(own, scored)


def _with_verdicts(own: Dialogue, scored: Sequence[Dialogue]) -> Dialogue:
    """A dialogue with the verdicts that scorers left, of two by one judge the later one."""
    verdicts = {(one.judge, one.settings, one.pass_): one for held in (own, *scored) for one in held.verdicts}
    steps = {one.key: one for held in (own, *scored) for one in held.steps}
    return msgspec.structs.replace(own, verdicts=tuple(verdicts.values()), steps=tuple(steps.values()))


def _unlike(path: Path, error: Exception) -> UsageError:
    what = f"{path}: what it holds of a dialogue is not as this package writes it ({error})"
    return UsageError(what, "import the log as it was written")
