import type { BoardInfo } from "../schema";

export interface MenuEntry {
  readonly path: string;
  readonly name: string;
  readonly key: string; // after g
}

/** The pages of the menu that a board has. */
export function menu(info: BoardInfo | null, served: boolean): readonly MenuEntry[] {
  const entries: MenuEntry[] = [{ path: "/", name: "Leaderboard", key: "l" }];
  return info === null && served ? [] : entries;
}
