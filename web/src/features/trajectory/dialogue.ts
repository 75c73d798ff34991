import { useMemo } from "react";
import { useBoard } from "../../data/board";
import { IN_FILE } from "../../data/boot";
import { useDocument, type Loaded } from "../../data/documents";
import { NOT_HERE } from "../../data/embedded";
import { dialoguePath, sharedPath } from "../../data/paths";
import type { BlockDocument, DialogueDocument, TextsDocument } from "../../schema";

/** A dialogue with what is needed to tell it; `path` is the document that failed, where one did. */
export interface DialogueWithTexts {
  readonly texts: TextsDocument;
  readonly dialogue: DialogueDocument | null; // null: nothing was stored yet
  readonly runs: readonly DialogueDocument[]; // all runs of the block
  readonly answers: ReadonlyMap<string, string>;
}

export type Failure = { readonly state: "failed"; readonly why: string; readonly path: string };

function failed(loaded: Loaded<unknown>, path: string | null): Failure | null {
  return loaded.state === "failed" ? { state: "failed", why: loaded.why, path: path ?? "" } : null;
}

function of(block: Loaded<BlockDocument>, slug: string, scenario: string): readonly DialogueDocument[] {
  if (block.state !== "ready") return [];
  return block.value.dialogues.filter((one) => one.subject === slug && one.scenario === scenario);
}

function textsOf(dialogues: readonly DialogueDocument[], run: number): ReadonlyMap<string, string> {
  const turns = dialogues.filter((one) => one.run === run).flatMap((one) => one.turns ?? []);
  return new Map(turns.map((turn) => [turn.turn_id, turn.text ?? ""]));
}

interface Dialogues {
  readonly path: string | null;
  readonly block: Loaded<BlockDocument>;
  readonly runs: readonly DialogueDocument[];
}

/** All runs of a subject with a scenario that lie in one block; no scenario asks for nothing. */
export function useRuns(slug: string, scenario: string, run: number): Dialogues {
  const board = useBoard();
  const path = scenario === "" ? null : dialoguePath(board, slug, scenario, run);
  const block = useDocument<BlockDocument>(path);
  const runs = useMemo(() => of(block, slug, scenario), [block, slug, scenario]);
  return { path, block, runs };
}

/** The dialogue of a subject with a scenario in a run, as far as it is there. */
export function useDialogue(
  slug: string,
  scenario: string,
  run: number,
): Failure | { state: "loading" } | { state: "ready"; value: DialogueWithTexts } {
  const board = useBoard();
  const textsPath = sharedPath(board, "texts");
  const texts = useDocument<TextsDocument>(textsPath);
  const own = useRuns(slug, scenario, run);
  const parent = useRuns(slug, board.scenarios.get(scenario)?.follows ?? "", run);
  const failure = failed(texts, textsPath) ?? failed(own.block, own.path);
  if (failure !== null) return failure;
  const waits = own.block.state !== "ready" || (parent.path !== null && parent.block.state === "loading");
  if (texts.state !== "ready" || waits) return { state: "loading" };
  const dialogue = own.runs.find((one) => one.run === run) ?? null;
  if (dialogue === null && IN_FILE) return { state: "failed", why: NOT_HERE, path: own.path ?? "" };
  const answers = textsOf([...parent.runs, ...own.runs], run);
  return { state: "ready", value: { texts: texts.value, dialogue, runs: own.runs, answers } };
}
