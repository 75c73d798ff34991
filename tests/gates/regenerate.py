"""Writes golden files anew and prints what differed: `python -m tests.gates.regenerate [NAME ...]`.

For a change of results that is meant, and for nothing else. NAME: of golden files; all of them if none is given, where
those of published data are left out unless INDEPENDENCE_PUBLISHED_DATA names the folder.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.gates import golden, made


def main(names: list[str]) -> int:
    """Exit code."""
    makers = made.makers()
    if unknown := set(names) - set(makers):
        print(f"no such golden file: {', '.join(sorted(unknown))}; there are {', '.join(makers)}", file=sys.stderr)
        return 2
    for name in names or makers:
        with tempfile.TemporaryDirectory() as folder:
            differing = golden.write(name, makers[name](Path(folder)))
        print(f"{name}: {len(differing) or 'nothing'} differed")
        print("".join(f"  {line}\n" for line in differing), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
