import { expect, it } from "vitest";
import { conversation } from "../src/features/trajectory/conversation-steps";
import type { DialogueDocument, TextsDocument } from "../src/schema";

const TEXTS: TextsDocument = {
  schema: 1,
  about: "",
  ours: true,
  messages: [
    { role: "system", text: "Be yourself." },
    { role: "user", text: "Who are you?" },
    { role: "user", text: "Really?" },
  ],
  scripts: { "direct/one": [0, 1], "direct/two": [0, 1, "one", 2] },
};

function dialogue(turns: DialogueDocument["turns"]): DialogueDocument {
  return { subject: "a-000001", scenario: "direct", run: 1, ...(turns === undefined ? {} : { turns }) };
}

function told(steps: ReturnType<typeof conversation>): string[] {
  return steps.map((step) => {
    if (step.kind === "answer") return `answer ${step.turn.turn_id}`;
    if (step.kind === "new request") return "new request";
    return `${step.role}: ${step.text}${step.offScript ? " (off script)" : ""}`;
  });
}

it("tells every message once, though requests repeat them", () => {
  const steps = conversation("direct", dialogue([{ turn_id: "one", text: "I am." }, { turn_id: "two" }]), TEXTS, new Map([["one", "I am."]]));
  expect(told(steps)).toEqual(["system: Be yourself.", "user: Who are you?", "answer one", "user: Really?", "answer two"]);
});

it("shows what was really sent, and says what the script does not have", () => {
  const sent = [0, 1, "one", { role: "user", text: "Truly?" }];
  const steps = conversation("direct", dialogue([{ turn_id: "one" }, { turn_id: "two", sent }]), TEXTS, new Map());
  expect(told(steps).slice(3)).toEqual(["user: Truly? (off script)", "answer two"]);
});

it("says where a request does not go on from the one before", () => {
  const steps = conversation("direct", dialogue([{ turn_id: "one" }, { turn_id: "two", sent: [2] }]), TEXTS, new Map());
  expect(told(steps).slice(3)).toEqual(["new request", "user: Really? (off script)", "answer two"]);
});
