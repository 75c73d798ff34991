import { expect, it } from "vitest";
import { scan } from "../src/features/search/scan";

const BLOCK = {
  schema: 1,
  dialogues: [
    {
      subject: "a-000001",
      scenario: "direct",
      run: 1,
      turns: [{ id: "direct", text: "I stay MYSELF.", reasoning: "myself, then" }],
      verdicts: [{ judge: "j", rubric: "r", reasoning: "It stays itself." }],
    },
    { subject: "a-000001", scenario: "psych", run: 1, turns: [{ id: "pq01", text: "myself" }] },
  ],
};

it("finds words whatever their case, with their place and their role", () => {
  const hits = scan(BLOCK, "direct", "myself", null);
  expect(hits.map((hit) => [hit.role, hit.before, hit.match])).toEqual([
    ["answer", "I stay ", "MYSELF"],
    ["reasoning", "", "myself"],
  ]);
});

it("looks only in the texts of a role", () => {
  expect(scan(BLOCK, "direct", "itself", "judge").map((hit) => hit.judge)).toEqual(["j"]);
  expect(scan(BLOCK, "direct", "itself", "answer")).toEqual([]);
});
