import { render } from "@testing-library/react";
import { expect, it } from "vitest";
import { BoardContext, type CurrentBoard } from "../src/data/board";
import { Verdicts } from "../src/features/trajectory/Verdicts";
import type { DialogueDocument, TextsDocument } from "../src/schema";
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

it.each([
  ["published", true, "How firm?"],
  ["published, read again", true, "How firm?"],
  ["published", false, "not known"],
  ["0123abcd", true, "not known"],
  ["89abcdef", true, "Which one?"],
])("shows what a verdict by `%s` was given by, where the text is known (%s)", (rubric, known, shown) => {
  const fields = [{ name: "score", type: "number", about: "" }];
  const texts = {
    graded: { "89abcdef": "other" },
    rubrics: {
      other: { scenarios: ["pt01"], known: true, prompt: "Which one?", fields },
      held: { scenarios: ["rs01"], known, prompt: known ? "How firm?" : undefined, fields },
    },
  };
  const dialogue = { scenario: "rs01", verdicts: [{ judge: "acme/judge", rubric }] };
  const { container } = render(
    <BoardContext value={{ info: { analysis: "index" } } as unknown as CurrentBoard}>
      <Verdicts dialogue={dialogue as unknown as DialogueDocument} texts={texts as unknown as TextsDocument} raw={false} marks={new Map()} lit={null} show={() => undefined} />
    </BoardContext>,
  );
  expect(container.textContent).toContain(shown);
});
