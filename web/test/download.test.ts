import { expect, it } from "vitest";
import { toCsv, toJson } from "../src/ui/download";

const COLUMNS = [
  { key: "subject", head: "Subject" },
  { key: "ci", head: "95% interval", kind: "interval" as const },
  { key: "runs", head: "Runs", kind: "count" as const },
];

it("writes intervals in two cells and nothing where nothing is", () => {
  expect(toCsv(COLUMNS, [["a", [1.25, 2], 5], ["b", null, null]])).toBe("subject,ci_low,ci_high,runs\na,1.25,2,5\nb,,,\n");
});

it("begins no formula and keeps quotes and lines in their cell", () => {
  const [, ...lines] = toCsv(COLUMNS.slice(0, 1), [["=1+1"], ['say "hi", you'], ["two\nlines"]]).split("\n");
  expect(lines.join("\n")).toBe("'=1+1\n\"say \"\"hi\"\", you\"\n\"two\nlines\"\n");
});

it("writes rows as objects", () => {
  expect(JSON.parse(toJson(COLUMNS, [["a", [1, 2], 5]]))).toEqual([{ subject: "a", ci: [1, 2], runs: 5 }]);
});
