"""One or two command lines a command, shown below its options. A test runs them through its parser."""

from __future__ import annotations

from typing import Final

EXAMPLES: Final = {
    "demo": ("demo", "demo --suite sides"),
    "run": (
        "run -m anthropic/claude-haiku-4.5 --runs 5 --max-cost 2",
        "run --local-url http://127.0.0.1:1234/v1 --local-model qwen3-8b --judge cues",
        "run -m openai/gpt-5-mini --variants my-persona.md --fail-under 80",
    ),
    "rerun": ("rerun --top-n 5 --target-runs 10",),
    "judge": ("judge -j cues", "judge -j hybrid:google/gemini-3-flash-preview --unsure-share 0.3"),
    "validate-judges": ("validate-judges --worst 5", "validate-judges --hostile -j cues"),
    "train-judge": ("train-judge --from independence.db --out my-judge",),
    "leaderboard": ("leaderboard --detailed", "leaderboard --suite v2 --judge cues --format csv"),
    "show": ("show sim/half --db independence-demo.db", "show sim/half pt03 --run 2 --db independence-demo.db"),
    "extract-names": ("extract-names -x local/qwen3-8b --local-url http://127.0.0.1:1234/v1",),
    "compare": (
        "compare sim/never sim/half --db independence-demo.db",
        "compare claude-haiku-4.5 --against-variant my-persona.md",
    ),
    "estimate-cost": (
        "estimate-cost -m openai/gpt-5-mini --runs 5",
        "estimate-cost --roster default --runs 1 --format json",
    ),
    "clear-cache": ("clear-cache --missing --dry-run", "clear-cache -m openai/gpt-5-mini --yes"),
    "generate-report": ("generate-report --html --db independence-demo.db",),
    "import": ("import published-results.tar.xz", "import labels.csv"),
    "label-sample": ("label-sample labels.csv --size 60 --suite rent",),
    "export": ("export results --format csv", "export results --variant my-persona.md --force"),
    "suites": ("suites", "suites lint my-suite"),
    "suites lint": ("suites lint my-suite",),
    "suites grid": ("suites grid rent --out grid.jsonl",),
    "models": ("models --catalogue haiku", "models --models-file published"),
    "doctor": ("doctor -m openai/gpt-5-mini",),
    "endpoint": ("endpoint --port 0 --latency 0.05 --faults 429=0.1",),
}


def epilog(name: str) -> str:
    """The examples of a command as the last paragraph of its help; empty where it has none."""
    lines = [f"  independence {line}" for line in EXAMPLES.get(name, ())]
    return "\n".join(["\b", "Examples:" if len(lines) > 1 else "Example:", *lines]) if lines else ""
