import type { BoardInfo, BootConfig, JudgeInfo, ScoringInfo } from "../schema";

export interface Chosen {
  readonly info: BoardInfo | undefined;
  readonly judge: JudgeInfo | null;
  readonly scoring: ScoringInfo | null;
  readonly unknown: string | null; // what the address names and nobody knows
}

/** The board, the judge and the scoring that the address names; the first of each where it names none. */
export function chosenBoard(boot: BootConfig, query: URLSearchParams): Chosen {
  const asked = (name: string) => (query.get(name) === "" ? null : query.get(name));
  const [boardId, judgeSlug, scoringSlug] = [asked("board"), asked("judge"), asked("scoring")];
  const info = boardId === null ? boot.board_list.boards[0] : boot.board_list.boards.find((board) => board.id === boardId);
  if (info === undefined) return { info, judge: null, scoring: null, unknown: boardId };
  const judge = named(info.judges, judgeSlug);
  const scoring = named(info.scorings, scoringSlug);
  const unknown = (judge === undefined ? judgeSlug : null) ?? (scoring === undefined ? scoringSlug : null);
  return { info, judge: judge ?? null, scoring: scoring ?? null, unknown };
}

function named<T extends { readonly slug: string }>(known: readonly T[], slug: string | null): T | undefined {
  return slug === null ? known[0] : known.find((one) => one.slug === slug);
}
