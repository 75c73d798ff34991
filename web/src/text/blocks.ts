// Paragraphs, headings, lists, quotations, rules and fenced code, by the rules of CommonMark without links, HTML,
// underlined headings and code by indentation.

/** A text, and where each of its lines begins in it and in the source, from where on both are the same. */
export interface Located {
  readonly text: string;
  readonly starts: readonly (readonly [at: number, source: number])[];
}

/** A line of the source. What is taken off is its front, so its end says where it stands. */
interface Line {
  readonly text: string;
  readonly end: number;
}

export type Block =
  | (Located & { readonly kind: "paragraph" })
  | (Located & { readonly kind: "heading"; readonly level: number })
  | (Located & { readonly kind: "code" })
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

function after(line: Line, columns: number): Line {
  return { text: line.text.slice(columns), end: line.end };
}

function trimmed({ text, end }: Line): Line {
  return { text: text.trim(), end: end - (text.length - text.trimEnd().length) };
}

function joined(lines: readonly Line[]): Located {
  let at = 0;
  const starts = lines.map(({ text, end }): [number, number] => {
    const start = at;
    at += text.length + 1;
    return [start, end - text.length];
  });
  return { text: lines.map(({ text }) => text).join("\n"), starts };
}

/** Takes lines from the front, block by block. */
class Reader {
  private readonly lines: readonly Line[];
  private readonly depth: number;
  private place = 0;

  constructor(lines: readonly Line[], depth: number) {
    this.lines = lines.map(({ text, end }) => ({ text: spaced(text), end }));
    this.depth = depth;
  }

  read(): readonly Block[] {
    const found: Block[] = [];
    while (this.place < this.lines.length) {
      const line = this.here;
      if (BLANK.test(line.text)) this.place += 1;
      else found.push(this.fence(line) ?? this.line(line) ?? this.nested(line.text) ?? this.paragraph());
    }
    return found;
  }

  private get here(): Line {
    return this.lines[this.place] ?? { text: "", end: 0 };
  }

  private line(line: Line): Block | null {
    const heading = HEADING.exec(line.text);
    if (heading !== null) {
      this.place += 1;
      const written = after(line, line.text.length - (heading[2] ?? "").length);
      const own = { text: written.text.replace(CLOSED_HEADING, ""), end: 0 };
      own.end = written.end - (written.text.length - own.text.length);
      return { kind: "heading", level: (heading[1] ?? "").length, ...joined([trimmed(own)]) };
    }
    if (!RULE.test(line.text)) return null;
    this.place += 1;
    return { kind: "rule" };
  }

  private fence(line: Line): Block | null {
    const opened = FENCE.exec(line.text);
    if (opened === null) return null;
    const [, indent = "", mark = ""] = opened;
    const close = new RegExp(`^ *${mark.charAt(0)}{${mark.length},}[ \\t]*$`);
    const inside: Line[] = [trimmed(after(line, indent.length + mark.length))];
    this.place += 1;
    const first = inside[0]?.text === "" ? 1 : 0; // the language stays to be seen
    while (this.place < this.lines.length) {
      const next = this.here;
      this.place += 1;
      if (close.test(next.text)) break;
      inside.push(after(next, Math.min(indentOf(next.text), indent.length)));
    }
    return { kind: "code", ...joined(inside.slice(first)) };
  }

  private nested(line: string): Block | null {
    if (this.depth >= DEEPEST) return null;
    if (QUOTE.test(line)) return this.quote();
    const item = marker(line);
    return item === null ? null : this.list(item);
  }

  private quote(): Block {
    const inside: Line[] = [];
    while (this.place < this.lines.length) {
      const line = this.here;
      if (!QUOTE.test(line.text) && (interrupts(line.text) || !this.continues(inside))) break;
      inside.push({ text: line.text.replace(QUOTE, ""), end: line.end });
      this.place += 1;
    }
    return { kind: "quote", blocks: new Reader(inside, this.depth + 1).read() };
  }

  /** Whether the last of these lines is in a paragraph, which a line without a mark goes on with. */
  private continues(inside: readonly Line[]): boolean {
    const last = inside.at(-1)?.text ?? "";
    return !BLANK.test(last) && !RULE.test(last) && !HEADING.test(last) && !FENCE.test(last);
  }

  private list(first: Marker): Block {
    const items: (readonly Block[])[] = [];
    let item: Marker | null = first;
    while (item?.sign === first.sign) {
      items.push(new Reader(this.item(item), this.depth + 1).read());
      item = marker(this.here.text);
    }
    return { kind: "list", start: first.number, items };
  }

  /** The lines of one item, without its indentation. */
  private item(item: Marker): Line[] {
    const inside: Line[] = [{ text: item.rest, end: this.here.end }];
    this.place += 1;
    while (this.place < this.lines.length) {
      const { text, end } = this.here;
      if (BLANK.test(text)) {
        if (!this.goesOn(item)) break;
        inside.push({ text: "", end });
      } else if (indentOf(text) >= item.width) inside.push(after(this.here, item.width));
      else if (interrupts(text) || marker(text) !== null || !this.continues(inside)) break;
      else inside.push({ text: text.trimStart(), end });
      this.place += 1;
    }
    while (BLANK.test(this.lines[this.place]?.text ?? "x")) this.place += 1;
    return inside;
  }

  /** Whether after blank lines the item has more. */
  private goesOn(item: Marker): boolean {
    const next = this.lines.slice(this.place).find((line) => !BLANK.test(line.text));
    return next !== undefined && indentOf(next.text) >= item.width;
  }

  private paragraph(): Block {
    const inside = [this.here];
    this.place += 1;
    while (this.place < this.lines.length && !interrupts(this.here.text)) {
      inside.push(this.here);
      this.place += 1;
    }
    const { text, starts } = joined(inside.map(({ text: own, end }) => ({ text: own.trimStart(), end })));
    return { kind: "paragraph", text: text.trimEnd(), starts };
  }
}

/** A line whose indentation is all spaces: a tab leads to the next fourth column. */
function spaced(line: string): string {
  const white = /^[ \t]*/.exec(line)?.[0] ?? "";
  if (!white.includes("\t")) return line;
  const columns = Array.from(white).reduce((column, sign) => (sign === "\t" ? column - (column % 4) + 4 : column + 1), 0);
  return " ".repeat(columns) + line.slice(white.length);
}

/** The lines of a text, whichever signs end them. */
function linesOf(text: string): readonly Line[] {
  const lines: Line[] = [];
  let start = 0;
  for (const { 0: ending, index } of text.matchAll(/\r\n?|\n|$/g)) {
    if (ending === "" && index < text.length) continue;
    lines.push({ text: text.slice(start, index), end: index });
    start = index + ending.length;
  }
  return lines;
}

/** The blocks of a text. */
export function blocks(text: string): readonly Block[] {
  return new Reader(linesOf(text), 0).read();
}
