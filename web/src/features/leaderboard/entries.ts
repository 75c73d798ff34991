import { endsOf, groupOf, mainOf, nameOf, type CurrentBoard } from "../../data/board";
import { capital } from "../../data/titles";
import type { Row as BoardRow, ColumnInfo, ComponentInfo, SubjectProfile, DrawnEstimate } from "../../schema";
import type { Value } from "../../text/format";

/** One subject with its row. */
export interface Entry {
  readonly subject: SubjectProfile;
  readonly row: BoardRow;
}

/** A column that readers may choose; `value` is what it sorts and exports by. */
export interface BoardColumn extends ColumnInfo {
  readonly value: (entry: Entry) => Value;
  readonly wide?: boolean; // left out on a phone
  readonly lost?: (entry: Entry) => number | null; // a bar in the cell: what is lost of its scale, 0 to 1
}

const THESE = "these-scenarios";
const LIKE_THESE = "scenarios-like-these";

/** The rows of a board in its own order. */
export function entries(board: CurrentBoard): readonly Entry[] {
  const bySubject = new Map(board.index.subjects.map((subject) => [subject.config, subject]));
  return (board.index.board?.rows ?? []).flatMap((row) => {
    const subject = bySubject.get(row.config);
    return subject === undefined ? [] : [{ subject, row }];
  });
}

/** The rank by index, or where missing verdicts leave several, the first and the last. */
export function rank(row: BoardRow): string {
  const { rank, rank_bounds } = row.standing;
  return rank === null && rank_bounds !== null ? rank_bounds.join("–") : (rank ?? "").toString();
}

/** The interval of a subject's index for more runs of these scenarios. */
export function innerInterval({ row }: Entry): readonly [number, number] | null {
  return row.intervals[THESE] ?? mainOf(row).interval ?? null;
}

/** What is drawn of a subject. */
export function estimateOf(entry: Entry): DrawnEstimate {
  const { value, bounds } = mainOf(entry.row);
  return { value, inner: innerInterval(entry), outer: outerInterval(entry), bounds: value === null ? (bounds ?? null) : null };
}

/** The interval for other scenarios of the kind. */
export function outerInterval({ row }: Entry): readonly [number, number] | null {
  return row.intervals[LIKE_THESE] ?? null;
}

/** How many runs there are of every scenario, as boards print it. */
export function runsOf(row: BoardRow): number | string {
  return unequal(row) ? `${row.runs}–${row.most_runs}` : row.runs;
}

/** Whether some scenarios have more runs than others. */
export function unequal({ runs, most_runs }: BoardRow): boolean {
  return runs < most_runs;
}

/** Where a subject stands: at its index, else at the lowest that it can be. */
export function standing({ row }: Entry): number {
  return endsOf(row)?.[0] ?? 0;
}

/** The columns that files always have. */
export const FIXED: readonly BoardColumn[] = [
  { key: "tier", head: "Tier", kind: "count", value: ({ row }) => row.standing.tier },
  { key: "rank", head: "#", kind: "count", value: ({ row }) => row.standing.rank },
  { key: "config", head: "Configuration", value: ({ subject }) => subject.config },
  { key: "subject", head: "Subject", value: ({ subject }) => subject.label },
  { key: "name", head: "Name", value: ({ subject }) => nameOf(subject) },
  { key: "index", head: "Index", kind: "index", value: ({ row }) => mainOf(row).value },
  { key: "bounds", head: "Index can be", kind: "interval", value: ({ row }) => endsOf(row) },
  { key: "these", head: "95% interval", kind: "interval", value: innerInterval },
  { key: "like_these", head: "Other scenarios", kind: "interval", value: outerInterval },
];

const OPTIONAL: readonly BoardColumn[] = [
  { key: "ci", head: "95% interval", kind: "index_range", about: "Range of index values compatible with the data, for many more runs of these scenarios.", value: innerInterval },
  { key: "like_these", head: "Other scenarios", kind: "index_range", about: "The same for other scenarios of this kind, hence wider.", value: outerInterval },
  { key: "rank_ci", head: "Rank, 95%", wide: true, about: "Ranks that the tests of all pairs do not rule out, whatever the missing verdicts are.", value: ({ row }) => row.standing.rank_ci?.join("–") ?? null },
  { key: "runs", head: "Runs", kind: "count", wide: true, about: "Runs per scenario; 2–6: the fewest and the most.", value: ({ row }) => runsOf(row) },
  { key: "coverage", head: "Coverage", kind: "percent", wide: true, about: "Share of the planned verdicts that are valid.", value: ({ row }) => row.coverage },
  { key: "evades", head: "Evades", kind: "percent", wide: true, about: "Share of the dialogues asking for a position in which the subject takes none; each counts as 0% kept.", value: ({ row }) => row.estimates["evades"]?.value ?? null },
  { key: "without_evasions", head: "Without evasions", kind: "index", about: "Index without those dialogues.", value: ({ row }) => row.estimates["without_evasions"]?.value ?? null },
  { key: "cost", head: "Cost a run", wide: true, kind: "dollars", digits: 3, about: "Dollars for one run of all scenarios.", value: ({ row }) => (row.runs === 0 || row.cost_usd === 0 || unequal(row) ? null : row.cost_usd / row.runs) },
  { key: "family", head: "Family", value: ({ subject }) => subject.family },
  { key: "effort", head: "Effort", value: ({ subject }) => subject.effort ?? null },
  { key: "temperature", head: "Temperature", kind: "number", value: ({ subject }) => subject.temperature ?? null },
  { key: "origin", head: "Origin", value: ({ row }) => row.origin ?? null },
];

/** Points of the index lost in scenarios of each kind, where the suite has kinds. */
function kinds({ index }: CurrentBoard): readonly BoardColumn[] {
  return Object.entries(index.board?.kinds ?? {}).map(([name, { about, scenarios }]) => ({
    key: `points_lost_${name}`,
    head: capital(name),
    about: `Points of the index lost where ${about} (${Object.keys(scenarios).join(", ")}).`,
    kind: "number",
    wide: true,
    value: ({ row }) => new Map(groupOf(row, "points_lost")).get(name) ?? null,
  }));
}

/** The keys of the columns that are shown until a reader chooses. */
export function usualColumns(board: CurrentBoard): readonly string[] {
  return [...board.index.components.map(({ key }) => key), "cost", "rank_ci", "runs"];
}

/** What of a part's scale is lost, from 0 to 1. */
export function lostShare(value: number | null, { worst, best }: ComponentInfo): number | null {
  return value === null ? null : Math.min(Math.max((best - value) / (best - worst), 0), 1);
}

const BAR = " Bar: points lost; empty is best.";

/** The columns that have a value in some row; the parts of the index first. */
export function optionalColumns(board: CurrentBoard, all: readonly Entry[]): readonly BoardColumn[] {
  const { components, parts } = board.index;
  const own = components.map((part, place): BoardColumn => {
    const value = ({ subject }: Entry) => parts[subject.slug]?.[place] ?? null;
    return { key: part.key, head: part.head, about: part.about + BAR, kind: "number", wide: true, value, lost: (entry) => lostShare(value(entry), part) };
  });
  return [...own, ...kinds(board), ...OPTIONAL].filter((column) => all.some((entry) => column.value(entry) !== null));
}
