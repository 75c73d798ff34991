import { onceReady, request } from "../data/documents";
import { blockPath, bucketOf, indexPath, judgedPath, sharedPath } from "../data/paths";
import type { BootConfig, IndexDocument } from "../schema";
import { chosenBoard } from "./chosen";

const TEXTS = /^\/(?:m\/[^/]+\/r|s|prompts|about)(?:\/|$)/;
const DIALOGUE = /^\/m\/([^/]+)\/r\/(\d+)\/([^/]+)$/;
const CELLS = /^\/(?:heat|s\/|m\/)/;

/** Starts at once what the page of an address needs, instead of one after another as its parts are drawn. */
export function startEarly(boot: BootConfig, hash: string): void {
  const [path = "/", query = ""] = hash.slice(1).split("?");
  const { info, judge, unknown } = chosenBoard(boot, new URLSearchParams(query));
  if (info === undefined || unknown !== null) return;
  const index = indexPath(boot, info, judge);
  request(index);
  if (TEXTS.test(path)) request(sharedPath({ boot, info }, "texts"));
  if (CELLS.test(path) && judge !== null) request(judgedPath({ boot, info, judge }, "cells"));
  const [, slug, run, scenario] = DIALOGUE.exec(path) ?? [];
  if (slug !== undefined && run !== undefined && scenario !== undefined)
    onceReady(index, (found) => {
      const unit = (found as IndexDocument).scenarios.find((one) => one.id === decodeURIComponent(scenario))?.unit;
      if (unit !== undefined) request(blockPath({ boot, info }, unit, bucketOf({ info }, slug), Number(run)));
    });
  if (path.includes("/r/")) void import("../features/trajectory/TrajectoryPage");
  else if (path.startsWith("/m/")) void import("../features/subject/SubjectPage");
  else if (path.startsWith("/s/")) void import("../features/scenario/ScenarioPage");
  else if (path.startsWith("/heat")) void import("../features/heatmap/HeatmapPage");
}
