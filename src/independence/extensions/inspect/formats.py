"""Logs of Inspect AI as a format of `independence import` and `export`; Inspect is loaded where it is needed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from independence.api.formats import ExportContents, Exporter, Importer, ImportOptions, ImportResult
from independence.errors import UsageError

if TYPE_CHECKING:
    from independence.api.reading import Store
    from independence.config.options import Place

_SUFFIX: Final = ".eval"


class LogImporter(Importer):
    """A log of Inspect, or a folder of logs."""

    help = "a .eval log"

    def takes(self, path: Path) -> bool:
        """Whether it ends in `.eval`, or holds a file that does."""
        return any(path.glob(f"*{_SUFFIX}")) if path.is_dir() else path.suffix == _SUFFIX

    def read(self, path: Path, store: Path, options: ImportOptions) -> ImportResult:
        """Bring the dialogues into the edition that they were asked in."""
        from independence.api import importing
        from independence.extensions.inspect import logs

        if options.suite or options.models_file:
            raise UsageError("a log says whose it is; leave --suite and --models-file out")
        return importing.imported_logs(logs.import_logs(path, store, say=options.say), "logs")


class LogExporter(Exporter):
    """A log for each subject and condition."""

    def contents(self, store: Store, models: tuple[str, ...], place: Place) -> ExportContents:
        """The logs, with the verdicts of all judges."""
        from independence.extensions.inspect import versions

        if place.get("judge"):
            raise UsageError("--as inspect writes the verdicts of all judges; leave --judge out")
        with versions.fitting():
            from independence.extensions.inspect import eval_files

        made = eval_files.contents(store, models, place)
        many = "log" if len(made.files) == 1 else "logs"
        return made._replace(
            written=f"{len(made.files):,} {many} in {{folder}}; `inspect view --log-dir {{folder}}` shows them"
        )


IMPORTER: Final = LogImporter()
EXPORTER: Final = LogExporter()
