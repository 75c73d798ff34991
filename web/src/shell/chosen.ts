import type { BoardInfo, BootConfig, JudgeInfo } from "../schema";

export interface Chosen {
  readonly info: BoardInfo | undefined;
  readonly judge: JudgeInfo | null;
  readonly unknown: string | null; // what the address names and nobody knows
}

/** The board and the judge that the address names; the first of each where it names none. */
export function chosenBoard(boot: BootConfig, query: URLSearchParams): Chosen {
  const boardId = query.get("board");
  const judgeSlug = query.get("judge");
  const info = boardId === null ? boot.board_list.boards[0] : boot.board_list.boards.find((board) => board.id === boardId);
  if (info === undefined) return { info, judge: null, unknown: boardId };
  const judge = judgeSlug === null ? info.judges[0] : info.judges.find((known) => known.slug === judgeSlug);
  return { info, judge: judge ?? null, unknown: judge === undefined ? judgeSlug : null };
}
