import { createContext, useContext } from "react";
import { titlesOf } from "./titles";
import type { BoardInfo, BoardRow, BootConfig, IndexDocument, JudgeInfo, ScenarioInfo, ScoringInfo, SubjectProfile } from "../schema";

/** The board that the address names, with what every page needs of it. */
export interface CurrentBoard {
  readonly boot: BootConfig;
  readonly info: BoardInfo;
  readonly judge: JudgeInfo | null;
  readonly scoring: ScoringInfo | null; // null: without an index
  readonly index: IndexDocument;
  readonly subjects: ReadonlyMap<string, SubjectProfile>;
  readonly rows: ReadonlyMap<string, BoardRow>; // by slug
  readonly scenarios: ReadonlyMap<string, ScenarioInfo>;
  readonly titles: ReadonlyMap<string, string>; // of scenarios, by id
  readonly labels: ReadonlyMap<string, string>; // by slug; the directory where a label is not unique
}

export const BoardContext = createContext<CurrentBoard | null>(null);

/** The board of this page. */
export function useBoard(): CurrentBoard {
  const board = useContext(BoardContext);
  if (board === null) throw new Error("useBoard outside of a board");
  return board;
}

function uniqueLabels(subjects: readonly SubjectProfile[]): Map<string, string> {
  const uses = new Map<string, number>();
  for (const subject of subjects) uses.set(subject.label, (uses.get(subject.label) ?? 0) + 1);
  return new Map(
    subjects.map((subject) => [subject.slug, (uses.get(subject.label) ?? 0) > 1 ? subject.config : subject.label]),
  );
}

/** Joins the parts of an index document. */
export function currentBoard(
  boot: BootConfig,
  info: BoardInfo,
  judge: JudgeInfo | null,
  scoring: ScoringInfo | null,
  index: IndexDocument,
): CurrentBoard {
  const byConfig = new Map(index.board?.rows.map((row) => [row.config, row]));
  const rows = new Map<string, BoardRow>();
  for (const subject of index.subjects) {
    const row = byConfig.get(subject.config);
    if (row !== undefined) rows.set(subject.slug, row);
  }
  return {
    boot,
    info,
    judge,
    scoring,
    index,
    rows,
    subjects: new Map(index.subjects.map((subject) => [subject.slug, subject])),
    scenarios: new Map(index.scenarios.map((scenario) => [scenario.id, scenario])),
    titles: titlesOf(index.scenarios),
    labels: uniqueLabels(index.subjects),
  };
}

/** What a board is called: suite, edition, condition. */
export function boardName(board: BoardInfo): string {
  return `${board.title === "" ? board.suite : board.title} · ${board.edition} · ${board.variant}/${board.mode}`;
}
