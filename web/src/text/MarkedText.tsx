import { memo, type KeyboardEvent, type ReactNode } from "react";
import { blocks, type Block, type Located } from "./blocks";
import { inline, type Inline } from "./inline";
import { pieces, type Mark, type Piece } from "./marks";
import { signs } from "./unseen";

const DEEPEST = 30; // emphasis in emphasis; what is deeper is written plainly
const NONE: readonly Mark[] = [];
const HEADINGS = ["h3", "h4", "h5", "h6", "h6", "h6"] as const;

/** A text whose characters are all seen. What would turn or hide others is there to be copied and shown as its number. */
function shown(text: string): ReactNode {
  const parts = signs(text);
  if (parts.length === 1 && parts[0]?.code === null) return text;
  return parts.map((part, place) =>
    part.code === null ? (
      part.text
    ) : (
      <span key={place} className="unseen" data-code={part.code} title={`Not visible in the text: ${part.code}`}>
        <span hidden>{part.text}</span>
      </span>
    ),
  );
}

function pressed(press: () => void) {
  return (event: KeyboardEvent) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    press();
  };
}

/** Of marks in one place the one whose look is seen: one that stands out, else the shortest. */
function uppermost(marks: readonly Mark[]): Mark | undefined {
  const standsOut = marks.filter((mark) => mark.look.includes("mark-lit"));
  return (standsOut.length > 0 ? standsOut : marks).toSorted((one, other) => one.end - one.start - (other.end - other.start))[0];
}

/** Draws one text; of a mark in several pieces the first is reached by Tab. */
class Drawing {
  private readonly marks: readonly Mark[];
  private readonly begun = new Set<string>();

  constructor(marks: readonly Mark[]) {
    this.marks = marks;
  }

  /** A part of a located text. */
  part(text: string, at: number, starts: Located["starts"], key?: number): ReactNode {
    const parts = pieces(text, at, starts, this.marks);
    const [only] = parts;
    if (only !== undefined && parts.length === 1 && only.marks.length === 0) return shown(text);
    return parts.map((piece, place) => this.piece(piece, `${key ?? 0}-${place}`));
  }

  private piece({ text, marks }: Piece, key: string): ReactNode {
    if (marks.length === 0) return shown(text);
    const top = uppermost(marks);
    const starts = marks.some((mark) => !this.begun.has(mark.id));
    for (const mark of marks) this.begun.add(mark.id);
    const press = top?.press;
    const leads = press === undefined ? {} : { role: "button", tabIndex: starts ? 0 : -1, onClick: press, onKeyDown: pressed(press) };
    return (
      <mark
        key={key}
        className={`mark ${top?.look ?? ""}${marks.length > 1 ? " mark-several" : ""}`}
        data-mark={marks.map((mark) => mark.id).join(" ")}
        title={marks.map((mark) => mark.title).join("; ")}
        {...leads}
      >
        {shown(text)}
      </mark>
    );
  }

  private nodes(children: readonly Inline[], starts: Located["starts"], depth = 0): ReactNode {
    return children.map((node, place) => {
      if (node.kind === "text") return this.part(node.text, node.at, starts, place);
      if (node.kind === "code") return <code key={place}>{this.part(node.text, node.at, starts)}</code>;
      if (depth > DEEPEST) return this.plain(node, starts, place);
      const inside = this.nodes(node.children, starts, depth + 1);
      return node.kind === "em" ? <em key={place}>{inside}</em> : <strong key={place}>{inside}</strong>;
    });
  }

  private plain(node: Inline, starts: Located["starts"], key: number): ReactNode {
    return node.kind === "text" || node.kind === "code" ? this.part(node.text, node.at, starts, key) : node.children.map((child, place) => this.plain(child, starts, place));
  }

  block = (block: Block, key: number): ReactNode => {
    switch (block.kind) {
      case "paragraph":
        return (
          <p key={key} className="whitespace-pre-line">
            {this.nodes(inline(block.text), block.starts)}
          </p>
        );
      case "heading": {
        const Heading = HEADINGS[block.level - 1] ?? "h6";
        return <Heading key={key}>{this.nodes(inline(block.text), block.starts)}</Heading>;
      }
      case "code":
        return (
          <pre key={key} tabIndex={0}>
            {this.part(block.text, 0, block.starts)}
          </pre>
        );
      case "rule":
        return <hr key={key} />;
      case "quote":
        return <blockquote key={key}>{block.blocks.map(this.block)}</blockquote>;
      case "list":
        return this.list(block.start, block.items, key);
    }
  };

  private list(start: number | null, items: readonly (readonly Block[])[], key: number): ReactNode {
    const entries = items.map((item, place) => <li key={place}>{item.map(this.block)}</li>);
    return start === null ? (
      <ul key={key}>{entries}</ul>
    ) : (
      <ol key={key} start={start}>
        {entries}
      </ol>
    );
  }
}

interface MarkedTextProps {
  readonly text: string;
  readonly spans?: readonly Mark[]; // the same object while they are the same
  readonly raw?: boolean; // character by character
}

/** A model's or a judge's text with passages marked in it: its Markdown as elements, or as it came. */
export const MarkedText = memo(function MarkedText({ text, spans = NONE, raw = false }: MarkedTextProps) {
  const drawing = new Drawing(spans);
  if (raw)
    return (
      <div dir="auto" className="marked-text font-mono text-[0.8125rem] whitespace-pre-wrap">
        {drawing.part(text, 0, [[0, 0]])}
      </div>
    );
  return (
    <div dir="auto" className="marked-text prose-text">
      {blocks(text).map(drawing.block)}
    </div>
  );
});
