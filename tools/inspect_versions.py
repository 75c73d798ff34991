"""Run our tests of Inspect AI with several of its releases: `python -m tools.inspect_versions [RELEASE ...]`.

A release is a version, `floor` or `newest`; without any the floor of the range that the extra `inspect` takes, two
between, and the newest. Each has an environment of its own, with the newest of everything else that is allowed.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path
from xml.etree import ElementTree as ET

from independence.extensions.inspect import versions

ROOT = Path(__file__).parent.parent
TESTS = ["tests/extensions/inspect", *sorted(map(str, (ROOT / "tests" / "e2e").glob("test_inspect*.py")))]
UV = Path(sys.executable).with_name("uv")


def releases() -> list[str]:
    """Those of the range that the package index has, the oldest first."""
    command = [sys.executable, "-m", "pip", "index", "versions", "inspect-ai"]
    shown = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    (found,) = re.findall(r"Available versions: (.*)", shown)
    return [one for one in reversed(found.split(", ")) if versions.taken(one)]


def tried(release: str, folder: Path) -> dict[str, int]:
    """How many tests there were, and how many failed or were skipped, in a fresh environment below `folder`."""
    python, result = folder / "bin" / "python", folder / "result.xml"
    # Older releases make their data frames with what the extra `parquet` brings.
    wanted = ["--editable", f"{ROOT}[dev,inspect,parquet]", f"inspect-ai=={release}"]
    subprocess.run([UV, "venv", "--quiet", "--python", sys.executable, folder], check=True)
    subprocess.run([UV, "pip", "install", "--quiet", "--python", python, *wanted], check=True)
    options = ["-p", "no:cacheprovider", f"--basetemp={folder / 'tests'}", f"--junitxml={result}"]
    subprocess.run([python, "-m", "pytest", *options, *TESTS], check=False, cwd=ROOT)
    (suite,) = ET.parse(result).getroot()
    return {name: int(suite.attrib[name]) for name in ("tests", "failures", "errors", "skipped")}


def main() -> None:
    """Print the table. Ends with 1 if a test failed or was skipped, or for a release out of the range."""
    known = releases()
    named = {"floor": known[0], "newest": known[-1]}
    between = [known[len(known) * part // 3] for part in (1, 2)]
    asked = [named.get(one, one) for one in sys.argv[1:]] or [known[0], *between, known[-1]]
    if unknown := [one for one in asked if one not in known]:
        sys.exit(f"{', '.join(unknown)}: no release of the range; there are {', '.join(known)}")
    rows: dict[str, dict[str, int]] = {}
    for release in asked:
        with tempfile.TemporaryDirectory(prefix="inspect-") as folder:
            rows[release] = tried(release, Path(folder))
    print(f"{'release':10}{'passed':>8}{'failed':>8}{'skipped':>9}")
    for release, row in rows.items():
        failed = row["failures"] + row["errors"]
        print(f"{release:10}{row['tests'] - failed - row['skipped']:8}{failed:8}{row['skipped']:9}")
    sys.exit(any(row["failures"] + row["errors"] + row["skipped"] for row in rows.values()))


if __name__ == "__main__":
    main()
