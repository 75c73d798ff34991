import { currentBoard, type CurrentBoard } from "../data/board";
import { onceReady, request } from "../data/documents";
import { blockPath, bucketOf, cellsPath, dialoguePath, indexPath, resultsPath, sharedPath } from "../data/paths";
import { slugsInOrder } from "../data/results";
import { isWritten } from "../route/hash";
import type { BootConfig, IndexDocument } from "../schema";
import { chosenBoard } from "./chosen";

const TEXTS = /^\/(?:m\/[^/]+\/r|s|prompts|about)(?:\/|$)/;
const DIALOGUE = /^\/m\/([^/]+)\/r\/(\d+)\/([^/]+)$/;
const FEED = /^\/s\/([^/]+)$/;
const CELLS = /^\/(?:heat|s\/|m\/)/;

/** Starts at once what the page of an address needs, instead of one after another as its parts are drawn. */
export function startEarly(boot: BootConfig, hash: string): void {
  const [path = "/", query = ""] = hash.slice(1).split("?");
  const { info, judge, scoring, unknown } = chosenBoard(boot, new URLSearchParams(query));
  if (info === undefined || unknown !== null) return;
  const index = indexPath(boot, info, judge, scoring);
  request(index);
  if (TEXTS.test(path)) request(sharedPath({ boot, info }, "texts"));
  if (CELLS.test(path) && judge !== null) request(cellsPath({ boot, info, judge }));
  if (!isWritten(path)) return;
  onceReady(index, (found) => {
    const board = currentBoard(boot, info, judge, scoring, found as IndexDocument);
    for (const document of firstRead(board, path)) request(document);
  });
  if (path.includes("/r/")) early(import("../features/trajectory/TrajectoryPage"));
  else if (path.startsWith("/m/")) early(import("../features/subject/SubjectPage"));
  else if (path.startsWith("/s/")) early(import("../features/scenario/ScenarioPage"));
  else if (path.startsWith("/heat")) early(import("../features/heatmap/HeatmapPage"));
}

/** What is read first: of a dialogue its block, of a scenario who kept how much and the first answers. */
function firstRead(board: CurrentBoard, path: string): readonly string[] {
  const [, slug, run, scenario] = DIALOGUE.exec(path) ?? [];
  const [, feed] = FEED.exec(path) ?? [];
  const unit = feed === undefined ? undefined : board.scenarios.get(decodeURIComponent(feed))?.unit;
  if (unit !== undefined) {
    const block = blockPath(board, unit, bucketOf(board, slugsInOrder(board)[0] ?? ""), 1);
    return board.judge === null ? [block] : [resultsPath(board, unit), block];
  }
  if (slug === undefined || scenario === undefined) return [];
  const there = Number(run) >= 1 && Number(run) <= (board.subjects.get(slug)?.runs ?? 0);
  const block = there ? dialoguePath(board, slug, decodeURIComponent(scenario), Number(run)) : null;
  return block === null ? [] : [block];
}

/** The page itself says so where its script cannot be fetched. */
function early(script: Promise<unknown>): void {
  script.catch(() => undefined);
}
