// What is marked in a dialogue: the passages of verdicts, and the words that were looked for.
import type { DialogueDocument, VerdictDocument } from "../../schema";
import type { Mark } from "../../text/marks";
import { matches, type Wanted } from "../../text/matching";
import { quotationMarks } from "../../text/quotations";

/** Where a text of a dialogue stands: a turn and a kind of text, or the reasons of a verdict by its place. */
export type Place = `${"thinking" | "reasoning" | "answer"} ${string}` | `judge ${number}`;

/** Marks by text; `hits`: how many places hold the words, numbered as the page shows them. */
export interface Marking {
  readonly marks: ReadonlyMap<Place, readonly Mark[]>;
  readonly hits: number;
}

/** The name of the mark on a hit. */
export const hitMark = (number: number): string => `hit-${number}`;

/** The texts of a dialogue in the order in which they are read. */
export function textsOf({ turns = [], verdicts = [] }: DialogueDocument): readonly (readonly [Place, string])[] {
  return [
    ...turns.flatMap((turn): [Place, string][] => [
      [`thinking ${turn.turn_id}`, turn.thinking ?? ""],
      [`reasoning ${turn.turn_id}`, turn.reasoning ?? ""],
      [`answer ${turn.turn_id}`, turn.text ?? ""],
    ]),
    ...verdicts.map((verdict, place): [Place, string] => [`judge ${place}`, verdict.reasoning ?? ""]),
  ];
}

interface Asked {
  readonly words: Wanted;
  readonly hit: number; // that stands out
  readonly lit: string | null; // the verdict whose passages stand out
  readonly press: (verdict: VerdictDocument) => void;
}

/** The marks of a dialogue and of the answers that it continues, `earlier`: their turns. */
export function marking(dialogue: DialogueDocument, earlier: readonly string[], { words, hit, lit, press }: Asked): Marking {
  const marks = new Map<Place, readonly Mark[]>();
  let hits = 0;
  for (const [place, text] of textsOf(dialogue)) {
    const found = matches(text, words).map((range): Mark => {
      const number = hits++;
      return { ...range, id: hitMark(number), look: number === hit ? "mark-hit mark-lit" : "mark-hit", title: "found" };
    });
    const turn = place.startsWith("answer ") ? place.slice("answer ".length) : null;
    const quoted = turn === null ? [] : quotationMarks(dialogue.verdicts ?? [], turn, { lit, press });
    if (found.length + quoted.length > 0) marks.set(place, [...quoted, ...found]);
  }
  for (const turn of earlier) {
    const quoted = quotationMarks(dialogue.verdicts ?? [], turn, { lit, press });
    if (quoted.length > 0 && !marks.has(`answer ${turn}`)) marks.set(`answer ${turn}`, quoted);
  }
  return { marks, hits };
}

/** Brings a mark into view, whatever it is folded into. Whether it is there. */
export function reveal(id: string): boolean {
  const mark = document.querySelector<HTMLElement>(`[data-mark~="${CSS.escape(id)}"]`);
  if (mark === null) return false;
  for (let around = mark.closest("details"); around !== null; around = around.parentElement?.closest("details") ?? null) around.open = true;
  mark.scrollIntoView({ block: "center" });
  return true;
}

const BAR = 60; // pixels at the top of the window in which nothing is read

/** Whether a mark of some look is to be seen: the reader has just clicked on it, say. */
export function isInView(look: string): boolean {
  return [...document.querySelectorAll(`[data-answer] mark.${look}`)].some((mark) => {
    const { top, bottom, height } = mark.getBoundingClientRect();
    return height > 0 && top >= BAR && bottom <= window.innerHeight;
  });
}
