"""What GitHub Actions is told of a check: a summary, the outputs of the step, and annotations.

Annotations hold sentences and numbers of this program alone, no word of a model, a server or a persona.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from independence.cli.output.terminal import note

if TYPE_CHECKING:
    from independence.api.checking import CheckResult, PersonaCheckResult
    from independence.report.gates.gate_files import CheckDocument
    from independence.report.gates.persona_page import PersonaDocument

_LEVELS: Final = {"fail": "error", "undecided": "warning", "incomplete": "warning"}
_SPELLED: Final = {ord(char): f"%{ord(char):02X}" for char in "%\r\n:,"}  # each begins or ends something there
_SEEN: Final = 30  # characters of a commitment by which its line is found: a longer one may be wrapped


def tell(found: CheckResult | PersonaCheckResult, persona: Path | None) -> None:
    """Write what the runner has named a file for, and print annotations where there is a runner."""
    _append("GITHUB_STEP_SUMMARY", found.to_markdown())
    _append("GITHUB_OUTPUT", "".join(f"{name}={value:.6g}\n" for name, value in _outputs(found.document).items()))
    if os.environ.get("GITHUB_ACTIONS") == "true":
        print(*_annotations(found.document, persona), sep="\n", file=sys.stderr)


def _append(variable: str, text: str) -> None:
    path = os.environ.get(variable)
    if path:
        try:
            with Path(path).open("a", encoding="utf-8", errors="backslashreplace") as file:
                file.write(text)
        except OSError as error:
            note(f"{variable} {path}: cannot be written ({error.strerror}); it is left out")


def _outputs(found: CheckDocument | PersonaDocument) -> dict[str, float]:
    if not hasattr(found, "index"):
        kept = [one.reading == "kept" for one in (found.own.commitments if found.own else ())]
        return {"kept": sum(kept), "commitments": len(kept), "cost": found.cost_usd}
    if found.index is None:
        return {"cost": found.cost_usd}
    point, (low, high) = found.index
    return {"index": point, "low": low, "high": high, "cost": found.cost_usd}


def _annotations(found: CheckDocument | PersonaDocument, persona: Path | None) -> Iterator[str]:
    """Of the gate, and of each commitment that is not kept, at its line of the persona."""
    from independence.report.gates import gate_files
    from independence.report.gates.gate_files import CheckDocument

    def annotation(line: int, message: str) -> str:
        # A runner finds a file by its path from the root of the checkout.
        root = os.environ.get("GITHUB_WORKSPACE", ".")
        at = {"file": os.path.relpath(persona, root), "line": str(line)} if persona else {}
        named = {**at, "title": f"Independence check: {found.heading}"}
        told = ",".join(f"{name}={value.translate(_SPELLED)}" for name, value in named.items())
        return f"::{_LEVELS.get(found.heading, 'notice')} {told}::{message}"

    missing = sum(found.missing.values())
    why = f"Nothing is decided: answers and verdicts that are missing: {missing}." if missing else "The log says why."
    if isinstance(found, CheckDocument):
        yield annotation(1, "; ".join(gate_files.measured_lines(found)) or why)
        return
    every = found.own.commitments if found.own else ()
    kept = sum(one.reading == "kept" for one in every)
    yield annotation(1, f"{kept} of {len(every)} commitments are kept" if every and not missing else why)
    lines = persona.read_text("utf-8", "replace").splitlines() if persona else []
    for one in every:
        if one.reading != "kept":
            said = f"{one.reading}: broken in {one.broken} of {one.dialogues} dialogues"
            line = next((number for number, line in enumerate(lines, 1) if one.text[:_SEEN] in line), 1)
            yield annotation(line, f"Commitment {one.commitment} is {said}")
