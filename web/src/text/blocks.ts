// Paragraphs, headings, lists, quotations, rules and fenced code, by the rules of CommonMark without links, HTML,
// underlined headings and code by indentation.

export type Block =
  | { readonly kind: "paragraph"; readonly text: string }
  | { readonly kind: "heading"; readonly level: number; readonly text: string }
  | { readonly kind: "code"; readonly text: string }
  | { readonly kind: "rule" }
  | { readonly kind: "quote"; readonly blocks: readonly Block[] }
  | { readonly kind: "list"; readonly start: number | null; readonly items: readonly (readonly Block[])[] };

const MOST_INDENTED = 3; // columns of a line that ends the paragraph before it
const DEEPEST = 12; // quotations and lists in each other; what is deeper stays as it was written
const RULE = /^ *([-*_])[ \t]*(?:\1[ \t]*){2,}$/;
const HEADING = /^ *(#{1,6})(?:[ \t]+(.*))?$/;
const CLOSED_HEADING = /(?:^|[ \t]+)#+[ \t]*$/;
const FENCE = /^( *)(`{3,}(?=[^`]*$)|~{3,})/;
const QUOTE = /^ *> ?/;
const ITEM = /^( *)([-+*]|(\d{1,9})[.)])(?:([ \t]+)(.*)|)$/;
const BLANK = /^[ \t]*$/;

interface Marker {
  readonly sign: string; // what marks of one list share
  readonly number: number | null;
  readonly width: number; // columns before the content
  readonly rest: string;
}

function marker(line: string): Marker | null {
  const found = ITEM.exec(line);
  if (found === null || RULE.test(line)) return null;
  const [, indent = "", sign = "", digits, gap = "", rest = ""] = found;
  const spaces = gap.length >= 1 && gap.length <= 4 && rest !== "" ? gap.length : 1;
  return {
    sign: sign.slice(-1),
    number: digits === undefined ? null : Number(digits),
    width: indent.length + sign.length + spaces,
    rest: rest === "" ? "" : gap.slice(spaces) + rest,
  };
}

/** Whether a line ends the paragraph before it. */
function interrupts(line: string): boolean {
  if (BLANK.test(line)) return true;
  if (indentOf(line) > MOST_INDENTED) return false;
  if (RULE.test(line) || HEADING.test(line) || FENCE.test(line) || QUOTE.test(line)) return true;
  const item = marker(line);
  return item !== null && item.rest !== "" && (item.number === null || item.number === 1);
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

/** Takes lines from the front, block by block. */
class Reader {
  private readonly lines: readonly string[];
  private readonly depth: number;
  private place = 0;

  constructor(lines: readonly string[], depth: number) {
    this.lines = lines.map(spaced);
    this.depth = depth;
  }

  read(): readonly Block[] {
    const found: Block[] = [];
    while (this.place < this.lines.length) {
      const line = this.lines[this.place] ?? "";
      if (BLANK.test(line)) this.place += 1;
      else found.push(this.fence(line) ?? this.line(line) ?? this.nested(line) ?? this.paragraph());
    }
    return found;
  }

  private line(line: string): Block | null {
    const heading = HEADING.exec(line);
    if (heading !== null) {
      this.place += 1;
      return { kind: "heading", level: (heading[1] ?? "").length, text: (heading[2] ?? "").replace(CLOSED_HEADING, "").trim() };
    }
    if (!RULE.test(line)) return null;
    this.place += 1;
    return { kind: "rule" };
  }

  private fence(line: string): Block | null {
    const opened = FENCE.exec(line);
    if (opened === null) return null;
    const [, indent = "", mark = ""] = opened;
    const close = new RegExp(`^ *${mark.charAt(0)}{${mark.length},}[ \\t]*$`);
    const inside: string[] = [line.slice(indent.length + mark.length).trim()];
    this.place += 1;
    const first = inside[0] === "" ? 1 : 0; // the language stays to be seen
    while (this.place < this.lines.length) {
      const next = this.lines[this.place] ?? "";
      this.place += 1;
      if (close.test(next)) break;
      inside.push(next.slice(Math.min(indentOf(next), indent.length)));
    }
    return { kind: "code", text: inside.slice(first).join("\n") };
  }

  private nested(line: string): Block | null {
    if (this.depth >= DEEPEST) return null;
    if (QUOTE.test(line)) return this.quote();
    const item = marker(line);
    return item === null ? null : this.list(item);
  }

  private quote(): Block {
    const inside: string[] = [];
    while (this.place < this.lines.length) {
      const line = this.lines[this.place] ?? "";
      if (!QUOTE.test(line) && (interrupts(line) || !this.continues(inside))) break;
      inside.push(line.replace(QUOTE, ""));
      this.place += 1;
    }
    return { kind: "quote", blocks: new Reader(inside, this.depth + 1).read() };
  }

  /** Whether the last of these lines is in a paragraph, which a line without a mark goes on with. */
  private continues(inside: readonly string[]): boolean {
    const last = inside.at(-1) ?? "";
    return !BLANK.test(last) && !RULE.test(last) && !HEADING.test(last) && !FENCE.test(last);
  }

  private list(first: Marker): Block {
    const items: (readonly Block[])[] = [];
    let item: Marker | null = first;
    while (item?.sign === first.sign) {
      items.push(new Reader(this.item(item), this.depth + 1).read());
      item = marker(this.lines[this.place] ?? "");
    }
    return { kind: "list", start: first.number, items };
  }

  /** The lines of one item, without its indentation. */
  private item(item: Marker): string[] {
    const inside = [item.rest];
    this.place += 1;
    while (this.place < this.lines.length) {
      const line = this.lines[this.place] ?? "";
      if (BLANK.test(line)) {
        if (!this.goesOn(item)) break;
        inside.push("");
      } else if (indentOf(line) >= item.width) inside.push(line.slice(item.width));
      else if (interrupts(line) || marker(line) !== null || !this.continues(inside)) break;
      else inside.push(line.trimStart());
      this.place += 1;
    }
    while (BLANK.test(this.lines[this.place] ?? "x")) this.place += 1;
    return inside;
  }

  /** Whether after blank lines the item has more. */
  private goesOn(item: Marker): boolean {
    const next = this.lines.slice(this.place).find((line) => !BLANK.test(line));
    return next !== undefined && indentOf(next) >= item.width;
  }

  private paragraph(): Block {
    const inside = [this.lines[this.place] ?? ""];
    this.place += 1;
    while (this.place < this.lines.length && !interrupts(this.lines[this.place] ?? "")) {
      inside.push(this.lines[this.place] ?? "");
      this.place += 1;
    }
    return { kind: "paragraph", text: inside.map((line) => line.trimStart()).join("\n").trimEnd() };
  }
}

/** A line whose indentation is all spaces: a tab leads to the next fourth column. */
function spaced(line: string): string {
  const white = /^[ \t]*/.exec(line)?.[0] ?? "";
  if (!white.includes("\t")) return line;
  const columns = Array.from(white).reduce((column, sign) => (sign === "\t" ? column - (column % 4) + 4 : column + 1), 0);
  return " ".repeat(columns) + line.slice(white.length);
}

/** The blocks of a text. */
export function blocks(text: string): readonly Block[] {
  return new Reader(text.replaceAll(/\r\n?/g, "\n").split("\n"), 0).read();
}
