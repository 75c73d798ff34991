import type { CurrentBoard } from "../../data/board";
import { decimal } from "../../text/format";

/** What the marks and intervals of the board mean, and what it rests on. */
export function BoardNotes({ board }: { readonly board: CurrentBoard }) {
  const own = board.index.board;
  if (own === null) return null;
  const notes = [
    "Dot: index. Thick line: 95 % interval for more runs of these scenarios. Thin line: for other scenarios of this kind. Open dot: a single run, which has no interval. Open bar: what the index can be where verdicts are missing.",
    own.rows.some((row) => row.tier !== null)
      ? "A line between rows begins a tier: its first subject differs significantly from the first subject of the tier above."
      : "",
    own.rows.some((row) => row.thinking) ? "† answers used reasoning tokens." : "",
    own.rows.some((row) => row.placed)
      ? "‡ verdicts are missing, but the index can lie only within the bar; the subject stands at the lowest index that they allow."
      : "",
    own.minimum_detectable === null
      ? ""
      : `Two subjects must differ by about ${decimal(own.minimum_detectable)} points to be told apart with 80 % power in one comparison.`,
    own.few_scenarios?.note ?? "",
    own.caution ?? "",
    own.judging ?? "",
  ].filter((note) => note !== "");
  return (
    <ul className="mt-6 max-w-4xl space-y-1 text-[0.8125rem] text-muted">
      {notes.map((note) => (
        <li key={note}>{note}</li>
      ))}
    </ul>
  );
}
