import { compareValues, type Direction } from "../../text/compare";

/** A row or a column of a heatmap. */
export interface HeatEntry {
  readonly key: string;
  readonly label: string;
  readonly head?: string; // at the head of a column, where that is shorter
  readonly to: string; // its page
  readonly mean: number | null; // of its means
  readonly spread: number | null; // their standard deviation
}

/** By what rows or columns are sorted: a column's key, or one of these words. */
export const ORDERS = ["given", "name", "mean", "spread", "similar"] as const;

/** Entries as they were asked for; what has no value comes last in both directions, equal ones as they were given. */
export function ordered(
  entries: readonly HeatEntry[],
  by: string,
  direction: Direction,
  similar: readonly string[],
  value: (key: string) => number | null,
): readonly HeatEntry[] {
  if (by === "" || by === "given") return direction === "asc" ? entries : entries.toReversed();
  const place = new Map(similar.map((key, at) => [key, at]));
  const of = (entry: HeatEntry) => {
    if (by === "name") return entry.label;
    if (by === "mean") return entry.mean;
    if (by === "spread") return entry.spread;
    if (by === "similar") return place.get(entry.key) ?? null;
    return value(entry.key);
  };
  return entries.toSorted((one, other) => compareValues(of(one), of(other), direction));
}
