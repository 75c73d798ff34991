import { words } from "../text/format";
import type { CurrentBoard } from "./board";

/** What a scenario is called; imports have no titles of ours, only ids. */
export function scenarioTitle(board: CurrentBoard, id: string): string {
  const scenario = board.scenarios.get(id);
  const title = scenario?.title ?? "";
  return title === "" ? words(id) : title;
}
