"""What an importer and an exporter are: the formats of files that come in and go out.

An object of a subclass is declared by an entry point of group `independence.importers` or `independence.exporters`.
Nothing is imported here that takes time, since `independence export --help` names every exporter of ours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, NamedTuple

if TYPE_CHECKING:
    from independence.api.reading import Store
    from independence.config.options import Place
    from independence.exchange.output import Manifest
    from independence.report.files.table import Table


class ImportOptions(NamedTuple):
    """How files are to be read."""

    suite: str | None = None  # whose dialogues they hold
    models_file: Path | None = None  # labels for the configurations that they name
    say: Callable[[str], object] = str  # is told what is being done


class ImportResult(NamedTuple):
    """What an import found."""

    tables: list[Table]  # for people
    document: str  # the same as JSON; empty: there is none
    notes: list[str]


class Importer:
    """A format that `independence import` reads."""

    help: ClassVar[str] = ""  # what it takes, for the sentence that lists what can be imported; empty: not listed
    address: ClassVar[str] = ""  # where such results are published: what `import --NAME` reads if no other is named

    def takes(self, path: Path) -> bool:
        """Whether a file or folder is of this format, told by its name or its first bytes."""
        raise NotImplementedError

    def read(self, path: Path, store: Path, options: ImportOptions) -> ImportResult:
        """Bring it into a store, all of it or nothing; what is there already stays.

        Raises UsageError for what cannot be read and for options that the format has no use for.
        """
        raise NotImplementedError

    def shipped(self, store: Path, options: ImportOptions) -> ImportResult | None:
        """Bring in what ships with the program of the results at `address`; None where nothing does."""
        return None


class ExportContents(NamedTuple):
    """What an export writes."""

    files: Mapping[str, Iterable[bytes]]  # name -> content in parts, read while it is written
    about: Manifest
    written: str = ""  # what to say of them, with `{folder}` for where they are; empty: their names


class Exporter:
    """A layout that `independence export DIR --as NAME` writes, by the name of its entry point."""

    def contents(self, store: Store, models: tuple[str, ...], place: Place) -> ExportContents:
        """The files of one edition; `models`: only these labels, ids or configurations.

        They are written within one read transaction of the store. Raises UsageError where there is nothing to write
        and for parts of `place` that the layout has no use for.
        """
        raise NotImplementedError
