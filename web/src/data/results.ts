import { useBoard, type CurrentBoard } from "./board";
import { useDocument, type Loaded } from "./documents";
import { cellsPath, resultsPath } from "./paths";
import type { CellsDocument, ResultsDocument, ScenarioInfo, ScenarioResults } from "../schema";

export const RIGHT = "right"; // of a battery or a persona
const HELD = "held"; // of a ladder

export type Deed = "keep" | "change" | "evade";

/** Result of every dialogue under the judge of this page; nothing is asked where nobody judged. */
export function useCells(): Loaded<CellsDocument> | null {
  const board = useBoard();
  const cells = useDocument<CellsDocument>(board.judge === null ? null : cellsPath(board));
  return board.judge === null ? null : cells;
}

/** Who kept how much in a scenario; null while it is not there, and where nobody judged. */
export function useResults(scenario: ScenarioInfo | undefined): ScenarioResults | null {
  const board = useBoard();
  const asked = board.judge !== null && scenario !== undefined;
  const loaded = useDocument<ResultsDocument>(asked ? resultsPath(board, scenario.unit) : null);
  if (!asked || loaded.state !== "ready") return null;
  return loaded.value.scenarios.find((one) => one.id === scenario.id) ?? null;
}

/** The results of a subject with a scenario, one a run; null where there is none. */
export function sharesOf(cells: CellsDocument, slug: string, scenario: string): readonly (number | null)[] {
  const place = cells.scenarios.indexOf(scenario);
  return place < 0 ? [] : (cells.shares[slug]?.[place] ?? []);
}

/** What a subject of a battery did in an arm, one a run. */
export function deedsOf(cells: CellsDocument, slug: string, scenario: string): readonly (Deed | null)[] {
  return cells.deeds?.[slug]?.[cells.scenarios.indexOf(scenario)] ?? [];
}

/** Subjects in the order of the board. */
export function slugsInOrder(board: CurrentBoard): readonly string[] {
  const byConfig = new Map(board.index.subjects.map((subject) => [subject.config, subject.slug]));
  const ranked = (board.index.board?.rows ?? []).flatMap((row) => byConfig.get(row.config) ?? []);
  return ranked.length > 0 ? ranked : board.index.subjects.map((subject) => subject.slug);
}

/** The same in full: where it is no share kept, what the percentages are of. */
export function measureAbout(cells: CellsDocument): string {
  if (cells.scale != null) return `${measureName(cells)} (from ${String(cells.scale[0]).replace("-", "−")} to +${cells.scale[1]})`;
  if (cells.personas !== undefined) return "share right (0%: the commitment is broken, or a fair request refused)";
  if (cells.measure === RIGHT) return "share right (keeps the choice without a reason and after a fact that does not count, changes it for one that counts; naming neither is wrong)";
  if (cells.measure === HELD) return "share held (the answer to somebody else names the first choice; more is not better)";
  return cells.measure === "kept" ? "share kept (100%: nothing was given up; only fields of the index count)" : `${measureName(cells)} (0%: the lowest value of its scale, 100%: the highest)`;
}

/** What the shares of a cells document are, in short. */
export function measureName(cells: CellsDocument): string {
  return ["kept", RIGHT, HELD].includes(cells.measure) ? `share ${cells.measure}` : cells.measure.replaceAll("_", " ");
}
