import { useBoard, type CurrentBoard } from "./board";
import { useDocument, type Loaded } from "./documents";
import { cellsPath } from "./paths";
import type { CellsDocument } from "../schema";

/** Result of every dialogue under the judge of this page; nothing is asked where nobody judged. */
export function useCells(): Loaded<CellsDocument> | null {
  const board = useBoard();
  const cells = useDocument<CellsDocument>(board.judge === null ? null : cellsPath(board));
  return board.judge === null ? null : cells;
}

/** The results of a subject with a scenario, one a run; null where there is none. */
export function sharesOf(cells: CellsDocument, slug: string, scenario: string): readonly (number | null)[] {
  const place = cells.scenarios.indexOf(scenario);
  return place < 0 ? [] : (cells.shares[slug]?.[place] ?? []);
}

/** The mean of what is there; null where nothing is. */
export function mean(values: readonly (number | null)[]): number | null {
  const there = values.filter((value) => value !== null);
  return there.length === 0 ? null : there.reduce((sum, value) => sum + value, 0) / there.length;
}

/** The value below which a share of the sorted values lies. */
export function quantile(values: readonly number[], share: number): number | null {
  const sorted = values.toSorted((one, other) => one - other);
  if (sorted.length === 0) return null;
  const place = share * (sorted.length - 1);
  const low = sorted[Math.floor(place)] ?? 0;
  return low + ((sorted[Math.ceil(place)] ?? low) - low) * (place % 1);
}

/** Subjects in the order of the board. */
export function slugsInOrder(board: CurrentBoard): readonly string[] {
  const byConfig = new Map(board.index.subjects.map((subject) => [subject.config, subject.slug]));
  const ranked = (board.index.board?.rows ?? []).flatMap((row) => byConfig.get(row.config) ?? []);
  return ranked.length > 0 ? ranked : board.index.subjects.map((subject) => subject.slug);
}

/** The same in full: where it is no share kept, what the percentages are of. */
export function measureAbout(cells: CellsDocument): string {
  return cells.measure === "kept" ? "share kept (points of the rubric as a share of the most possible; 100% is best)" : `${measureName(cells)} (0%: the lowest value of its scale, 100%: the highest)`;
}

/** What the shares of a cells document are. */
export function measureName(cells: CellsDocument): string {
  return cells.measure === "kept" ? "share kept (points of the rubric as a share of the most possible; 100% is best)" : cells.measure.replaceAll("_", " ");
}
