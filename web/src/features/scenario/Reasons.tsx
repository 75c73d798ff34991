import type { VerdictDocument } from "../../schema";
import { firstSentence } from "../../text/format";
import { Markdown } from "../../text/Markdown";

interface ReasonsProps {
  readonly verdict: VerdictDocument;
  readonly quoted: boolean; // the quotation too
  readonly open?: boolean;
}

/** What a judge gave as its reasons: the first lines, and all of it when unfolded. */
export function Reasons({ verdict, quoted, open = false }: ReasonsProps) {
  const [quote, reasons] = [quoted ? (verdict.quote ?? "") : "", verdict.reasoning ?? ""];
  if (quote === "" && reasons === "") return null;
  return (
    <details open={open} className="group mt-1">
      <summary className="text-xs text-muted">
        Reasons of {verdict.judge}
        <span className="text-ink group-open:hidden">: {reasons === "" ? quote : firstSentence(reasons)}</span>
      </summary>
      <div className="max-h-48 overflow-y-auto text-[0.8125rem] text-muted" tabIndex={0} role="group" aria-label={`Reasons of ${verdict.judge}`}>
        {quote !== "" && (
          <blockquote dir="auto" className="my-1 border-l-2 border-soft pl-3">
            {quote}
            {verdict.quote_found === false && <span className="text-open"> (not found in the answer)</span>}
          </blockquote>
        )}
        <Markdown text={reasons} />
      </div>
    </details>
  );
}
