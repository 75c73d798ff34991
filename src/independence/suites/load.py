"""From a folder or a built-in name to a resolved suite, its texts inlined and its edition known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from independence.config import documents, user_files
from independence.config.documents import YamlDocument
from independence.errors import DocumentError, UsageError, suggestion
from independence.suites import battery, digest, grid, known, lint, lint_translation, persona_file, persona_suite
from independence.suites.lint import Requirements
from independence.suites.persona_file import Persona
from independence.suites.schema import Rubric, Suite
from independence.types import brief

HOME = Path(__file__).parent
PERSONA = ".md"


class LoadedSuite(msgspec.Struct, frozen=True):
    """A suite ready to run."""

    suite: Suite
    edition: str  # first 8 hex digits of the digest of the resolved suite

    __repr__ = brief


def built_in() -> list[str]:
    """Names of the suites that ship with the package, sorted."""
    return sorted(path.parent.name for path in HOME.glob("*/suite.yaml"))


def locate(name: str) -> Path:
    """Folder of a built-in suite or of a user's own; of a persona file, that of its templates. Raises UsageError."""
    own = Path(name)
    if own.suffix == PERSONA:
        user_files.read_text(own)
        return persona_suite.HOME
    if (own / "suite.yaml").is_file():
        return own
    if own.name == "suite.yaml" and own.is_file():
        return own.parent
    if name in built_in():
        return HOME / name
    what = f"no suite `{name}`: neither a built-in name nor a folder with suite.yaml"
    raise UsageError(what, suggestion(name, built_in(), "built in:"))


def load(
    name: str, requirements: Requirements = lambda _: (), values: Mapping[str, str] = persona_file.NOTHING
) -> LoadedSuite:
    """Load and resolve a suite, and lint it where it is a user's own; `requirements` as in `problems`.

    A persona file (`.md`) is the suite of its commitments; `values` as in `persona_file`.
    Raises DocumentError for the first problem, UsageError for an unknown name.
    """
    folder = locate(name)
    if folder == persona_suite.HOME:
        expanded = persona_suite.expanded(Path(name), values)
        return LoadedSuite(expanded, digest.edition(expanded))
    if folder.parent == HOME:
        suite = documents.packaged(folder / "suite.yaml", Suite)  # a test has linted it
        if suite.battery is not None and suite.battery.like:
            suite = converted(documents.read(folder / "suite.yaml"), folder)
    else:
        document = documents.read(folder / "suite.yaml")
        suite = converted(document, folder)
        if found := problems(suite, document, folder, requirements):
            raise found[0]
    whole = resolved(suite, folder)
    dialogues = known.read(folder, whole)
    return LoadedSuite(msgspec.structs.replace(whole, known=dialogues), digest.edition(whole))


def problems(
    suite: Suite, document: YamlDocument, folder: Path, requirements: Requirements = lambda _: ()
) -> list[DocumentError]:
    """As `lint.problems`; of a translation that is sound in itself, where it is not like its original.

    The known dialogues of a suite that is sound are looked at when they are read.
    """
    found = lint.problems(suite, document, folder, requirements)
    if found or not suite.translation_of:
        return found
    try:
        own = _beside(folder, suite.translation_of)
        written = documents.read(own / "suite.yaml")
        original = documents.convert(written, Suite)
        for problem in lint.problems(original, written, own, requirements):
            raise problem
        whole, other = resolved(suite, folder), resolved(original, own)
        unlike = list(lint_translation.problems(whole, other))
    except UsageError as error:
        unlike = [("$.translation_of", f"`{suite.translation_of}` is no suite that loads: {error}")]
    return sorted((document.error(*one) for one in unlike), key=lambda problem: problem.line)


def shared_name(suite: str, folder: Path) -> str:
    """What to say of a folder whose suite is called like a built-in one; "" where it is not."""
    if suite not in built_in() or folder.resolve().parent == HOME.resolve():
        return ""
    return f"{folder}: `{suite}` is also a built-in suite; boards distinguish the two by edition only"


def resolved(suite: Suite, folder: Path) -> Suite:
    """A sound suite with the texts of its files, and with the scenarios of its grid or battery."""
    return battery.expanded(grid.expanded(inline(suite, folder)))


