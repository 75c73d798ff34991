// The shapes of charts in the cells of tables.
import type { DrawnEstimate } from "../schema";
import { paint } from "./paint";
import { at, type Span } from "./scale";
import { Dot, EstimateShape } from "./shapes";

interface EstimateMarkProps {
  readonly span: Span;
  readonly estimate: DrawnEstimate;
  readonly says: string;
  readonly hollow?: boolean;
  readonly axis?: boolean; // draws the scale itself, with a tick at its middle
}

/** One row of a chart of intervals. */
export function EstimateMark({ span, estimate, says, hollow = false, axis = false }: EstimateMarkProps) {
  const across = { span: [span.low, span.high], at: (value: number) => `${at(span, value)}%` } as const;
  return (
    <svg role="img" aria-label={says} className="block h-6 w-full overflow-visible">
      {axis && <line x1="0" x2="100%" y1={12} y2={12} stroke={paint("faint")} strokeWidth={2} />}
      {axis && <line x1="50%" x2="50%" y1={5} y2={19} stroke={paint("muted")} />}
      <EstimateShape across={across} y={12} estimate={estimate} hollow={hollow} />
    </svg>
  );
}

/** What the mark of each of several values looks like, beside its name. */
export function MarkKey({ place }: { readonly place: number }) {
  const [fill, edge] = place === 0 ? ["accent", "accent"] : place % 2 === 1 ? ["paper", "accent"] : ["muted", "muted"];
  return (
    <svg aria-hidden="true" className="inline-block size-3 align-[-1px]">
      <Dot x={6} y={6} fill={fill} edge={edge} />
    </svg>
  );
}
