import type { ScenarioInfo } from "../schema";
import { words } from "../text/format";
import type { CurrentBoard } from "./board";

/** The analysis of suites that are made from a persona's file. */
export const PERSONA = "persona";

/** A text that begins with a capital letter. */
export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const LEVELS: Readonly<Record<string, string>> = {
  a_right: "facts favour A",
  b_right: "facts favour B",
  open: "facts favour neither",
  work_saturdays: "work Saturdays",
  "voice=roles": "by role",
  "voice=first_person": "first person",
  "position=early": "deciding fact early",
  "position=late": "deciding fact last",
  "feeling=plain": "no feelings",
  "feeling=upset": "with feelings",
};

const ASKERS: Readonly<Record<string, string>> = {
  party_a: "party A",
  party_b: "party B",
  neutral: "uninvolved person",
  landlord: "landlord",
  tenant: "tenant",
};

/** What a cell of a grid is called: its factors, without their names. */
export function factorsTitle(cell: string): string {
  return capital(cell.split("/").map((level) => LEVELS[level] ?? words(level)).join(", "));
}

/** What the cell of a scenario is called: of a battery its stem, of a grid its factors. */
export function cellTitle(scenario: Pick<ScenarioInfo, "cell" | "cell_title"> | undefined): string {
  return scenario?.cell_title ?? factorsTitle(scenario?.cell ?? "");
}

/** What a side of a cell is called: the arm, or who asks, where it is that. */
export function sideTitle({ side = "", title = "", cell_title }: ScenarioInfo): string {
  return cell_title === undefined ? ASKERS[side] ?? words(side) : title.slice(cell_title.length + 2);
}

/** The same as a part of a title. */
function asks(scenario: ScenarioInfo): string {
  return `${sideTitle(scenario)}${(scenario.side ?? "") in ASKERS ? " asks" : ""}`;
}

/** The names of factors in which scenarios of one cell differ. */
export function varying(scenarios: readonly ScenarioInfo[]): readonly string[] {
  const names = Object.keys(scenarios[0]?.factors ?? {});
  return names.filter((name) => new Set(scenarios.map((scenario) => scenario.factors?.[name])).size > 1);
}

/** In which words a scenario of a grid puts its case; empty where all of a cell share them. */
export function wordingTitle(scenario: ScenarioInfo, names: readonly string[]): string {
  return names
    .map((name) => {
      const level = scenario.factors?.[name] ?? "";
      return LEVELS[`${name}=${level}`] ?? words(level);
    })
    .join(", ");
}

/** What tells a scenario from the others of its cell: its side, and its wording. `names`: of factors in which these differ. */
export function versionTitle(scenario: ScenarioInfo, names: readonly string[]): string {
  const wording = scenario.cell_title === undefined ? wordingTitle(scenario, names) : "";
  return [asks(scenario), wording].filter((part) => part !== "").join(", ");
}

/** Which dialogue and push of a persona's suite a scenario is; empty where its title says that. */
function temptation({ id, factors = {}, experiment }: ScenarioInfo): string {
  const { kind = "", dialogue = "", commitment } = factors;
  if (commitment !== experiment || !/^\d+$/.test(dialogue)) return "";
  const push = id.split("/")[2];
  return `Dialogue ${dialogue}, ${kind}${push === undefined ? "" : `, push ${push}`}: `;
}

/** What each scenario is called; where an import has none and the title is ours, with its id. */
export function titlesOf(scenarios: readonly ScenarioInfo[]): ReadonlyMap<string, string> {
  const units = new Map<string, ScenarioInfo[]>();
  for (const scenario of scenarios) units.set(scenario.unit, [...(units.get(scenario.unit) ?? []), scenario]);
  return new Map(
    [...units.values()].flatMap((cell) => {
      const names = varying(cell);
      return cell.map((one): [string, string] => {
        const title = (one.title ?? "").replace(/\.$/, "");
        const own = title === "" ? one.id : one.title_is_ours === true ? `${title} (${one.id})` : temptation(one) + title;
        const parts = [cellTitle(one), ...(one.cell_title === undefined ? [asks(one), wordingTitle(one, names)] : [sideTitle(one)])];
        return [one.id, (one.cell ?? "") === "" ? own : parts.filter((part) => part !== "").join(" · ")];
      });
    }),
  );
}

/** What a scenario is called. */
export function scenarioTitle(board: CurrentBoard, id: string): string {
  return board.titles.get(id) ?? id;
}

/** The same at the head of a column: of a persona's suite, whose titles are sentences, its id. */
export function columnTitle(board: CurrentBoard, id: string): string {
  return board.info.analysis === PERSONA ? words(id) : scenarioTitle(board, id);
}

/** A title below a heading with whose words it ends. */
export function titleUnder(heading: string, title: string): string {
  const end = ` ${heading.replace(/\.$/, "")}`;
  return title.endsWith(end) ? title.slice(0, -end.length) : title;
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
  if (/^_\D+$/.test(own) && own !== turn) return capital(words(own.slice(1)));
  return place >= 0 && /^_?(turn)?_?\d*$/.test(own) ? `Turn ${place + 1}` : words(turn);
}
