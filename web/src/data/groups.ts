import type { ScenarioInfo } from "../schema";
import { factorsTitle } from "./titles";

/** Scenarios that share the first factor of their cells, of disputes one dispute; or a stem. */
export interface Group {
  readonly name: string;
  readonly scenarios: readonly ScenarioInfo[];
}

/** The groups of a grid, in the order of the suite; null where scenarios have no cells. */
export function groupsOf(scenarios: readonly ScenarioInfo[]): readonly Group[] | null {
  if (!scenarios.some(({ cell = "" }) => cell !== "")) return null;
  const found = new Map<string, ScenarioInfo[]>();
  for (const scenario of scenarios) {
    const first = (scenario.cell ?? "").split("/")[0] ?? "";
    const own = found.get(first);
    if (own === undefined) found.set(first, [scenario]);
    else own.push(scenario);
  }
  return [...found].map(([name, own]) => ({ name: own[0]?.cell_title ?? factorsTitle(name), scenarios: own }));
}

/** What follows the first factor in the title of a cell. */
export function cellRest(cell: string): string {
  return factorsTitle(cell.split("/").slice(1).join("/"));
}
