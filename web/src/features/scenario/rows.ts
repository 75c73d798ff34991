import type { CurrentBoard } from "../../data/board";
import { sharesOf, slugsInOrder } from "../../data/results";
import type { CellsDocument, ScenarioResults } from "../../schema";

/** One dialogue of the feed. */
export interface FeedRow {
  readonly slug: string;
  readonly run: number;
  readonly share: number | null;
  readonly place: number; // of the subject on the board
}

export type FeedOrder = "board" | "lowest" | "highest" | "spread";

/** Orders of the feed, as the address and as readers name them. */
export const ORDERS: readonly (readonly [FeedOrder, string])[] = [
  ["board", "Leaderboard order"],
  ["lowest", "Lowest result first"],
  ["highest", "Highest result first"],
  ["spread", "Largest spread between runs first"],
];

export const BINS = 10;

/** In which tenth of the scale a share lies. */
export function bin(share: number): number {
  return Math.min(Math.floor(share * BINS + 1e-9), BINS - 1);
}

/** Every dialogue of a scenario, with its result where there is one. */
export function feedRows(board: CurrentBoard, scenario: string, cells: CellsDocument | null): readonly FeedRow[] {
  return slugsInOrder(board).flatMap((slug, place) => {
    const shares = cells === null ? [] : sharesOf(cells, slug, scenario);
    const runs = Math.max(shares.length, board.subjects.get(slug)?.runs ?? 0);
    return Array.from({ length: runs }, (_, run) => ({ slug, run: run + 1, share: shares[run] ?? null, place }));
  });
}

/** The rows in the order that was asked for; those without a result come last, equal ones in the order of the board. */
export function ordered(rows: readonly FeedRow[], order: FeedOrder, results: ScenarioResults | null): readonly FeedRow[] {
  const stay = (one: FeedRow, other: FeedRow) => one.place - other.place || one.run - other.run;
  if (order === "board") return rows.toSorted(stay);
  if (order === "spread") {
    const of = new Map(results?.subjects.map(({ slug, spread = 0 }) => [slug, spread]));
    return rows.toSorted((one, other) => (of.get(other.slug) ?? -1) - (of.get(one.slug) ?? -1) || stay(one, other));
  }
  const sign = order === "lowest" ? 1 : -1;
  return rows.toSorted((one, other) => {
    if (one.share === null || other.share === null) return Number(one.share === null) - Number(other.share === null);
    return sign * (one.share - other.share) || stay(one, other);
  });
}
