import { memo, type ReactNode } from "react";
import { blocks, type Block } from "./blocks";
import { inline, type Inline } from "./inline";

const DEEPEST = 30; // emphasis in emphasis; what is deeper is written plainly

function plain(node: Inline): string {
  return "text" in node ? node.text : node.children.map(plain).join("");
}

function nodes(children: readonly Inline[], depth = 0): ReactNode {
  return children.map((node, place) => {
    if (node.kind === "text") return node.text;
    if (node.kind === "code") return <code key={place}>{node.text}</code>;
    if (depth > DEEPEST) return plain(node);
    const inside = nodes(node.children, depth + 1);
    return node.kind === "em" ? <em key={place}>{inside}</em> : <strong key={place}>{inside}</strong>;
  });
}

const HEADINGS = ["h3", "h4", "h5", "h6", "h6", "h6"] as const;

function drawn(block: Block, key: number): ReactNode {
  switch (block.kind) {
    case "paragraph":
      return (
        <p key={key} className="whitespace-pre-line">
          {nodes(inline(block.text))}
        </p>
      );
    case "heading": {
      const Heading = HEADINGS[block.level - 1] ?? "h6";
      return <Heading key={key}>{nodes(inline(block.text))}</Heading>;
    }
    case "code":
      return (
        <pre key={key} tabIndex={0}>
          {block.text}
        </pre>
      );
    case "rule":
      return <hr key={key} />;
    case "quote":
      return <blockquote key={key}>{block.blocks.map(drawn)}</blockquote>;
    case "list":
      return listed(block.start, block.items, key);
  }
}

function listed(start: number | null, items: readonly (readonly Block[])[], key: number): ReactNode {
  const entries = items.map((item, place) => <li key={place}>{item.map(drawn)}</li>);
  return start === null ? (
    <ul key={key}>{entries}</ul>
  ) : (
    <ol key={key} start={start}>
      {entries}
    </ol>
  );
}

interface TextProps {
  readonly text: string;
  readonly raw?: boolean; // character by character
}

/** Sentences of ours: the report escapes two signs in them as HTML wants it. */
export function Prose({ text }: { readonly text: string }) {
  return <Markdown text={text.replaceAll("&lt;", "<").replaceAll("&amp;", "&")} />;
}

/** A model's or a judge's text: its Markdown as elements, or as it came. */
export const Markdown = memo(function Markdown({ text, raw = false }: TextProps) {
  if (raw) return <div className="font-mono text-[0.8125rem] whitespace-pre-wrap">{text}</div>;
  return <div className="prose-text">{blocks(text).map(drawn)}</div>;
});
