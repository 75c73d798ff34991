import { request } from "../data/documents";
import { indexPath, judgedPath, sharedPath } from "../data/paths";
import type { BootConfig } from "../schema";
import { chosenBoard } from "./chosen";

const TEXTS = /^\/(?:m\/[^/]+\/r|s|prompts|about)(?:\/|$)/;
const CELLS = /^\/(?:heat|s\/|m\/)/;

/** Starts at once what the page of an address needs, instead of one after another as its parts are drawn. */
export function startEarly(boot: BootConfig, hash: string): void {
  const [path = "/", query = ""] = hash.slice(1).split("?");
  const { info, judge } = chosenBoard(boot, new URLSearchParams(query));
  if (info === undefined) return;
  request(indexPath(boot, info, judge));
  if (TEXTS.test(path)) request(sharedPath({ boot, info }, "texts"));
  if (CELLS.test(path) && judge !== null) request(judgedPath({ boot, info, judge }, "cells"));
  if (path.includes("/r/")) void import("../features/trajectory/TrajectoryPage");
  else if (path.startsWith("/m/")) void import("../features/subject/SubjectPage");
  else if (path.startsWith("/s/")) void import("../features/scenario/ScenarioPage");
  else if (path.startsWith("/heat")) void import("../features/heatmap/HeatmapPage");
}
