"""Print how large the program is: statement lines by package, without comments, docstrings, blank lines and imports.

python tools/house.py [FOLDER]
"""

from __future__ import annotations

import ast
import io
import sys
import tokenize
from collections import Counter
from pathlib import Path

SOURCE = Path(__file__).parent.parent / "src" / "independence"
EXTENSIONS = "extensions"
_NO_CODE = {
    tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER,
}  # fmt: skip


def statement_lines(text: str) -> int:
    """How many lines of a module hold code; of a text in several lines each counts."""
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in _NO_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(text)):
        gone: ast.stmt | None = node if isinstance(node, ast.Import | ast.ImportFrom) else None
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            gone = node.body[0] if ast.get_docstring(node, clean=False) is not None else None
        if gone is not None:
            lines.difference_update(range(gone.lineno, (gone.end_lineno or gone.lineno) + 1))
    return len(lines)


def by_package(source: Path = SOURCE) -> dict[str, tuple[int, int]]:
    """Package (an extension: `extensions/NAME`) -> its files and statement lines."""
    files, lines = Counter[str](), Counter[str]()
    for path in sorted(source.rglob("*.py")):
        parts = path.relative_to(source).parts[:-1]
        package = "/".join(parts[: 2 if parts[:1] == (EXTENSIONS,) else 1]) or "."
        files[package] += 1
        lines[package] += statement_lines(path.read_text("utf-8"))
    return {package: (files[package], lines[package]) for package in files}


def main() -> None:
    """Print the table."""
    found = by_package(Path(sys.argv[1]) if len(sys.argv) > 1 else SOURCE)
    rows = [(package, *counts) for package, counts in found.items()]
    core = [counts for package, counts in found.items() if not package.startswith(EXTENSIONS)]
    rows += [
        ("core", sum(files for files, _ in core), sum(lines for _, lines in core)),
        ("all", sum(files for files, _ in found.values()), sum(lines for _, lines in found.values())),
    ]
    for name, files, lines in rows:
        print(f"{name:24}{files:6}{lines:9,}")


if __name__ == "__main__":
    main()
