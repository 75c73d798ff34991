import { Fragment, useMemo } from "react";
import { stepShare, ticks, at, type Span } from "../../charts/scale";
import { EstimateMark } from "../../charts/marks";
import type { Direction } from "../../text/compare";
import { mainOf } from "../../data/board";
import { decimal, isNumeric, onScale, shown } from "../../text/format";
import { RowGroups } from "../../ui/RowGroups";
import { SortHead } from "../../ui/SortHead";
import type { Reference } from "./reference";
import { estimateOf, innerInterval, rank, type BoardColumn, type Entry } from "./entries";
import { SubjectName } from "./SubjectName";

interface BoardTableProps {
  readonly entries: readonly Entry[];
  readonly columns: readonly BoardColumn[];
  readonly span: Span;
  readonly all: boolean; // also on a phone every column, which then scrolls sideways
  readonly reference: Reference | null;
  readonly sort: string | null;
  readonly direction: Direction;
  readonly onSort: (key: string, first: Direction) => void;
}

const CELL = "text-right whitespace-nowrap";
const STUCK = "max-sm:sticky max-sm:left-0 max-sm:z-10 max-sm:w-40 max-sm:bg-paper";

function isRight(column: BoardColumn): boolean {
  return isNumeric(column) || column.key === "rank_ci";
}

/** The tier that begins at each row, where one does. */
function tiersBegin(entries: readonly Entry[]): readonly (number | null)[] {
  let last: number | null = null;
  return entries.map(({ row }) => {
    const { tier } = row.standing;
    const begins = tier !== null && tier !== last;
    last = tier ?? last;
    return begins ? tier : null;
  });
}

/** The board as a table with a forest plot in it. */
export function BoardTable({ entries, columns, all, span, reference, sort, direction, onSort }: BoardTableProps) {
  const tiers = useMemo(() => tiersBegin(entries), [entries]);
  const labelled = sort === null && tiers.filter((tier) => tier !== null).length > 1;
  const row = (entry: Entry | undefined, tier: number | null) =>
    entry !== undefined && (
      <Fragment key={entry.subject.slug}>
        {tier !== null && <TierLabel tier={tier} columns={columns.length + 4} />}
        <Row entry={entry} columns={columns} all={all} span={span} reference={reference} />
      </Fragment>
    );
  const head = (key: string) => (sort === key ? direction : null);
  return (
    <div className={all ? "overflow-x-auto" : "overflow-x-clip"} {...(all ? { tabIndex: 0, role: "group", "aria-label": "Leaderboard, scrolls sideways" } : {})}>
      <table
        className={`data-table ${all ? "max-sm:min-w-(--wide)" : "max-sm:table-fixed"}`}
        style={{ "--wide": `${24 + 5 * columns.length}rem` } as React.CSSProperties}
      >
        <caption className="sr-only">Subjects by index, with 95% intervals</caption>
        <thead className={all ? "" : "screen-stuck"}>
          <tr>
            <SortHead className="w-14 max-sm:w-9" sorted={head("rank")} onSort={() => { onSort("rank", "asc"); }} about="Rank by index; a range where verdicts are missing, none for a single run.">
              #
            </SortHead>
            <SortHead className={all ? STUCK : ""} sorted={head("subject")} onSort={() => { onSort("subject", "asc"); }}>
              Subject
            </SortHead>
            <SortHead className="max-sm:w-16" sorted={head("index")} right onSort={() => { onSort("index", "desc"); }} about="From 0 to 100; at 100 each of the parts that it is made of is at its best.">
              Index
            </SortHead>
            <th scope="col" className={`px-3 ${all ? "w-1/4 max-sm:w-24" : "w-1/5 max-sm:w-24"}`}>
              <span className="sr-only">Interval</span>
              <Axis span={span} />
            </th>
            {columns.map((column) => (
              <SortHead
                key={column.key}
                right={isRight(column)}
                about={column.about ?? ""}
                sorted={head(column.key)}
                onSort={() => { onSort(column.key, isNumeric(column) ? "desc" : "asc"); }}
                className={column.wide === true && !all ? (column.lost === undefined ? "max-xl:hidden" : "max-lg:hidden") : ""}
              >
                {column.head}
              </SortHead>
            ))}
          </tr>
        </thead>
        <RowGroups
          count={entries.length}
          row={(place) => row(entries[place], labelled ? (tiers[place] ?? null) : null)}
        />
      </table>
    </div>
  );
}

