import { at, type Span } from "./scale";

type Ends = readonly [number, number];

interface IntervalMarkProps {
  readonly span: Span;
  readonly value: number | null;
  readonly inner: Ends | null;
  readonly outer?: Ends | null;
  readonly bounds: Ends | null; // drawn where there is no value
  readonly says: string;
}

const MIDDLE = 12;

/** One row of a forest plot: a thin line for the outer interval, a thick one for the inner, a dot for the value. */
export function IntervalMark({ span, value, inner, outer = null, bounds, says }: IntervalMarkProps) {
  return (
    <svg role="img" aria-label={says} className="block h-6 w-full overflow-visible">
      {outer !== null && <Line span={span} ends={outer} className="stroke-soft" width={1} />}
      {inner !== null && <Line span={span} ends={inner} className="stroke-accent" width={3.5} />}
      {bounds !== null && value === null && <Bounds span={span} ends={bounds} />}
      {value !== null && value >= span.low && (
        <circle
          cx={`${at(span, value)}%`}
          cy={MIDDLE}
          r={4}
          strokeWidth={1.5}
          className={inner === null ? "fill-paper stroke-accent" : "fill-accent stroke-paper"}
        />
      )}
      {value !== null && value < span.low && <Beyond />}
    </svg>
  );
}

function Line({ span, ends, className, width }: { span: Span; ends: Ends; className: string; width: number }) {
  if (ends[1] < span.low) return null;
  return (
    <line
      x1={`${at(span, ends[0])}%`}
      x2={`${at(span, ends[1])}%`}
      y1={MIDDLE}
      y2={MIDDLE}
      strokeWidth={width}
      strokeLinecap="butt"
      className={className}
    />
  );
}

function Bounds({ span, ends }: { span: Span; ends: Ends }) {
  if (ends[1] < span.low) return <Beyond />;
  const left = at(span, ends[0]);
  return (
    <rect
      x={`${left}%`}
      width={`${Math.max(at(span, ends[1]) - left, 0.5)}%`}
      y={MIDDLE - 3.5}
      height={7}
      strokeWidth={1}
      className="fill-paper stroke-open"
    />
  );
}

/** The value is left of what is shown. */
function Beyond() {
  return <path d={`M7 ${MIDDLE - 4}L1 ${MIDDLE}L7 ${MIDDLE + 4}`} className="fill-none stroke-accent" strokeWidth={1.5} />;
}
