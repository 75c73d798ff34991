import type { ScenarioInfo } from "../schema";
import { words } from "../text/format";
import type { CurrentBoard } from "./board";

/** A text that begins with a capital letter. */
export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** What the cell of a scenario is called: of a battery its stem, of a grid its factors without their names. */
export function cellTitle(scenario: Pick<ScenarioInfo, "cell" | "cell_title"> | undefined): string {
  return scenario?.cell_title ?? capital(words(scenario?.cell ?? "").replaceAll("/", ", "));
}

/** The names of factors in which scenarios of one cell differ. */
export function varying(scenarios: readonly ScenarioInfo[]): readonly string[] {
  const names = Object.keys(scenarios[0]?.factors ?? {});
  return names.filter((name) => new Set(scenarios.map((scenario) => scenario.factors?.[name])).size > 1);
}

/** In which words a scenario of a grid puts its case; empty where all of a cell share them. */
export function wordingTitle(scenario: ScenarioInfo, names: readonly string[]): string {
  return names.map((name) => words(scenario.factors?.[name] ?? "")).join(", ");
}

/** What a scenario is called beside others of its cell. `names`: of factors in which these differ. */
export function sideTitle(scenario: ScenarioInfo, names: readonly string[] = [], between = ", "): string {
  if (scenario.cell_title !== undefined) return (scenario.title ?? "").slice(scenario.cell_title.length + 2);
  return [words(scenario.side ?? ""), wordingTitle(scenario, names)].filter((part) => part !== "").join(between);
}

/** What each scenario is called; where an import has none and the title is ours, with its id. */
export function titlesOf(scenarios: readonly ScenarioInfo[]): ReadonlyMap<string, string> {
  const units = new Map<string, ScenarioInfo[]>();
  for (const scenario of scenarios) units.set(scenario.unit, [...(units.get(scenario.unit) ?? []), scenario]);
  return new Map(
    [...units.values()].flatMap((cell) => {
      const names = varying(cell);
      return cell.map((one): [string, string] => {
        const title = one.title ?? "";
        const own = title === "" ? one.id : one.title_is_ours === true ? `${title} (${one.id})` : title;
        const parts = [cellTitle(one), sideTitle(one, names, " · ")];
        return [one.id, (one.cell ?? "") === "" ? own : parts.filter((part) => part !== "").join(" · ")];
      });
    }),
  );
}

/** What a scenario is called. */
export function scenarioTitle(board: CurrentBoard, id: string): string {
  return board.titles.get(id) ?? id;
}

/** What is to be known of a title: whose words it is in; empty where those are the suite's. */
export function titleAbout(board: CurrentBoard, id: string): string {
  return board.scenarios.get(id)?.title_is_ours === true
    ? "The title is in this project's own words: the published scenario has an id alone."
    : "";
}

/** What a turn of a scenario is called: its number, unless its id says more than that. */
export function turnTitle(scenario: ScenarioInfo | undefined, turn: string): string {
  const place = (scenario?.turns ?? []).indexOf(turn);
  const own = turn.startsWith(scenario?.id ?? "") ? turn.slice(scenario?.id.length) : turn;
  if (scenario?.cell_title !== undefined && own !== turn && !/\d/.test(own)) return capital(words(own.slice(1)));
  return place >= 0 && /^_?(turn)?_?\d*$/.test(own) ? `Turn ${place + 1}` : words(turn);
}
