import { useState } from "react";
import { useBoard } from "../../data/board";
import { contrastWords } from "../../data/contrasts";
import { capital } from "../../data/titles";
import { useQuery } from "../../route/query";
import type { ColumnInfo } from "../../schema";
import { count, percent, signed } from "../../text/format";
import { Downloads } from "../../ui/Downloads";
import type { Gap, PairGaps } from "./gaps";

const FIRST = 6;

interface GapsProps {
  readonly found: PairGaps;
  readonly slugs: readonly string[];
  readonly scenario: string; // that is shown below
  readonly only: boolean; // where they differ
}

/** The scenarios by how far the subjects lie apart in them, the furthest first; each shows its answers below. */
export function Gaps({ found, slugs, scenario, only }: GapsProps) {
  const board = useBoard();
  const [, change] = useQuery();
  const [all, setAll] = useState(false);
  const label = (slug: string | undefined) => board.labels.get(slug ?? "") ?? "";
  const others = slugs.slice(1);
  const rows = only ? found.gaps.filter(({ differs }) => differs) : found.gaps;
  const shown = all ? rows : rows.slice(0, FIRST);
  const say = (value: number | null) => (value === null ? "—" : found.quantity === "" ? signed(100 * value, 0) : signed(value));
  const columns: ColumnInfo[] = [
    { key: "scenario", head: "Scenario" },
    ...others.map((slug): ColumnInfo => ({ key: slug, head: label(slug), kind: "signed", digits: 4 })),
    { key: "differs", head: "Apart", kind: "flag" },
  ];
  return (
    <section aria-labelledby="gaps" className="mb-10">
      <div className="head">
        <h2 id="gaps">
          {found.quantity === "" ? "Scenarios" : `${capital(contrastWords(found.quantity).one)}s`} by difference
        </h2>
        <label className="screen-only mr-auto flex items-center gap-1.5 text-sm">
          <input type="checkbox" checked={only} onChange={(event) => { change({ only: event.target.checked ? 1 : null }); }} /> Only where they lie apart
        </label>
        <Downloads name={`gaps-${slugs.join("-")}`} columns={columns} rows={rows.map((gap) => [gap.label, ...gap.values, gap.differs])} />
      </div>
      <p className="note">
        {label(slugs[0])} minus the other{others.length > 1 ? "s" : ""}, {found.quantity === "" ? "share kept in percentage points" : found.quantity}; the largest difference first. They lie apart
        where {found.rule}.
      </p>
      {rows.length === 0 && <p className="text-sm text-muted">Nowhere are they told apart.</p>}
      <ul>
        {shown.map((gap) => (
          <Row key={gap.key} gap={gap} chosen={gap.scenarios.includes(scenario)} say={say} quantity={found.quantity} onChoose={() => { change({ s: gap.scenarios[0] ?? null }); }} />
        ))}
      </ul>
      {shown.length < rows.length && (
        <button type="button" className="control mt-1" onClick={() => { setAll(true); }}>
          Show all {count(rows.length)}
        </button>
      )}
    </section>
  );
}

interface RowProps {
  readonly gap: Gap;
  readonly chosen: boolean;
  readonly quantity: string;
  readonly say: (value: number | null) => string;
  readonly onChoose: () => void;
}

function Row({ gap, chosen, say, quantity, onChoose }: RowProps) {
  const width = Math.min(gap.size / (quantity === "" ? 1 : 2), 1);
  return (
    <li className="border-t border-faint">
      <button type="button" aria-pressed={chosen} className={`grid w-full items-center gap-3 py-1 text-left text-sm hover:bg-band ${chosen ? "font-semibold text-accent" : ""}`} style={{ gridTemplateColumns: `minmax(0,20rem) minmax(4rem,1fr) ${3.5 * gap.values.length}rem 2.25rem` }} onClick={onChoose}>
        <span>{gap.label}</span>
        <svg aria-hidden="true" className="block h-2 w-full">
          <rect width="100%" height="8" rx="2" className="fill-faint" />
          <rect width={percent(width)} height="8" rx="2" className={gap.differs ? "fill-accent" : "fill-soft"} />
        </svg>
        <span className="flex tabular-nums">
          {gap.values.map((value, place) => (
            <span key={place} className="w-14 text-right">
              {say(value)}
            </span>
          ))}
        </span>
        <span className="text-right text-xs text-muted">{gap.differs ? "apart" : ""}</span>
      </button>
    </li>
  );
}
