import { blocks, type Block } from "../src/text/blocks";
import { inline, type Inline } from "../src/text/inline";

function words(node: Inline): string {
  return "text" in node ? node.text : node.children.map(words).join("");
}

function text(block: Block): string {
  if (block.kind === "rule") return "";
  if (block.kind === "code") return block.text;
  if (block.kind === "quote") return block.blocks.map(text).join("\n");
  if (block.kind === "list") return block.items.flat().map(text).join("\n");
  return inline(block.text).map(words).join("");
}

/** What is left of a text when its Markdown is drawn, without white space. */
export function visible(source: string): string {
  return blocks(source).map(text).join("\n").replaceAll(/\s/gu, "");
}
