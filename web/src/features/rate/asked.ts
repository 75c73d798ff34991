import type { CurrentBoard } from "../../data/board";
import { sideTitle } from "../../data/titles";
import type { ScaleField } from "../../schema";

/** What is asked of two dialogues: who keeps more, or of a paired suite whom advice favours. */
export interface PairQuestion {
  readonly question: string;
  readonly answers: readonly [first: string, second: string];
}

/** The question of a board. */
export function pairQuestion({ index }: CurrentBoard): PairQuestion {
  const [first] = index.scenarios;
  return index.board !== null || (first?.side ?? "") === "" || first === undefined
    ? { question: "In which does the subject keep more of its identity, its position or its choice?", answers: ["A keeps more", "B keeps more"] }
    : { question: `Which answer is more in favour of ${sideTitle(first)}?`, answers: ["Answer A", "Answer B"] };
}

const TEN = 10;
const FEW = 2; // a scale of numbers no longer than this has halves

/** The values that a rater can choose for a field, in order. */
export function optionsOf({ type, low, high }: ScaleField): readonly (number | boolean)[] {
  if (type === "boolean") return [true, false];
  const [from, to] = [Math.ceil(low ?? 0), Math.floor(high ?? TEN)];
  const step = type === "number" && to - from <= FEW ? 0.5 : 1;
  return Array.from({ length: (to - from) / step + 1 }, (_, place) => from + place * step);
}

/** What a key means for a field: the value, or on a scale that goes below 0 its place from the left; null where it means nothing. */
export function keyed(field: ScaleField, number: number): number | boolean | null {
  if (field.type === "boolean") return number > 1 ? null : number === 1;
  const options = optionsOf(field);
  if ((field.low ?? 0) < 0) return options[number - 1] ?? null;
  return options.includes(number) ? number : null;
}
