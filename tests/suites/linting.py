"""Suites that are changed, and what the linter says of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from independence.config import documents
from independence.errors import DocumentError
from independence.report import analysis
from independence.suites import load
from independence.suites.schema import Suite

Changes = Mapping[str, str | bytes | None]  # words of suite.yaml, or a file of `prompts/` -> what stands there instead
Case = tuple[str | bytes | Changes | None, ...]  # the changes, words of the line that is named, words of the sentence
Write = Callable[[Path], Path]


def changed(folder: Path, changes: Changes) -> Path:
    """A suite, its words replaced where they come first; a file that is None is deleted."""
    file = folder / "suite.yaml"
    text = file.read_text()
    for old, new in changes.items():
        if old.startswith("prompts/"):
            (folder / old).unlink(missing_ok=True)
            if new is not None:
                (folder / old).write_bytes(new if isinstance(new, bytes) else new.encode())
        else:
            assert old in text, old
            text = text.replace(old, str(new), 1)
    file.write_text(text)
    return folder


def found(folder: Path, changes: Changes | None = None) -> list[DocumentError]:
    """Problems of a suite, once it is changed."""
    document = documents.read(changed(folder, changes or {}) / "suite.yaml")
    try:
        return load.problems(documents.convert(document, Suite), document, folder, analysis.check)
    except DocumentError as error:  # what types can say
        return [error]


def named(problem: DocumentError) -> str:
    """The line that a problem names."""
    return Path(problem.path).read_text().splitlines()[problem.line - 1]


def unsaid(write: Write, folder: Path, cases: Iterable[Case], alone: bool = True) -> dict[str, list[str]]:
    """Cases of which not one problem says the words about that line, or (`alone`) others as well: what is said."""
    wrong = {}
    for number, (changes, at, *words) in enumerate(cases):
        assert isinstance(changes, Mapping)
        own = write(folder / f"{number}" / "own")
        problems = found(own, changes)
        said = [one for one in problems if all(str(word) in str(one) for word in words) and str(at) in named(one)]
        if len(said) != 1 or (alone and problems != said):
            wrong[f"{changes} {words}"] = [f"{one} ({named(one).strip()})" for one in problems]
    return wrong


def refused(write: Write, folder: Path, sound: Iterable[Changes]) -> dict[str, list[str]]:
    """Changes after which a suite has a problem, and which."""
    tried = {str(changes): found(write(folder / f"{at}" / "own"), changes) for at, changes in enumerate(sound)}
    return {changes: [str(one) for one in problems] for changes, problems in tried.items() if problems}
