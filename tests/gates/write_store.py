"""Writes a store with the code of some commit: `PYTHONPATH=OTHER/src python -m tests.gates.write_store NAME`.

OTHER: a git worktree of that commit. The stores that are here stay as they are, since their age is their worth; this is
how a further one is made, whose NAME then goes into `replayed.NAMES`.
"""

from __future__ import annotations

import lzma
import sqlite3
import sys
import tempfile
from contextlib import closing
from pathlib import Path

from tests.e2e import command, endpoint
from tests.gates import replayed


def main(name: str) -> None:
    """Run the commands, pack the store."""
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        with endpoint.serving(here) as served:
            models = endpoint.models_file(here, served.base_url)
            for arguments in replayed.RUNS:
                ended = command.run(*arguments, "--models-file", models, "--db", "kept.db", cwd=here, env=replayed.ENV)
                print(ended.err, file=sys.stderr)
                assert ended.code == 0
        with closing(sqlite3.connect(here / "kept.db")) as connection:
            connection.execute("PRAGMA journal_mode=DELETE")
            connection.execute("VACUUM")
        packed = lzma.compress((here / "kept.db").read_bytes(), preset=9 | lzma.PRESET_EXTREME)
    (replayed.FOLDER / f"{name}.db.xz").write_bytes(packed)
    print(f"{name}: {len(packed)} bytes")


if __name__ == "__main__":
    main(sys.argv[1])
