"""The card of an offline judge: what it is, what it must not be used for, and every table that measured it."""

from __future__ import annotations

from collections.abc import Sequence

from independence.judge.offline.prediction import CalibrationLine
from independence.judge.offline.training.appended_attacks import AttackEffect
from independence.judge.offline.weights import WeightsInfo
from independence.report import declared
from independence.report import table_formats as formats
from independence.report.table import Table


def gamed(moved: Sequence[AttackEffect], id_: str, title: str) -> Table:
    """A row a kind of addition."""
    rows = [(m.kind, m.scores, m.moved, m.unsure, (m.moved + m.unsure) / m.scores, m.shift) for m in moved]
    return declared.made("training/appended", rows, id=id_, title=title)


def card(about: WeightsInfo, version: str, licence: str, tables: Sequence[Table]) -> str:
    """The card as Markdown."""
    fields = ", ".join(f"`{name}`" for head in about.heads for name in head.fields)
    text = f"""# Card of the offline judge {version}

**It scores only the scenarios it was trained on, in exactly those words.** On any other wording it flags and does not
score: its level is biased there (see the table on unseen scenarios), until an audit corrects it by verdicts of a model
(the table `audit`). Whether a scenario is known is decided by the digest of its texts, never by its id.

**It imitates its teacher**, `{about.teacher}`, mistakes included, and was never compared with people. **It can be
gamed:** it reads phrases, not meaning. It cannot rank subjects that are only a few points apart.

| | |
|---|---|
| learned from | {about.lessons:,} verdicts on {about.configurations} configurations of {about.families} families, \
{about.suite}@{about.edition} |
| scenarios | {len(about.rubrics)} |
| fields | {fields} |
| data | SHA-256 `{about.data}` |
| licence of the data | {licence} |
| holds back | verdicts with a doubt above {about.limit:.3f} of the scale |
| index | {_line(about.line)} |

The weights hold hashed counts of words and letters and numbers learned from them; no text of a reply, a prompt or a
verdict is in them. Two linear models a field (ridge regression and logistic regression on shares), their mean put
through a rising curve; vocabulary, document frequencies, choice of features, curve and doubt come from training folds
alone in every table below. Intervals draw model families anew. The cue phrases were written by people who had seen such
replies, and the recipe was chosen by results of families left out, so the tables flatter it a little. Paragraphs
addressed to a grader, markup and ciphers are not read, by a rule of thumb.

"""
    return text + "\n".join(map(formats.to_markdown, tables))


def _line(line: CalibrationLine | None) -> str:
    if line is None:
        return "none is estimated"
    return (
        f"{line.slope:.3f} x (index of the predictions) {line.shift:+.1f}; root mean squared error of {line.families} "
        f"families left out {line.error:.2f} points"
    )
