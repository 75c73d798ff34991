import { render } from "@testing-library/react";
import { expect, it } from "vitest";
import { Markdown } from "../src/text/Markdown";

const OWN = new Set("DIV P EM STRONG CODE PRE UL OL LI BLOCKQUOTE HR H3 H4 H5 H6".split(" "));
const PAYLOADS = [
  "<img src=x onerror=alert(1)>",
  "<script>alert(1)</script>",
  "[x](javascript:alert(1)) ![y](z)",
  "> <b>quoted</b>\n- <i>listed</i>",
  "```html\n<iframe></iframe>\n```",
];

it.each(PAYLOADS)("makes only elements of its own of %s", (text) => {
  const { container } = render(<Markdown text={text} />);
  expect([...container.querySelectorAll("*")].map((element) => element.tagName).filter((name) => !OWN.has(name))).toEqual([]);
});

it("shows a text as it came, byte by byte", () => {
  const text = "  *a*\r\n\t<b>\u202e \u00a0 ```";
  const { container } = render(<Markdown text={text} raw />);
  expect(container.textContent).toBe(text);
});
