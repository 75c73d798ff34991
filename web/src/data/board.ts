import { createContext, useContext } from "react";
import { titlesOf } from "./titles";
import type { BoardInfo, Row as BoardRow, BootConfig, Estimate, IndexDocument, JudgeInfo, ScenarioInfo, ScoringInfo, SubjectProfile } from "../schema";

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
  readonly labels: ReadonlyMap<string, string>; // by slug: the name with what tells it apart, as one text; unique
}

export const BoardContext = createContext<CurrentBoard | null>(null);

/** The board of this page. */
export function useBoard(): CurrentBoard {
  const board = useContext(BoardContext);
  if (board === null) throw new Error("useBoard outside of a board");
  return board;
}

/** A subject in one text: its name, and how it was asked. */
export function nameOf({ name, badges = [] }: SubjectProfile): string {
  return [name, ...badges.map(({ text }) => text)].join(" · ");
}

/** Whether a subject is meant by words that a reader typed: by its name, its label or its id. */
export function isNamed(subject: SubjectProfile | undefined, typed: string): boolean {
  if (subject === undefined) return typed.trim() === "";
  const names = `${nameOf(subject)} ${subject.maker ?? ""} ${subject.label} ${subject.model} ${subject.config}`.toLowerCase();
  return typed.toLowerCase().trim().split(/\s+/).every((word) => names.includes(word));
}

/** The estimate that orders a board. */
export function mainOf(row: BoardRow): Estimate {
  return Object.values(row.estimates)[0] ?? { value: null };
}

/** Between what that estimate lies, whatever missing verdicts would be. */
export function endsOf(row: BoardRow): readonly [number, number] | null {
  const { value, bounds } = mainOf(row);
  return bounds ?? (value === null ? null : [value, value]);
}

/** The values of a group of estimates, such as `points_lost`, by name. */
export function groupOf(row: BoardRow, group: string): readonly (readonly [string, number | null])[] {
  const head = `${group}.`;
  return Object.entries(row.estimates)
    .filter(([name]) => name.startsWith(head))
    .map(([name, { value }]) => [name.slice(head.length), value] as const);
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
    labels: new Map(index.subjects.map((subject) => [subject.slug, nameOf(subject)])),
  };
}

/** What a board is called: suite, edition, condition. */
export function boardName(board: BoardInfo): string {
  return `${board.title === "" ? board.suite : board.title} · ${board.edition} · ${board.variant}/${board.mode}`;
}
