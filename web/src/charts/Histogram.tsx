import type { ColumnInfo } from "../schema";
import { percent } from "../text/format";
import { Downloads } from "../ui/Downloads";

interface HistogramProps {
  readonly counts: readonly number[];
  readonly chosen: number | null;
  readonly says: string;
  readonly name: string; // of its files
  readonly title: string;
  readonly onChoose: (bin: number | null) => void;
}

const HEIGHT = 56;
const COLUMNS: readonly ColumnInfo[] = ["from", "to", "dialogues"].map((key) => ({ key, head: key, kind: "number" }));

/** How many dialogues came to which tenth of the scale; a bar shows only those, a second press all again. */
export function Histogram({ counts, chosen, says, name, title, onChoose }: HistogramProps) {
  const rows = counts.map((count, bin) => [bin / counts.length, (bin + 1) / counts.length, count]);
  const most = Math.max(...counts, 1);
  const ends = (bin: number) => `${percent(bin / counts.length)} to ${percent((bin + 1) / counts.length)}`;
  return (
    <figure className="max-w-xl">
      <figcaption className="mb-1 flex items-baseline justify-between gap-3 text-xs text-muted">
        {says}. Click a bar to list only its dialogues.
        <Downloads name={name} columns={COLUMNS} rows={rows} svg={() => import("./files").then(({ histogram }) => histogram(title, counts))} />
      </figcaption>
      <div className="flex items-end gap-px border-b border-faint" role="group" aria-label={says}>
        {counts.map((count, bin) => (
          <button
            key={bin}
            type="button"
            aria-pressed={chosen === bin}
            aria-label={`${ends(bin)}: ${count} dialogues`}
            title={`${ends(bin)}: ${count}`}
            className="group flex h-20 min-w-5 flex-1 flex-col items-center justify-end text-[0.6875rem] text-muted tabular-nums"
            onClick={() => { onChoose(chosen === bin ? null : bin); }}
          >
            {count > 0 ? count : ""}
            <span
              className={`block w-full ${chosen === null || chosen === bin ? "bg-accent" : "bg-soft opacity-50"} group-hover:bg-soft`}
              style={{ height: `${Math.max((count / most) * HEIGHT, count > 0 ? 2 : 0)}px` }}
            />
          </button>
        ))}
      </div>
      <div aria-hidden="true" className="flex justify-between text-[0.6875rem] text-muted">
        <span>0%</span>
        <span>50%</span>
        <span>100%</span>
      </div>
    </figure>
  );
}
