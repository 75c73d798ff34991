import { fireEvent, render } from "@testing-library/react";
import { expect, it } from "vitest";
import { random } from "../src/features/rate/queue";
import { MarkedText } from "../src/text/MarkedText";
import type { Mark } from "../src/text/marks";

const PARTS = ["*", "**", "_", "`", "```", "a", "b c", "é", "😀", " ", "\n", "\n\n", "\r\n", "- ", "1. ", "# ", "> ", "---", "\\", "\t", "    ", "字"];
const LETTER = /[\p{L}\p{So}]/gu;

function mark(start: number, end: number, id = "m"): Mark {
  return { start, end, id, look: "mark-0", title: id };
}

function letters(text: string): string {
  return (text.match(LETTER) ?? []).join("");
}

it.each([false, true])("marks exactly the letters of a span and changes none (raw: %s)", (raw) => {
  const next = random(34);
  const pick = (below: number) => Math.floor(next() * below);
  for (let round = 0; round < 800; round += 1) {
    const text = Array.from({ length: 1 + pick(24) }, () => PARTS[pick(PARTS.length)] ?? "").join("");
    const [start, other] = [pick(text.length), pick(text.length + 1)].sort((one, two) => one - two) as [number, number];
    // A span never cuts an emoji.
    const cuts = [start, other].some((at) => /[\udc00-\udfff]/.test(text.charAt(at)));
    if (cuts) continue;
    const plain = render(<MarkedText text={text} raw={raw} />);
    const marked = render(<MarkedText text={text} raw={raw} spans={[mark(start, other)]} />);
    expect(marked.container.textContent).toBe(plain.container.textContent);
    const pieces = [...marked.container.querySelectorAll("mark")].map((one) => one.textContent).join("");
    expect(letters(pieces), JSON.stringify([text, start, other])).toBe(letters(text.slice(start, other)));
    plain.unmount();
    marked.unmount();
  }
});

it("marks each piece across emphasis, items and paragraphs, and where two marks meet", () => {
  const text = "I *keep* my name.\n\n- and **you** know\n- it";
  const { container } = render(<MarkedText text={text} spans={[mark(2, text.length, "a"), mark(0, 12, "b")]} />);
  const found = [...container.querySelectorAll("mark")].map((one) => [one.textContent, one.dataset["mark"]]);
  expect(found).toEqual([
    ["I ", "b"], ["keep", "a b"], [" my ", "a b"], ["name.", "a"], ["and ", "a"], ["you", "a"], [" know", "a"], ["it", "a"],
  ]);
});

it("leads from the first piece of a mark by Tab, from all by a click", () => {
  const pressed: string[] = [];
  const { container } = render(<MarkedText text="I *keep* it" spans={[{ ...mark(0, 11), press: () => pressed.push("m") }]} />);
  const found = [...container.querySelectorAll("mark")];
  expect(found.map((one) => one.tabIndex)).toEqual([0, -1, -1]);
  for (const one of found) fireEvent.click(one);
  fireEvent.keyDown(found[0] as Element, { key: "Enter" });
  expect(pressed).toEqual(["m", "m", "m", "m"]);
});

it.each([
  ["a\u202eb", ["U+202E"]],
  ["\u2066a\u2069\u200b", ["U+2066", "U+2069 U+200B"]],
  ["x\0\x85\u{e0041}", ["U+0000 U+0085 U+E0041"]],
  ["\u200d".repeat(6), ["U+200D U+200D U+200D U+200D and 2 more"]],
  ["👩\u200d💻 می\u200cخواهم ❤\ufe0f\u200d🔥 क्\u200dष", []],
])("shows what would not be seen in %j as its number, and keeps it in the text", (text, codes) => {
  const { container } = render(<MarkedText text={text} raw />);
  expect(container.textContent).toBe(text);
  const unseen = [...container.querySelectorAll<HTMLElement>(".unseen")];
  expect(unseen.map((one) => one.dataset["code"])).toEqual(codes);
  expect(unseen.every((one) => one.querySelector("[hidden]") !== null)).toBe(true);
});
