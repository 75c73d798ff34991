import type { CurrentBoard } from "../../data/board";
import { sharesOf, slugsInOrder } from "../../data/results";
import type { CellsDocument } from "../../schema";

/** One dialogue of the feed. */
export interface FeedRow {
  readonly slug: string;
  readonly run: number;
  readonly share: number | null;
  readonly place: number; // of the subject on the board
}

export type FeedOrder = "board" | "lowest" | "highest" | "spread";

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

/** How many dialogues lie in each tenth of the scale. */
export function counts(rows: readonly FeedRow[]): readonly number[] {
  const found = Array.from({ length: BINS }, () => 0);
  for (const { share } of rows) if (share !== null) found[bin(share)] = (found[bin(share)] ?? 0) + 1;
  return found;
}

function spreads(rows: readonly FeedRow[]): ReadonlyMap<string, number> {
  const ends = new Map<string, [number, number]>();
  for (const { slug, share } of rows) {
    if (share === null) continue;
    const [low, high] = ends.get(slug) ?? [share, share];
    ends.set(slug, [Math.min(low, share), Math.max(high, share)]);
  }
  return new Map([...ends].map(([slug, [low, high]]) => [slug, high - low]));
}

/** The rows in the order that was asked for; those without a result come last. */
export function ordered(rows: readonly FeedRow[], order: FeedOrder): readonly FeedRow[] {
  const stay = (one: FeedRow, other: FeedRow) => one.place - other.place || one.run - other.run;
  if (order === "board") return rows.toSorted(stay);
  if (order === "spread") {
    const of = spreads(rows);
    return rows.toSorted((one, other) => (of.get(other.slug) ?? -1) - (of.get(one.slug) ?? -1) || stay(one, other));
  }
  const sign = order === "lowest" ? 1 : -1;
  return rows.toSorted((one, other) => {
    if (one.share === null || other.share === null) return Number(one.share === null) - Number(other.share === null);
    return sign * (one.share - other.share) || stay(one, other);
  });
}
