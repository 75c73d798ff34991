// The passages that verdicts name, as marks in the answers of a dialogue.
import type { VerdictDocument } from "../schema";
import type { Mark } from "./marks";

const LOOKS = 4; // that are told apart

/** What addresses call a verdict: its judge, and its pass from the second on. */
export function quoteName({ judge, pass = 1 }: Pick<VerdictDocument, "judge" | "pass">): string {
  return pass > 1 ? `${judge}~${pass}` : judge;
}

/** Which look the marks of a judge have, one after the other in the order of a dialogue's judges. */
export function judgeLook(verdicts: readonly VerdictDocument[], judge: string): string {
  const judges = [...new Set(verdicts.map((verdict) => verdict.judge))];
  return `mark-${judges.indexOf(judge) % LOOKS}`;
}

/** What the mark of a verdict's first passage is called. */
export function firstMark(verdicts: readonly VerdictDocument[], verdict: VerdictDocument): string {
  return `quote-${verdicts.indexOf(verdict)}-0`;
}

const OF: Readonly<Record<string, string>> = {
  quote: "quoted by",
  reasons: "quoted in the reasons of",
  "gave way": "gave way, by",
  stood: "stood, by",
  rules: "went by this:",
};

interface Shown {
  readonly lit?: string | null; // what addresses call the verdict whose passages stand out
  readonly press?: (verdict: VerdictDocument) => void;
}

/** The passages of one turn's text. Those of outdated verdicts only where they are asked for. */
export function quotationMarks(verdicts: readonly VerdictDocument[], turn: string, { lit = null, press }: Shown = {}): readonly Mark[] {
  return verdicts.flatMap((verdict, place) => {
    const stands = quoteName(verdict) === lit;
    if (verdict.current !== true && !stands) return [];
    const look = `${judgeLook(verdicts, verdict.judge)}${stands ? " mark-lit" : ""}`;
    return (verdict.spans ?? []).flatMap((span, number): readonly Mark[] => {
      if (span.turn !== turn) return [];
      const title = `${OF[span.of ?? "quote"] ?? ""} ${verdict.judge}`;
      const mark = { start: span.start, end: span.end, id: `quote-${place}-${number}`, look, title };
      return [press === undefined ? mark : { ...mark, press: () => { press(verdict); } }];
    });
  });
}
