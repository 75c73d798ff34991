// The conversation as it went, told once: requests repeat what was said before, and a page should not.
import type { DialogueDocument, SentMessage, TextsDocument, TurnDocument } from "../../schema";

/** A message that was sent, where it came from, and whether the script has it. */
export interface Sent {
  readonly kind: "sent";
  readonly role: string;
  readonly text: string;
  readonly call: string;
  readonly answerOf: string; // the turn whose own answer it repeats; empty: a message of the script
  readonly known: boolean; // false: the answer that it repeats is not here
  readonly offScript: boolean;
}

/** An answer of the subject. */
export interface Answer {
  readonly kind: "answer";
  readonly turn: TurnDocument;
}

/** A request that does not go on from the one before it. */
export interface NewRequest {
  readonly kind: "new request";
  readonly turn: string;
}

export type Step = Sent | Answer | NewRequest;
type Reference = number | string | SentMessage;

function same(one: Reference | undefined, other: Reference | undefined): boolean {
  if (typeof one !== "object" || typeof other !== "object") return one === other;
  return one.role === other.role && one.text === other.text;
}

function sent(reference: Reference, texts: TextsDocument, answers: ReadonlyMap<string, string>, offScript: boolean): Sent {
  if (typeof reference === "string") {
    const text = answers.get(reference);
    return { kind: "sent", role: "assistant", text: text ?? "", call: "", answerOf: reference, known: text !== undefined, offScript };
  }
  const message = typeof reference === "number" ? texts.messages[reference] : reference;
  const { role = "unknown", text = "", call = "" } = message ?? {};
  return { kind: "sent", role, text, call, answerOf: "", known: message !== undefined, offScript };
}

/** What was sent and answered, in order. `answers`: texts of turns by their ids, those of the dialogue it follows too. */
export function conversation(
  scenario: string,
  dialogue: DialogueDocument,
  texts: TextsDocument,
  answers: ReadonlyMap<string, string>,
): readonly Step[] {
  const steps: Step[] = [];
  let said: Reference[] = [];
  for (const turn of dialogue.turns ?? []) {
    const script: readonly Reference[] = texts.scripts[`${scenario}/${turn.turn_id}`] ?? [];
    const request = turn.sent ?? script;
    const goesOn = said.every((reference, place) => same(reference, request[place]));
    if (!goesOn) steps.push({ kind: "new request", turn: turn.turn_id });
    const from = goesOn ? said.length : 0;
    request.slice(from).forEach((reference, place) => {
      steps.push(sent(reference, texts, answers, turn.sent != null && !same(reference, script[from + place])));
    });
    steps.push({ kind: "answer", turn });
    said = [...request, turn.turn_id];
  }
  return steps;
}
