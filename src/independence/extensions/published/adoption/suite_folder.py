"""Writes the suite folder of a copy of the published source, once all of it was read and checked."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

import yaml

from independence.config import documents, registry
from independence.config.registry import Registry
from independence.errors import DocumentError, UsageError
from independence.extensions.published.adoption.layouts import recognise
from independence.extensions.published.adoption.published_suite import PublishedSuite, SuiteTexts
from independence.extensions.published.adoption.source import FIX
from independence.suites.load import LoadedSuite, load

_SCHEMA: Final = "suite.schema.json"
_HEAD: Final = (
    f"# yaml-language-server: $schema={_SCHEMA}\n"
    "# Written by `independence suites adopt` from a copy of the published repository, layout `{layout}`.\n"
    "# The texts are its authors'; their licence, where the copy held one, lies beside this file.\n"
)
_REGISTRY: Final = Path("configs", "models.yaml")  # of a clone
_LICENSES: Final = ("LICENSE", "LICENSE.md", "LICENSE.txt")

SuiteCheck = Callable[[LoadedSuite], object]


class AdoptedSuite(NamedTuple):
    """A suite folder that was written."""

    folder: Path
    layout: str
    loaded: LoadedSuite
    judge: str  # the model whose verdicts the published board shows
    models: Registry | DocumentError | None  # the clone's, in its models.yaml; or why it cannot be read


def adopt(clone: Path, to: Path | None = None, check: SuiteCheck | None = None, run: bool = False) -> AdoptedSuite:
    """Write the suite that a copy of the published repository describes; `to`: by default `adopted-SUITE` here.

    `check` is called with the suite; where it raises, and for UsageError, DocumentError among them, nothing is written.
    `run`: what of the source is more than literals and joined texts is run, in a process of its own.
    """
    name, layout, source = recognise(clone, run)
    made = PublishedSuite(layout, source).texts()
    folder = to or Path(f"adopted-{layout.suite}")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder}: is there already", "name another folder with --to")
    try:
        loaded = _write(made, folder, clone, layout=name, check=check)
        return AdoptedSuite(folder, name, loaded, made.judge, _models(folder))
    except OSError as error:
        raise UsageError(f"{folder}: cannot be written ({error.strerror})", "name another folder with --to") from error


def _write(made: SuiteTexts, folder: Path, clone: Path, *, layout: str, check: SuiteCheck | None) -> LoadedSuite:
    """Write beside the folder, read it back, and move it into place."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".adopting-", dir=folder.parent) as beside:
        draft = Path(beside) / "suite"
        for path, text in made.files.items():
            _put(draft / path, f"{text}\n")
        content = yaml.safe_dump(made.document, allow_unicode=True, sort_keys=False, width=100)
        _put(draft / "suite.yaml", _HEAD.format(layout=layout) + content)
        _put(draft / _SCHEMA, documents.schema("suite"))
        for name in _LICENSES:
            if (clone / name).is_file():
                shutil.copyfile(clone / name, draft / name)
        if (clone / _REGISTRY).is_file():
            shutil.copyfile(clone / _REGISTRY, draft / _REGISTRY.name)
        loaded = _loaded(draft, clone)
        if check is not None:
            check(loaded)
        if folder.exists():
            folder.rmdir()  # it is empty
        draft.rename(folder)
    return loaded


def _models(folder: Path) -> Registry | DocumentError | None:
    path = folder / _REGISTRY.name
    try:
        return registry.load(path) if path.is_file() else None
    except DocumentError as error:  # it is its authors', and of no use for the suite itself
        return error


def _loaded(draft: Path, clone: Path) -> LoadedSuite:
    try:
        return load(str(draft))
    except DocumentError as error:  # it names a line of the draft, which nobody will see
        what = f"{clone}: the suite that its texts make cannot run: {error.what}"
        raise UsageError(what, FIX) from error


def _put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
