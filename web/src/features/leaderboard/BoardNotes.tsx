import { sentence } from "../../text/format";
import type { CurrentBoard } from "../../data/board";
import { STRICT } from "../../data/paths";

const MARKS =
  "Dot: index. Thick line: 95% interval for more runs of these scenarios. Thin line: for other scenarios of this kind. " +
  "Open dot: a single run, which has no interval. Open bar: what the index can be where verdicts are missing. " +
  "Bars in the columns: points lost; empty is best.";

const RULED =
  "Dot: index. Line: the published bootstrap interval over runs, which covers less than 95% with few runs. " +
  "The rule leaves missing verdicts out, as if they had been like the others.";

/** What the marks and intervals of the board mean, and what it rests on. */
export function BoardNotes({ board }: { readonly board: CurrentBoard }) {
  const few = board.index.board?.few_scenarios?.note ?? "";
  return (
    <ul className="note mt-8 space-y-1.5">
      {[board.index.board?.scoring === STRICT ? MARKS : RULED, few, ...board.index.notes.filter((note) => note !== few)].filter((note) => note !== "").map((note) => (
        <li key={note}>
          {sentence(note)
            .split("`")
            .map((part, place) => (place % 2 === 1 ? <code key={part}>{part}</code> : part))}
        </li>
      ))}
    </ul>
  );
}