def converted(document: YamlDocument, folder: Path) -> Suite:
    """The suite of a `suite.yaml`, with the stems and wordings of the one that its battery is like.

    Raises DocumentError.
    """
    suite = documents.convert(document, Suite)
    if suite.battery is None or not suite.battery.like:
        return suite
    like = suite.battery.like
    try:
        other = documents.convert(documents.read(_beside(folder, like) / "suite.yaml"), Suite).battery
    except UsageError as error:
        raise document.error("$.battery.like", str(error)) from None
    if other is None or other.like:
        raise document.error("$.battery.like", f"suite `{like}` has no stems of its own; name one that has")
    taken = msgspec.structs.replace(suite.battery, wordings=other.wordings, stems=other.stems)
    return msgspec.structs.replace(suite, battery=taken)


def _beside(folder: Path, name: str) -> Path:
    """The folder of another suite: of the same author, else built in. Raises UsageError."""
    beside = folder.resolve().parent / name
    return beside if (beside / "suite.yaml").is_file() else locate(name)


def inline(suite: Suite, folder: Path) -> Suite:
    """Replace every file reference by the text of the file."""

    def text(reference: str) -> str:
        return user_files.read_text(folder / reference).strip() if reference else ""

    def rubric(value: Rubric) -> Rubric:
        steps = tuple(msgspec.structs.replace(step, prompt=text(step.prompt)) for step in value.steps)
        confirm = text(value.confirm) if value.confirm else value.confirm
        return msgspec.structs.replace(value, prompt=text(value.prompt), steps=steps, confirm=confirm)

    tool = suite.delivery.tool_role
    tool = msgspec.structs.replace(tool, suffix=text(tool.suffix)) if tool else None
    return msgspec.structs.replace(
        suite,
        variants={name: text(reference) for name, reference in suite.variants.items()},
        closing=text(suite.closing),
        delivery=msgspec.structs.replace(suite.delivery, tool_role=tool),
        rubrics={name: rubric(value) for name, value in suite.rubrics.items()},
    )


def is_persona(variant: str) -> bool:
    """Whether a variant is named by a file. Raises UsageError for a file that is no `.md`."""
    path = Path(variant)
    if path.suffix != ".txt":
        return path.suffix == PERSONA
    raise UsageError(
        f"{path}: a system prompt of your own is a .md file", f"rename it to {path.with_suffix('.md').name}"
    )


def is_text(variant: str) -> bool:
    """Whether a variant is the text of a prompt: several words that name no file."""
    text = variant.strip()
    return "\n" in text or (len(text.split()) > 1 and not text.endswith((PERSONA, ".txt")))


def asked_under(suite: str, variants: Sequence[str]) -> Sequence[str]:
    """The variants of a run: those named, else of a persona file its own prompt; (): the suite's usual one."""
    return variants or ((suite,) if is_persona(suite) else ())


def persona(own: Path | str, values: Mapping[str, str] = persona_file.NOTHING) -> Persona:
    """A user's own system prompt, by its file or as text.

    Raises UsageError when it cannot be read, is empty or a template unfilled.
    """
    if isinstance(own, str) and is_text(own):
        return persona_file.of_text(own, values)
    return persona_file.read(Path(own), values)


def shipped_noise(folder: Path, suite: Suite) -> dict[str, float] | None:
    """The noise a suite ships: scenario -> variance of one run in squared index points; None without the file.

    Raises DocumentError for a scenario that is missing, unknown, or has no positive variance.
    """
    path = folder / "noise.yaml"
    if not path.is_file():
        return None
    document = documents.read(path)
    variances = documents.convert(document, dict[str, float])
    known = {scenario.id for scenario in suite.scenarios}
    for name, variance in variances.items():
        if name not in known:
            raise document.error(f"$.{name}", f"suite {suite.suite} has no scenario `{name}`")
        if not variance > 0:
            raise document.error(f"$.{name}", f"a variance is above 0, not {variance:g}")
    if missing := sorted(known - variances.keys()):
        raise document.error("$", f"no variance for {', '.join(missing)}")
    return variances
