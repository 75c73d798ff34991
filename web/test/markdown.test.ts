import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { random } from "../src/features/rate/queue";
import { visible } from "./visible";

describe("Markdown", () => {
  it.each([
    ["**bold** and *slanted*", "boldandslanted"],
    ["***both*** of **them*", "bothof*them"],
    ["snake_case_name and _slanted_", "snake_case_nameandslanted"],
    ["5 * 3 * 2", "5*3*2"],
    ["`a ** b` and ``c ` d``", "a**bandc`d"],
    ["`open and * star", "`openand*star"],
    ["# Head #\n\ntext", "Headtext"],
    ["#hash", "#hash"],
    ["- one\n- two\n  - three", "onetwothree"],
    ["1) one\n2) two", "onetwo"],
    ["a line\n14. not a list", "aline14.notalist"],
    ["> quoted\ngoes on", "quotedgoeson"],
    ["***\n---", ""],
    ["```py\nx = *1*\n```\nafter", "pyx=*1*after"],
    ["<img src=x onerror=alert(1)>", "<imgsrc=xonerror=alert(1)>"],
    ["[link](javascript:alert(1)) &amp; </arg_value>", "[link](javascript:alert(1))&amp;</arg_value>"],
    ["\\*kept\\*", "*kept*"],
  ])("shows %j less its marks", (source, left) => {
    expect(visible(source)).toBe(left);
  });

  it("never loses a letter, whatever marks stand around it", () => {
    const next = random(14);
    const parts = ["*", "**", "_", "__", "`", "``", "a", "b c", "é", "😀", " ", "\n", "\n\n", "- ", "1. ", "# ", "> ", "---", "```", "~~~", "\\", "\t"];
    const letters = (text: string) => text.replaceAll(/[^\p{L}\p{So}]/gu, "");
    for (let round = 0; round < 5000; round += 1) {
      const length = 1 + Math.floor(next() * 20);
      const source = Array.from({ length }, () => parts[Math.floor(next() * parts.length)] ?? "").join("");
      expect(letters(visible(source)), JSON.stringify(source)).toBe(letters(source));
    }
  });

  it.skipIf(!existsSync(process.env["MARKDOWN_CORPUS"] ?? ""))("agrees with markdown-it on every answer", () => {
    const corpus = JSON.parse(readFileSync(process.env["MARKDOWN_CORPUS"] ?? "", "utf8")) as [string, string][];
    const other = corpus.filter(([source, left]) => visible(source) !== left);
    expect(other.map(([source]) => source)).toEqual([]);
  });
});
