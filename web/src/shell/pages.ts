import { IN_FILE } from "../data/boot";
import type { BoardInfo } from "../schema";

/** A page of the menu; `key` follows g. */
export interface MenuEntry {
  readonly path: string;
  readonly name: string;
  readonly key: string;
  readonly low?: boolean; // at the foot of the page where there is room for few at its head
}

const PAGES: readonly MenuEntry[] = [
  { path: "/", name: "Leaderboard", key: "l" },
  { path: "/heat", name: "Heatmap", key: "h" },
  { path: "/s", name: "Scenarios", key: "s" },
  { path: "/cmp", name: "Compare", key: "c" },
  { path: "/report", name: "Report", key: "r" },
  { path: "/judges", name: "Judges", key: "j" },
  { path: "/names", name: "Names", key: "n" },
  { path: "/items", name: "Items", key: "i", low: true },
  { path: "/prompts", name: "Prompts", key: "p", low: true },
  { path: "/search", name: "Search", key: "f", low: true },
  { path: "/rate", name: "Rate", key: "t", low: true },
  { path: "/notes", name: "Notes", key: "o", low: true },
  { path: "/data", name: "Data", key: "d", low: true },
  { path: "/about", name: "About", key: "a", low: true },
];
const LIVE: MenuEntry = { path: "/live", name: "Live", key: "v" };

const NEEDS_JUDGE: ReadonlySet<string> = new Set(["/heat", "/items", "/judges", "/rate"]);
const NOT_IN_FILE: ReadonlySet<string> = new Set(["/rate", "/data"]);

/** The pages of the menu that a board has. */
export function menu(info: BoardInfo | null, served: boolean): readonly MenuEntry[] {
  if (info === null) return [];
  const judged = info.judges.length > 0;
  const own = PAGES.filter(({ path }) => (judged || !NEEDS_JUDGE.has(path)) && !(IN_FILE && NOT_IN_FILE.has(path)));
  return served ? [...own, LIVE] : own;
}