function Axis({ span }: { readonly span: Span }) {
  return (
    <svg aria-hidden="true" className="block h-4 w-full overflow-visible max-sm:mb-2">
      {ticks(span).map((tick, place, all) => (
        <text
          key={tick}
          x={`${at(span, tick)}%`}
          y={12}
          textAnchor="middle"
          className={`fill-muted text-[0.6875rem] font-normal ${place % 2 === (all.length - 1) % 2 ? "" : "max-sm:hidden"}`}
        >
          {tick}
        </text>
      ))}
    </svg>
  );
}

function said({ row }: Entry, inner: readonly [number, number] | null): string {
  const { value, bounds } = mainOf(row);
  const [low, high] = bounds ?? [0, 100];
  if (value === null) return `Index between ${decimal(onScale(low))} and ${decimal(onScale(high))}: verdicts are missing`;
  const interval = inner === null ? "no interval" : `95% interval ${shown({ kind: "index_interval" }, inner)}`;
  return `Index ${decimal(onScale(value))}, ${interval}`;
}

interface RowProps {
  readonly entry: Entry;
  readonly columns: readonly BoardColumn[];
  readonly all: boolean;
  readonly span: Span;
  readonly reference: Reference | null;
}

const LEADING = 4; // columns that are always there: more would make room on a phone for those that are hidden

/** The name of the tier whose band begins here. */
function TierLabel({ tier, columns }: { readonly tier: number; readonly columns: number }) {
  return (
    <tr className="tier">
      <th colSpan={LEADING} scope="rowgroup">
        Tier {tier}
      </th>
      {columns > LEADING && <td colSpan={columns - LEADING} className="max-lg:hidden" />}
    </tr>
  );
}

function shade(reference: Reference | null, slug: string): string {
  if (reference?.slug === slug) return "bg-band font-semibold";
  return reference?.alike.has(slug) === true ? "bg-band" : "";
}

function Row({ entry, columns, all, span, reference }: RowProps) {
  const { row } = entry;
  const { value, bounds } = mainOf(row);
  const inner = innerInterval(entry);
  return (
    <tr className={shade(reference, entry.subject.slug)}>
      <td className="whitespace-nowrap text-muted" title={row.standing.tier === null ? undefined : `Tier ${row.standing.tier}`}>
        {rank(row)}
      </td>
      <th scope="row" className={`[overflow-wrap:anywhere] ${all ? STUCK : ""}`}>
        <SubjectName entry={entry} bars={!all} />
      </th>
      <td className={`${CELL} font-semibold`}>
        {value === null ? <span className="font-normal text-open">{shown({ kind: "index" }, bounds ?? null)}</span> : shown({ kind: "index" }, value)}
      </td>
      <td className="gridlines px-3 py-0" style={{ "--step": stepShare(span) } as React.CSSProperties}>
        <EstimateMark span={span} estimate={estimateOf(entry)} hollow={inner === null} says={said(entry, inner)} />
      </td>
      {columns.map((column) => (
        <Cell key={column.key} column={column} entry={entry} all={all} />
      ))}
    </tr>
  );
}

function Cell({ column, entry, all }: { readonly column: BoardColumn; readonly entry: Entry; readonly all: boolean }) {
  const lost = column.lost?.(entry) ?? null;
  const hidden = column.wide !== true || all ? "" : column.lost === undefined ? "max-xl:hidden" : "max-lg:hidden";
  const right = isRight(column) ? CELL : "";
  return (
    <td
      className={`${right} ${hidden} ${lost === null ? "" : "lost-bar"}`}
      style={lost === null ? undefined : ({ "--lost": lost } as React.CSSProperties)}
    >
      {shown(column, column.value(entry))}
    </td>
  );
}
