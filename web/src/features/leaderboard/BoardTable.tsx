import { stepShare, ticks, at, type Span } from "../../charts/scale";
import { EstimateMark } from "../../charts/marks";
import type { Direction } from "../../text/compare";
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

const CELL = "px-2 py-1 text-right whitespace-nowrap";
const STUCK = "max-sm:sticky max-sm:left-0 max-sm:z-10 max-sm:w-40 max-sm:bg-paper";

function isRight(column: BoardColumn): boolean {
  return isNumeric(column) || column.key === "rank_ci";
}

/** Whether a tier begins at a row. */
function opensTier(entries: readonly Entry[], place: number): boolean {
  const tier = entries[place]?.row.tier ?? null;
  const before = entries.slice(0, place).findLast(({ row }) => row.tier !== null);
  return tier !== null && before !== undefined && tier !== before.row.tier;
}

/** The board as a table with a forest plot in it. */
export function BoardTable({ entries, columns, all, span, reference, sort, direction, onSort }: BoardTableProps) {
  const row = (entry: Entry | undefined, opens: boolean) =>
    entry !== undefined && (
      <Row key={entry.subject.slug} entry={entry} columns={columns} all={all} span={span} reference={reference} opens={opens} />
    );
  const head = (key: string) => (sort === key ? direction : null);
  return (
    <div className="overflow-x-auto max-sm:-mx-4" {...(all ? { tabIndex: 0, role: "group", "aria-label": "Leaderboard, scrolls sideways" } : {})}>
      <table
        className={`w-full border-collapse text-sm ${all ? "max-sm:min-w-(--wide)" : "max-sm:table-fixed"}`}
        style={{ "--wide": `${24 + 5 * columns.length}rem` } as React.CSSProperties}
      >
        <caption className="sr-only">Subjects by index, with 95 % intervals</caption>
        <thead className="border-b border-faint">
          <tr>
            <SortHead className="w-16" sorted={head("rank")} right onSort={() => { onSort("rank", "asc"); }} about="Place by index among all subjects; where missing verdicts leave several, the first and the last. A single run has none.">
              #
            </SortHead>
            <SortHead className={all ? STUCK : ""} sorted={head("subject")} onSort={() => { onSort("subject", "asc"); }}>
              Subject
            </SortHead>
            <SortHead className="max-sm:w-[4.5rem]" sorted={head("index")} right onSort={() => { onSort("index", "desc"); }} about="From 0 to 100; the higher, the more it keeps of its identity, positions and choices.">
              Index
            </SortHead>
            <th scope="col" className={`px-3 py-1.5 align-bottom ${all ? "w-1/4 max-sm:w-24" : "w-1/3 max-sm:w-28"}`}>
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
                className={column.wide === true && !all ? "max-md:hidden" : ""}
              >
                {column.head}
              </SortHead>
            ))}
          </tr>
        </thead>
        <RowGroups
          count={entries.length}
          row={(place) => row(entries[place], sort === null && opensTier(entries, place))}
        />
      </table>
    </div>
  );
}

function Axis({ span }: { readonly span: Span }) {
  return (
    <svg aria-hidden="true" className="block h-4 w-full overflow-visible">
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
  const bounds = `between ${decimal(onScale(row.bounds[0]))} and ${decimal(onScale(row.bounds[1]))}`;
  if (row.index === null) return `Index ${bounds}: verdicts are missing`;
  const interval = inner === null ? "no interval" : `95 % interval ${shown({ kind: "index_interval" }, inner)}`;
  return `Index ${decimal(onScale(row.index))}, ${interval}`;
}

interface RowProps {
  readonly entry: Entry;
  readonly columns: readonly BoardColumn[];
  readonly all: boolean;
  readonly span: Span;
  readonly reference: Reference | null;
  readonly opens: boolean; // a tier begins here
}

function shade(reference: Reference | null, slug: string): string {
  if (reference?.slug === slug) return "bg-band font-semibold";
  return reference?.alike.has(slug) === true ? "bg-band" : "";
}

function Row({ entry, columns, all, span, reference, opens }: RowProps) {
  const { row } = entry;
  const inner = innerInterval(entry);
  return (
    <tr className={`hover:bg-band ${shade(reference, entry.subject.slug)} ${opens ? "border-t border-soft" : ""}`}>
      <td className={`${CELL} w-16 text-muted`} title={row.tier === null ? undefined : `Tier ${row.tier}`}>
        {rank(row)}
      </td>
      <th scope="row" className={`px-2 py-1 text-left font-normal [overflow-wrap:anywhere] ${all ? STUCK : ""}`}>
        <SubjectName entry={entry} />
      </th>
      <td className={`${CELL} font-medium`}>
        {row.index === null ? <span className="font-normal text-open">{shown({ kind: "index" }, row.bounds)}</span> : shown({ kind: "index" }, row.index)}
      </td>
      <td className="gridlines px-3 py-0" style={{ "--step": `${stepShare(span)}%` } as React.CSSProperties}>
        <EstimateMark span={span} estimate={estimateOf(entry)} hollow={inner === null} says={said(entry, inner)} />
      </td>
      {columns.map((column) => (
        <td
          key={column.key}
          className={`px-2 py-1 ${isRight(column) ? "text-right whitespace-nowrap" : ""} ${column.wide === true && !all ? "max-md:hidden" : ""}`}
        >
          {shown(column, column.value(entry))}
        </td>
      ))}
    </tr>
  );
}
