// Paths of the documents: `report/pages/paths.py` has the same list.
import type { BoardInfo, BootConfig, JudgeInfo, ScoringInfo } from "../schema";
import type { CurrentBoard } from "./board";

type BoardPlace = Pick<CurrentBoard, "boot" | "info">;

export const STRICT = "strict";
const PER_BLOCK = 10;
const DIGITS = 6;

function judgeSlug(judge: JudgeInfo | null): string {
  return judge?.slug ?? "none";
}

/** Judge and scoring; strict scoring is not named. */
function viewSlug(judge: JudgeInfo | null, scoring: ScoringInfo | null): string {
  return judgeSlug(judge) + (scoring === null || scoring.slug === STRICT ? "" : `.${scoring.slug}`);
}

/** The board under one judge, in one way of scoring. */
export function indexPath(boot: BootConfig, info: BoardInfo, judge: JudgeInfo | null, scoring: ScoringInfo | null): string {
  return `${boot.base}${info.id}/index.${viewSlug(judge, scoring)}.json`;
}

/** A document of a board that every judge shares: `texts`, `names`, `disagreements`. */
export function sharedPath(board: BoardPlace, name: "texts" | "names" | "disagreements"): string {
  return `${board.boot.base}${board.info.id}/${name}.json`;
}

/** The result of every dialogue under the board's judge. */
export function cellsPath(board: Pick<CurrentBoard, "boot" | "info" | "judge">): string {
  return `${board.boot.base}${board.info.id}/cells.${judgeSlug(board.judge)}.json`;
}

/** Who kept how much in the scenarios of a unit. */
export function resultsPath(board: Pick<CurrentBoard, "boot" | "info" | "judge">, unit: string): string {
  return `${board.boot.base}${board.info.id}/results/${unit}.${judgeSlug(board.judge)}.json`;
}

/** The report. */
export function reportPath(board: CurrentBoard): string {
  return `${board.boot.base}${board.info.id}/report.${viewSlug(board.judge, board.scoring)}.json`;
}

/** One subject against every other one. */
export function pairsPath(board: CurrentBoard, slug: string): string {
  return `${board.boot.base}${board.info.id}/pairs/${slug}.${viewSlug(board.judge, board.scoring)}.json`;
}

/** The dialogues of a unit with the subjects of one bucket: ten runs. */
export function blockPath(board: BoardPlace, unit: string, bucket: number, run: number): string {
  const tens = Math.floor((run - 1) / PER_BLOCK);
  return `${board.boot.base}${board.info.id}/text/${unit}/${bucket}.${tens}.json`;
}

/** Which bucket a subject lies in. */
export function bucketOf(board: Pick<BoardPlace, "info">, slug: string): number {
  return parseInt(slug.slice(-DIGITS), 16) % board.info.buckets;
}

/** The block that holds a dialogue; null where the scenario is not known. */
export function dialoguePath(board: CurrentBoard, slug: string, scenario: string, run: number): string | null {
  const unit = board.scenarios.get(scenario)?.unit;
  return unit === undefined ? null : blockPath(board, unit, bucketOf(board, slug), run);
}

/** A part of the index of words: `words`, `texts`, or the number of a shard. */
export function wordIndexPath(board: BoardPlace, part: "words" | "texts" | number): string {
  return `${board.boot.base}${board.info.id}/search/${part}.json`;
}
