import { useMemo } from "react";
import { useBoard, type CurrentBoard } from "../../data/board";
import { useDocument } from "../../data/documents";
import { pairsPath } from "../../data/paths";
import { useCells } from "../../data/results";
import { cellTitle, scenarioTitle } from "../../data/titles";
import type { PairsDocument } from "../../schema";

/** A scenario, or a case of a grid, and how far the first subject lies from each other one. */
export interface Gap {
  readonly key: string;
  readonly label: string;
  readonly scenarios: readonly string[];
  readonly values: readonly (number | null)[]; // one for each other subject
  readonly size: number; // of the largest; -1: none is known
  readonly differs: boolean; // from any of them
}

export interface PairGaps {
  readonly gaps: readonly Gap[]; // the largest first
  readonly rule: string;
  readonly quantity: string; // that gaps are of; empty: the share kept
}

/** The gaps of a document, those of the furthest apart first; without any value they stay in the order of the suite. */
export function gapsOf(board: CurrentBoard, pairs: PairsDocument, others: readonly string[], quantity: string): PairGaps {
  const found = others.map((slug) => pairs.pairs.find((one) => one.slug === slug));
  const gaps = pairs.scenarios.map((key, place): Gap => {
    const values = found.map((pair) => pair?.gaps?.[place] ?? null);
    const own = board.index.scenarios.filter(({ id, unit }) => (quantity === "" ? id === key : unit === key));
    return {
      key,
      label: quantity === "" ? scenarioTitle(board, key) : cellTitle(own[0]),
      scenarios: own.map(({ id }) => id),
      values,
      size: Math.max(-1, ...values.flatMap((value) => (value === null ? [] : [Math.abs(value)]))),
      differs: found.some((pair) => pair?.differ?.includes(place) === true),
    };
  });
  return { gaps: gaps.toSorted((one, other) => other.size - one.size), rule: pairs.differs, quantity };
}

/** How far the first of these subjects lies from the others, scenario by scenario; null while it is not known. */
export function useGaps(slugs: readonly string[]): PairGaps | null {
  const board = useBoard();
  const cells = useCells();
  const [first, ...others] = slugs;
  const loaded = useDocument<PairsDocument>(board.judge === null || first === undefined ? null : pairsPath(board, first));
  const pairs = loaded.state === "ready" ? loaded.value : null;
  const quantity = cells?.state === "ready" && cells.value.unit_totals != null ? (cells.value.quantity ?? "") : "";
  const waits = cells?.state !== "ready";
  const key = others.join(" ");
  return useMemo(() => (pairs === null || waits ? null : gapsOf(board, pairs, key.split(" "), quantity)), [board, pairs, waits, key, quantity]);
}
