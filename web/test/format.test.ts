import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { ColumnInfo } from "../src/schema";
import { count, decimal, fixed, percent, shown, signed, type Value, why } from "../src/text/format";

interface Case {
  readonly kind: NonNullable<ColumnInfo["kind"]>;
  readonly digits: number;
  readonly value: Value;
  readonly shown: string;
}

describe("numbers", () => {
  it.each([
    [2.5, 0, "2"],
    [3.5, 0, "4"],
    [0.125, 2, "0.12"],
    [-0.125, 2, "-0.12"],
    [0.375, 2, "0.38"],
    [1e21, 0, "1e+21"],
  ])("%d with %d digits is %s", (value, digits, text) => {
    expect(fixed(value, digits)).toBe(text);
  });

  it("takes back what computing added", () => {
    expect(decimal(63.05 + 1e-12)).toBe(decimal(63.05));
  });

  it("gives nothing no sign", () => {
    expect(signed(-0.001, 2)).toBe("0.00");
    expect(signed(0.004, 2)).toBe("0.00");
    expect(signed(1.5, 1)).toBe("+1.5");
  });

  it("says 100% only when nothing is missing", () => {
    expect([0, 0.0001, 0.999, 1].map(percent)).toEqual(["0%", "1%", "99%", "100%"]);
  });

  it("parts thousands", () => {
    expect([0, 999, 1000, 1234567].map(count)).toEqual(["0", "999", "1,000", "1,234,567"]);
  });

  it("writes every kind as the command line does", () => {
    const cases = JSON.parse(readFileSync("test/fixtures/shown.json", "utf8")) as Case[];
    const other = cases.filter((one) => shown(one, one.value) !== one.shown);
    expect(other).toEqual([]);
  });
});

describe("why there is nothing", () => {
  it("is the reason, and the sentence that was said of it", () => {
    expect(why({ missing: "no_answer" })).toBe("no answer");
    expect(why({ missing: "no_answer", detail: "it loops" })).toBe("no answer: it loops");
  });
});
