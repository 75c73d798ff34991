"""Writes a store with the code of some commit: `PYTHONPATH=OTHER/src python -m tests.gates.write_store NAME`.

OTHER: a git worktree of that commit. The stores that are here stay as they are, since their age is their worth; this is
how a further one is made, whose NAME then goes into `replayed.NAMES`.
"""

from __future__ import annotations

import sys
import tarfile
import tempfile
from pathlib import Path

from tests.e2e import command, endpoint
from tests.gates import replayed


def main(name: str) -> None:
    """Run the commands, pack what is exported of the store."""
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        with endpoint.serving(here) as served:
            models = endpoint.models_file(here, served.base_url)
            for arguments in replayed.RUNS:
                ended = command.run(*arguments, "--models-file", models, "--db", "kept.db", cwd=here, env=replayed.ENV)
                print(ended.err, file=sys.stderr)
                assert ended.code == 0
        for suite in replayed.SUITES:
            command.ok("export", here / suite, "--as", "parquet", "--suite", suite, "--db", "kept.db", cwd=here)
        with tarfile.open(replayed.FOLDER / f"{name}.tar.xz", "w:xz") as packed:
            for suite in replayed.SUITES:
                packed.add(here / suite / "store", f"{suite}/store")
    print(f"{name}: written")


if __name__ == "__main__":
    main(sys.argv[1])
