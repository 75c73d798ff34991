import { MarkedText } from "./MarkedText";

/** Sentences of ours: the report escapes two signs in them as HTML wants it. */
export function Prose({ text }: { readonly text: string }) {
  return <Markdown text={text.replaceAll("&lt;", "<").replaceAll("&amp;", "&")} />;
}

/** A model's or a judge's text: its Markdown as elements, or as it came. */
export const Markdown = MarkedText;
