import { at, type Span } from "./scale";

interface FieldMarkProps {
  readonly value: number | null;
  readonly low: number; // lower quartile of the field
  readonly middle: number;
  readonly high: number;
  readonly says: string;
}

const SHARES: Span = { low: 0, high: 1, step: 0.25 };
const MIDDLE = 10;

/** A subject's dot beside the middle half of the field, with a tick at its median. */
export function FieldMark({ value, low, middle, high, says }: FieldMarkProps) {
  const left = at(SHARES, low);
  return (
    <svg role="img" aria-label={says} className="block h-5 w-full overflow-visible">
      <rect x={`${left}%`} width={`${Math.max(at(SHARES, high) - left, 0.4)}%`} y={MIDDLE - 4} height={8} rx={2} className="fill-faint" />
      <line x1={`${at(SHARES, middle)}%`} x2={`${at(SHARES, middle)}%`} y1={MIDDLE - 6} y2={MIDDLE + 6} strokeWidth={1.5} className="stroke-muted" />
      {value !== null && <circle cx={`${at(SHARES, value)}%`} cy={MIDDLE} r={4.5} strokeWidth={1.5} className="fill-accent stroke-paper" />}
    </svg>
  );
}
